import { isFirstAccount } from '../access/first-account.ts'
import { programVersion } from '../config.ts'
import { describeCheck } from '../consistency/schedule.ts'
import type { Context } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { listWorkers } from '../jobs/presence.ts'
import { findQueue } from '../jobs/queue.ts'
import { canWrite } from './readiness.ts'
import * as repository from './repository.ts'

const mostDamaged = 100
const mostNeeding = 10

/** How it stands with the platform, for everybody: counts and times, no names. */
export async function describeStatus(context: Context) {
  const { db } = context
  const [check, workers, queue, takesWrites] = await Promise.all([
    describeCheck(context),
    listWorkers(db),
    findQueue(db),
    canWrite(context),
  ])
  const isStored = check.damaged_count === 0 && check.is_on_schedule && check.last_walk?.was_stopped !== true
  const isWell = isStored && workers.length > 0 && takesWrites
  return {
    status: isWell ? ('ok' as const) : ('degraded' as const),
    version: programVersion,
    storage_check: check,
    worker_count: workers.length,
    queue: {
      due_count: queue.dueCount,
      later_count: queue.laterCount,
      running_count: queue.runningCount,
      oldest_due_at: queue.oldestDueAt?.toISOString() ?? null,
    },
    takes_writes: takesWrites,
  }
}

/** With names, for the person who runs the program and could read its folder as well. */
export async function describeStatusDetails(context: Context, caller: { email: string }) {
  const { db, config, commit, storage, diskReserve } = context
  if (!isFirstAccount(config, caller))
    throw new ServiceError(
      'insufficient_role',
      'Only the account of whoever runs the program, admin@localhost, may see this.',
    )
  const [workers, database, damaged, disk] = await Promise.all([
    listWorkers(db),
    repository.selectDatabaseFacts(db),
    repository.selectDamagedContents(db, { limit: mostDamaged, mostNeeding }),
    diskReserve.describe(),
  ])
  return {
    commit,
    database: { version: database.version, size_bytes: database.sizeBytes },
    storage: storage.kind,
    disk: disk && { free_bytes: disk.freeBytes, reserve_bytes: disk.keptBytes, size_bytes: disk.sizeBytes },
    workers: workers.map(({ name, startedAt, seenAt, concurrency }) => ({
      name,
      started_at: new Date(startedAt).toISOString(),
      seen_at: new Date(seenAt).toISOString(),
      concurrency,
    })),
    damaged: damaged.map(({ sizeBytes, foundAt, neededByCount, neededBy, ...content }) => ({
      ...content,
      size_bytes: sizeBytes,
      found_at: foundAt.toISOString(),
      needed_by_count: neededByCount,
      needed_by: neededBy.map(({ orgSlug, datasetId, ...needing }) => ({
        ...needing,
        org_slug: orgSlug,
        dataset_id: datasetId,
      })),
    })),
  }
}
