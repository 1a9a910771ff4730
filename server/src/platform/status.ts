import { programVersion } from '../config.ts'
import { describeCheck } from '../consistency/schedule.ts'
import type { Context } from '../context.ts'
import { listWorkers } from '../jobs/presence.ts'
import { findQueue } from '../jobs/queue.ts'
import { canWrite } from './readiness.ts'

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
