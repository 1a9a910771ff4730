import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Logger, run } from 'graphile-worker'
import { sql } from 'kysely'
import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { pino } from 'pino'
import { type OpenDatabase, openDatabase } from '../../server/src/db/database.ts'
import { type EmbeddedConnection, openEmbeddedPostgres } from '../../server/src/db/embedded.ts'
import { migrateDatabase } from '../../server/src/db/migrations.ts'
import { collectHandlers } from '../../server/src/jobs/index.ts'
import { startWorker } from '../../server/src/jobs/worker.ts'
import type { BenchRow } from './row.ts'

const jobCount = 3000
const callerCount = 16
const rounds = 3
const log = pino({ level: 'silent' })

/**
 * Jobs claimed and finished per second by one process with 16 slots, the work itself being nothing, on one PostgreSQL
 * with fsync on. Rounds alternate between the three and the best of each counts: what else runs only adds.
 */
export const benchJobs = async (): Promise<BenchRow[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-bench-jobs-'))
  const postgres = await openEmbeddedPostgres({ folder: join(folder, 'postgres'), log })
  const database = openDatabase({ connection: postgres.connection, log, maxConnections: callerCount + 4 })
  try {
    await migrateDatabase(database.pool)
    await sql`insert into organizations (id, slug, name) values ('org_bench', 'bench', 'Bench')`.execute(database.db)
    const best = { ours: 0, graphile: 0, pgBoss: 0 }
    for (let round = 0; round < rounds; round += 1) {
      best.ours = Math.max(best.ours, await timeOurs(database, postgres.connection))
      best.graphile = Math.max(best.graphile, await timeGraphile(postgres.connection))
      best.pgBoss = Math.max(best.pgBoss, await timePgBoss(postgres.connection))
    }
    return [describeRow(best)]
  } finally {
    await database.close()
    await postgres.stop()
    await rm(folder, { recursive: true, maxRetries: 5 })
  }
}

const describeRow = ({ ours, graphile, pgBoss }: { ours: number; graphile: number; pgBoss: number }): BenchRow => {
  const ratio = ours / Math.max(graphile, pgBoss)
  return {
    name: 'jobs claimed and finished per second, 16 slots',
    ours: `${Math.round(ours)}/s`,
    peer: `graphile-worker ${Math.round(graphile)}/s, pg-boss ${Math.round(pgBoss)}/s`,
    ratio,
    goal: 'at least 1.5 times the better',
    met: ratio >= 1.5,
    note: 'peers in their default form, one job a statement; ours fences every finish, theirs do not',
  }
}

const perSecond = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now()
  await work()
  return jobCount / ((performance.now() - startedAt) / 1000)
}

/** Counts down the jobs; `all` settles with the last. */
const createCountdown = () => {
  const { promise: all, resolve } = Promise.withResolvers<void>()
  let left = jobCount
  const count = (): void => {
    left -= 1
    if (left === 0) resolve()
  }
  return { all, count }
}

const timeOurs = async ({ db }: OpenDatabase, connection: EmbeddedConnection): Promise<number> => {
  await sql`truncate jobs cascade`.execute(db)
  await sql`
    insert into jobs (id, org_id, kind) select 'imp_' || lpad(n::text, 9, '0'), 'org_bench', 'bench'
    from generate_series(1, ${jobCount}) as n`.execute(db)
  await sql`vacuum analyze jobs`.execute(db)
  const handlers = collectHandlers([{ kind: 'bench', deadlineSeconds: 60, run: async () => ({ digest: 'none' }) }])
  const rate = await perSecond(async () => {
    const settings = { maxRunningPerOrg: 1000 }
    const worker = startWorker({ db, connection, handlers, log, concurrency: callerCount, settings })
    while (worker.metrics.finished < jobCount) await new Promise((resolve) => setTimeout(resolve, 5))
    await worker.stop()
  })
  const { rows } = await sql<{ n: number }>`select count(*) as n from jobs where state <> 'succeeded'`.execute(db)
  if (rows[0]?.n !== 0) throw new Error('our worker left jobs behind')
  return rate
}

const timeGraphile = async (connection: EmbeddedConnection): Promise<number> => {
  const pgPool = new pg.Pool({ ...connection, max: callerCount + 4 })
  const { all, count } = createCountdown()
  const logger = new Logger(() => () => undefined)
  const taskList = { bench: async () => count() }
  const options = { pgPool, logger, noHandleSignals: true }
  const first = await run({ ...options, taskList, concurrency: 1 })
  await first.stop()
  await pgPool.query("select graphile_worker.add_job('bench', '{}'::json) from generate_series(1, $1)", [jobCount])
  await pgPool.query('vacuum analyze graphile_worker._private_jobs')
  const rate = await perSecond(async () => {
    const runner = await run({ ...options, taskList, concurrency: callerCount })
    await all
    await runner.stop()
  })
  await pgPool.end()
  return rate
}

const timePgBoss = async (connection: EmbeddedConnection): Promise<number> => {
  const boss = new PgBoss({ ...connection, max: callerCount + 4, supervise: false, schedule: false })
  boss.on('error', () => undefined)
  await boss.start()
  await boss.createQueue('bench')
  await boss.insert(
    'bench',
    Array.from({ length: jobCount }, () => ({ data: {} })),
  )
  const rate = await perSecond(() =>
    Promise.all(
      Array.from({ length: callerCount }, async () => {
        for (;;) {
          const [job] = await boss.fetch('bench')
          if (!job) return
          await boss.complete('bench', job.id)
        }
      }),
    ),
  )
  await boss.deleteQueue('bench')
  await boss.stop({ graceful: false })
  return rate
}
