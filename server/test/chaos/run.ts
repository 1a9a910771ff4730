import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { type Connection, type Database, isConnectionError, openDatabase, sqlStateOf } from '../../src/db/database.ts'
import { requestCancel } from '../../src/jobs/statements/cancel-job.ts'
import { createJob } from '../../src/jobs/statements/create-job.ts'
import { openStorage } from '../../src/storage/open-storage.ts'
import { ensureStoreId } from '../../src/storage/store-id.ts'
import { startFleet } from './fleet.ts'
import { chaosKind, chaosSettings, createChaosTables, type Fence } from './job.ts'
import { createRandom, shuffle } from './random.ts'
import { collectAll, judge, type Verdict } from './verdict.ts'

export interface ChaosOptions {
  connection: Connection
  jobCount: number
  killCount: number
  freezeCount: number
  cancelCount: number
  /** How often PostgreSQL is crashed, and how. */
  crashCount?: number
  crashDatabase?: () => Promise<void>
  workerCount?: number
  fence?: Fence
  /** Drives what happens to whom and in which order. The machine decides the rest. */
  seed: number
  onProgress?: (line: string) => void
}

export interface ChaosResult extends Verdict {
  seed: number
  fence: Fence
  jobs: number
  kills: number
  freezes: number
  crashes: number
  cancels: number
  fencedRejections: number
  swept: number
  claimed: number
  seconds: number
}

type Fault = 'kill' | 'freeze' | 'crash' | 'cancel'

const concurrency = 2
const leaseMilliseconds = (chaosSettings.leaseSeconds ?? 60) * 1000

/**
 * Feeds jobs to real worker processes and injects faults in step with the jobs that end, until all faults have
 * happened and all jobs have ended. Few jobs wait at a time, so that a job taken from a frozen worker is soon run by
 * another: behind a long queue no late worker would ever meet its successor, and the test would prove nothing.
 */
export const runChaos = async (options: ChaosOptions): Promise<ChaosResult> => {
  const { connection, jobCount, workerCount = 6, fence = 'epoch', seed, onProgress = () => undefined } = options
  const startedAt = performance.now()
  const log = pino({ level: 'silent' })
  const objectFolder = await mkdtemp(join(tmpdir(), 'nmp-chaos-'))
  const storage = await openStorage({
    kind: 'folder',
    folder: objectFolder,
    signingKey: 'chaos',
    publicUrl: 'http://localhost',
  })
  const { db, close } = openDatabase({ connection, log })
  await createChaosTables(db)
  await ensureStoreId(db, storage)
  const random = createRandom(seed)
  const faults = planFaults(options, random)
  const faultCount = faults.length
  const fleet = startFleet(workerCount, { connection, objectFolder, fence, concurrency })
  const cancelIds: string[] = []
  let created = 0
  // How many faults' share of jobs may be ahead of the faults; more when a fault found nobody to happen to.
  let slack = 6
  let collecting: Promise<void> | undefined

  const inject = async (fault: Fault): Promise<boolean> => {
    const pick = Math.floor(random() * 1e6)
    if (fault === 'kill') return fleet.kill(pick)
    if (fault === 'freeze') return fleet.freeze(pick, leaseMilliseconds + 300 + random() * 900)
    if (fault === 'crash') await options.crashDatabase?.()
    if (fault === 'cancel') {
      const id = jobId(Math.max(0, created - 1 - (pick % 10)))
      const answer = await insist(() => requestCancel(db, id))
      if (answer && answer.outcome !== 'already_finished' && !cancelIds.includes(id)) cancelIds.push(id)
      return answer?.outcome === 'canceled' || answer?.outcome === 'requested'
    }
    return true
  }

  for (let ended = 0; ended < jobCount || faults.length > 0; ) {
    ended = await insist(() => countEnded(db))
    const done = faultCount - faults.length
    const allowed = faults.length === 0 ? jobCount : Math.min(jobCount, (jobCount * (done + slack)) / faultCount)
    const room = Math.min(allowed - created, workerCount * concurrency * 2 - (created - ended))
    for (let n = 0; n < room; n += 1, created += 1) await insist(() => createOnce(db, jobId(created)))
    const [next] = faults
    if (next && (ended / jobCount) * faultCount * 1.25 >= done) {
      if (await inject(next)) faults.shift()
      else slack += 0.04
    }
    if (ended === jobCount) break
    // All the while, with no grace: what a collector takes from under a publisher must not be missed.
    collecting ??= collectAll(db, storage)
      .catch(() => undefined)
      .finally(async () => {
        await sleep(1000)
        collecting = undefined
      })
    onProgress(`${ended}/${jobCount} jobs ended, ${done}/${faultCount} faults`)
    await sleep(40)
  }
  await collecting
  await fleet.stop()
  const verdict = await insist(() => judge(db, storage, cancelIds, jobCount))
  await close()
  await storage.close()
  await rm(objectFolder, { recursive: true })
  const metrics = fleet.readMetrics()
  const left = (fault: Fault): number => faults.filter((other) => other === fault).length
  return {
    seed,
    fence,
    jobs: jobCount,
    kills: options.killCount - left('kill'),
    freezes: options.freezeCount - left('freeze'),
    crashes: (options.crashCount ?? 0) - left('crash'),
    cancels: options.cancelCount - left('cancel'),
    ...verdict,
    fencedRejections: metrics.fencedRejections,
    swept: metrics.swept,
    claimed: metrics.claimed,
    seconds: Math.round((performance.now() - startedAt) / 1000),
  }
}

const jobId = (index: number): string => `imp_chaos_${String(index).padStart(6, '0')}`

const planFaults = (
  { killCount, freezeCount, crashCount = 0, cancelCount }: ChaosOptions,
  random: () => number,
): Fault[] => {
  const of = (fault: Fault, count: number): Fault[] => Array.from({ length: count }, () => fault)
  return shuffle(
    [...of('kill', killCount), ...of('freeze', freezeCount), ...of('crash', crashCount), ...of('cancel', cancelCount)],
    random,
  )
}

/** A commit whose answer was lost makes the second try a duplicate, which is what was wanted. */
const createOnce = async (db: Database, id: string): Promise<void> => {
  await createJob(db, { id, orgId: 'org_chaos', kind: chaosKind, maxAttempts: 1000 }).catch((error) => {
    if (sqlStateOf(error) !== '23505') throw error
  })
}

const countEnded = async (db: Database): Promise<number> =>
  Number(
    (await sql<{ n: number }>`select count(*) as n from jobs where finished_at is not null`.execute(db)).rows[0]?.n,
  )

const insist = async <T>(ask: () => Promise<T>): Promise<T> => {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!isConnectionError(error)) throw error
      await sleep(100)
    }
  }
}
