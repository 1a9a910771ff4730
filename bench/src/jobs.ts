import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
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

const jobCount = 2000
const callerCount = 16
const rounds = 4
const log = pino({ level: 'silent' })

/**
 * Jobs claimed and finished per second by one process with 16 slots, the work itself being nothing, on one PostgreSQL
 * with fsync on. Rounds alternate between the three and the best of each counts: what else runs only adds.
 */
export const benchJobs = async (): Promise<BenchRow[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-bench-jobs-'))
  const postgres = await openEmbeddedPostgres({ folder: join(folder, 'postgres'), log })
  const dataFolder = join(folder, 'postgres', 'data')
  const database = openDatabase({ connection: postgres.connection, log, maxConnections: callerCount + 4 })
  try {
    await migrateDatabase(database.pool)
    await sql`insert into organizations (id, slug, name) values ('org_bench', 'bench', 'Bench')`.execute(database.db)
    const meter: Meter = (work) => measure(dataFolder, work)
    const [ours, graphile, pgBoss] = [createBest(), createBest(), createBest()]
    for (let round = 0; round < rounds; round += 1) {
      ours.add(await runOurs(database, postgres.connection, meter))
      graphile.add(await runGraphile(postgres.connection, meter))
      pgBoss.add(await runPgBoss(postgres.connection, meter))
    }
    return describeRows(ours.best, graphile.best, pgBoss.best)
  } finally {
    await database.close()
    await postgres.stop()
    await rm(folder, { recursive: true, maxRetries: 5 })
  }
}

interface Measure {
  perSecond: number
  /** Of this process and of PostgreSQL together; NaN where the system does not show it. */
  cpuMicroseconds: number
}

type Meter = (work: () => Promise<unknown>) => Promise<Measure>

const createBest = () => {
  const best: Measure = { perSecond: 0, cpuMicroseconds: Number.POSITIVE_INFINITY }
  const add = ({ perSecond, cpuMicroseconds }: Measure): void => {
    best.perSecond = Math.max(best.perSecond, perSecond)
    best.cpuMicroseconds = Math.min(best.cpuMicroseconds, cpuMicroseconds)
  }
  return { best, add }
}

// With its local queue (500 jobs locked ahead by a process, ended in batches) graphile-worker did 12,000 jobs a second on
// the machine where the default form did 450. We never hold a job that is not running: a lost worker would keep them all.
const note =
  'peers in their default form, a statement for each claim and each end, without a local queue of jobs locked ahead; ours fences every finish'

const describeRows = (ours: Measure, graphile: Measure, pgBoss: Measure): BenchRow[] => {
  const rate = ours.perSecond / Math.max(graphile.perSecond, pgBoss.perSecond)
  const cost = ours.cpuMicroseconds / Math.min(graphile.cpuMicroseconds, pgBoss.cpuMicroseconds)
  const show = (value: number, unit: string): string => `${Math.round(value)} ${unit}`
  return [
    {
      name: 'jobs claimed and finished per second, 16 slots',
      ours: show(ours.perSecond, '/s'),
      peer: `graphile-worker ${show(graphile.perSecond, '/s')}, pg-boss ${show(pgBoss.perSecond, '/s')}`,
      ratio: rate,
      goal: 'at least 1.5 times the better',
      met: rate >= 1.5,
      note,
    },
    {
      name: 'processor time per job claimed and finished, PostgreSQL included',
      ours: show(ours.cpuMicroseconds, 'us'),
      peer: `graphile-worker ${show(graphile.cpuMicroseconds, 'us')}, pg-boss ${show(pgBoss.cpuMicroseconds, 'us')}`,
      ratio: Number.isFinite(cost) ? cost : 0,
      goal: 'at most 0.5 of the better',
      met: cost <= 0.5,
      note,
    },
  ]
}

const measure = async (dataFolder: string, work: () => Promise<unknown>): Promise<Measure> => {
  const startedAt = performance.now()
  const own = process.cpuUsage()
  const server = readServerCpu(dataFolder)
  await work()
  const { user, system } = process.cpuUsage(own)
  return {
    perSecond: jobCount / ((performance.now() - startedAt) / 1000),
    cpuMicroseconds: (user + system + readServerCpu(dataFolder) - server) / jobCount,
  }
}

const tickMicroseconds = 10_000

/** Processor time so far of all processes that work in the data folder, by /proc. */
const readServerCpu = (dataFolder: string): number => {
  if (!existsSync('/proc/self/stat')) return Number.NaN
  let ticks = 0
  for (const pid of readdirSync('/proc')) {
    try {
      if (!/^\d+$/.test(pid) || readlinkSync(`/proc/${pid}/cwd`) !== dataFolder) continue
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      ticks += Number(fields[11]) + Number(fields[12])
    } catch {
      // Gone meanwhile, or not ours to see.
    }
  }
  return ticks * tickMicroseconds
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

const runOurs = async ({ db }: OpenDatabase, connection: EmbeddedConnection, meter: Meter): Promise<Measure> => {
  await sql`truncate jobs cascade`.execute(db)
  await sql`
    insert into jobs (id, org_id, kind) select 'imp_' || lpad(n::text, 9, '0'), 'org_bench', 'bench'
    from generate_series(1, ${jobCount}) as n`.execute(db)
  await sql`vacuum analyze jobs`.execute(db)
  const handlers = collectHandlers([{ kind: 'bench', deadlineSeconds: 60, run: async () => ({ digest: 'none' }) }])
  const measured = await meter(async () => {
    const settings = { maxRunningPerOrg: 1000 }
    const worker = startWorker({ db, connection, handlers, log, concurrency: callerCount, settings })
    while (worker.metrics.finished < jobCount) await new Promise((resolve) => setTimeout(resolve, 5))
    await worker.stop()
  })
  const { rows } = await sql<{ n: number }>`select count(*) as n from jobs where state <> 'succeeded'`.execute(db)
  if (rows[0]?.n !== 0) throw new Error('our worker left jobs behind')
  return measured
}

const runGraphile = async (connection: EmbeddedConnection, meter: Meter): Promise<Measure> => {
  const pgPool = new pg.Pool({ ...connection, max: callerCount + 4 })
  pgPool.on('error', () => undefined)
  pgPool.on('connect', (client) => client.on('error', () => undefined))
  const { all, count } = createCountdown()
  const logger = new Logger(() => () => undefined)
  const taskList = { bench: async () => count() }
  const options = { pgPool, logger, noHandleSignals: true }
  const first = await run({ ...options, taskList, concurrency: 1 })
  await first.stop()
  await pgPool.query("select graphile_worker.add_job('bench', '{}'::json) from generate_series(1, $1)", [jobCount])
  await pgPool.query('vacuum analyze graphile_worker._private_jobs')
  const measured = await meter(async () => {
    const runner = await run({ ...options, taskList, concurrency: callerCount })
    await all
    await runner.stop()
  })
  await pgPool.end()
  return measured
}

const runPgBoss = async (connection: EmbeddedConnection, meter: Meter): Promise<Measure> => {
  const boss = new PgBoss({ ...connection, max: callerCount + 4, supervise: false, schedule: false })
  boss.on('error', () => undefined)
  await boss.start()
  await boss.createQueue('bench')
  await boss.insert(
    'bench',
    Array.from({ length: jobCount }, () => ({ data: {} })),
  )
  const measured = await meter(() =>
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
  return measured
}
