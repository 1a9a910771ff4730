import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { waitUntil } from '../../test/wait-until.ts'
import { ServiceError } from '../errors.ts'
import type { JobHandler, JobRun } from './handler.ts'
import { collectHandlers } from './index.ts'
import type { Job } from './job.ts'
import type { LeaseSettings } from './settings.ts'
import { requestCancel } from './statements/cancel-job.ts'
import { createJob } from './statements/create-job.ts'
import { findJob } from './statements/find-job.ts'
import type { JobResult } from './statements/finish-job.ts'
import { startWorker, type Worker } from './worker.ts'

let database: TestDatabase
const workers: Worker[] = []
const settled: string[] = []
const fast: Partial<LeaseSettings> = {
  leaseSeconds: 3,
  heartbeatSeconds: 0.5,
  sweepSeconds: 0.5,
  pollSeconds: 0.5,
  backoff: { baseSeconds: 0.05, capSeconds: 0.1 },
}

beforeAll(async () => {
  database = await createTestDatabase()
  await sql`insert into organizations (id, slug, name) values ('org_a', 'a', 'A')`.execute(database.db)
})
beforeEach(() => sql`truncate jobs cascade`.execute(database.db))
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop(0)))
  settled.length = 0
})
afterAll(() => database.close())

const work = (run: (run: JobRun) => Promise<JobResult>, settings = fast, handler: Partial<JobHandler> = {}): Worker => {
  const settle: JobHandler['settle'] = async (_trx, job) => {
    settled.push(`${job.id} ${job.state}`)
  }
  const handlers = collectHandlers([{ kind: 'import', deadlineSeconds: 60, run, settle, ...handler }])
  const { db, connection } = database
  const worker = startWorker({ db, connection, handlers, log: pino({ level: 'silent' }), concurrency: 4, settings })
  workers.push(worker)
  return worker
}

let lastId = 0
const create = (): Promise<Job> => {
  lastId += 1
  return createJob(database.db, { id: `imp_${lastId}`, orgId: 'org_a', kind: 'import' })
}

const reach = (id: string, ...states: Job['state'][]): Promise<Job> => {
  const look = async () => {
    const job = await findJob(database.db, id)
    return job && states.includes(job.state) ? job : undefined
  }
  return waitUntil(look, { describe: () => `${id} did not become ${states}` })
}

const untilAborted = ({ signal }: JobRun): Promise<JobResult> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

test('a job is taken at once by the wake-up, long before the poll', async () => {
  work(async () => ({ digest: 'd' }), { ...fast, pollSeconds: 600 })
  await sleep(300)
  const job = await create()
  expect(await reach(job.id, 'succeeded')).toMatchObject({ resultDigest: 'd', claimEpoch: 1 })
})

test('a worker that hears nothing finds jobs by polling', async () => {
  work(async () => ({ digest: 'd' }))
  await sleep(300)
  await sql`insert into jobs (id, org_id, kind) values ('imp_silent', 'org_a', 'import')`.execute(database.db)
  await reach('imp_silent', 'succeeded')
})

test('progress is shown while the job runs, and heartbeats keep it past its lease', async () => {
  const gate = Promise.withResolvers<JobResult>()
  work((run) => {
    for (let pct = 0; pct <= 40; pct += 1) run.report({ pct, phase: 'fetch', downloadedBytes: pct * 10 })
    return gate.promise
  })
  const job = await create()
  await sleep(4000)
  expect(await findJob(database.db, job.id)).toMatchObject({
    state: 'running',
    claimEpoch: 1,
    progressPct: 40,
    downloadedBytes: 400,
  })
  gate.resolve({ digest: 'd' })
  await reach(job.id, 'succeeded')
})

test('a cancel reaches the run within moments, and the noun hears of it in the same transaction', async () => {
  const worker = work(untilAborted, { ...fast, heartbeatSeconds: 60, leaseSeconds: 120 })
  const job = await create()
  await reach(job.id, 'running')
  expect((await requestCancel(database.db, job.id))?.job.state).toBe('running')
  await reach(job.id, 'canceled')
  expect(settled).toEqual([`${job.id} canceled`])
  expect(worker.metrics).toMatchObject({ claimed: 1, canceled: 1 })
})

test('wrong data fails at once with its sentence; a fault of ours is tried three times and keeps its words out', async () => {
  const wrong = await create()
  const broken = await create()
  const worker = work(({ job }) => {
    if (job.id === wrong.id) throw new ServiceError('not_found', 'The repository lerobot/none does not exist.')
    throw new Error('password=hunter2')
  })
  expect(await reach(wrong.id, 'failed')).toMatchObject({
    attemptCount: 1,
    errorMessage: 'The repository lerobot/none does not exist.',
  })
  const failed = await reach(broken.id, 'failed')
  expect(failed).toMatchObject({ attemptCount: 3, errorCode: 'internal_error' })
  expect(JSON.stringify(failed)).not.toContain('hunter2')
  expect(settled.sort()).toEqual([`${wrong.id} failed`, `${broken.id} failed`].sort())
  expect(worker.metrics).toMatchObject({ failed: 2, retried: 2 })
})

test('an attempt past its deadline is stopped and fails for good', async () => {
  work(untilAborted, fast, { deadlineSeconds: 1 })
  const job = await create()
  expect(await reach(job.id, 'failed')).toMatchObject({ errorCode: 'deadline_exceeded', attemptCount: 1 })
})

test('stopping lets short jobs end, gives long ones back, and burns no attempt', async () => {
  // Both are there before anybody works, since a job may be begun before its creator has heard of it.
  const [long, short] = [await create(), await create()]
  const worker = work(async (run) => {
    if (run.job.id === long.id) return untilAborted(run)
    await sleep(300)
    return { digest: 'd' }
  })
  await reach(long.id, 'running')
  await reach(short.id, 'running', 'succeeded')
  await worker.stop(1)
  expect((await reach(short.id, 'succeeded')).attemptCount).toBe(1)
  expect(await reach(long.id, 'queued')).toMatchObject({ attemptCount: 0, claimEpoch: 1, claimedBy: null })
  expect(worker.metrics).toMatchObject({ finished: 1, released: 1, running: 0 })
})

test('every connection is cut in the middle: the worker goes on, and no job is lost or done twice', async () => {
  await sql`create table if not exists published (job_id text primary key)`.execute(database.db)
  const worker = work(async ({ job }) => {
    await sleep(50)
    return {
      digest: job.id,
      publish: async (trx) => void (await sql`insert into published values (${job.id})`.execute(trx)),
    }
  })
  for (let n = 0; n < 40; n += 1) await create()
  for (let n = 0; n < 5; n += 1) {
    await sleep(150)
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
      .execute(database.db)
      .catch(() => undefined)
  }
  const { rows } = await sql<{ id: string }>`select id from jobs`.execute(database.db)
  for (const { id } of rows) await reach(id, 'succeeded')
  expect((await sql`select 1 from published`.execute(database.db)).rows.length).toBe(40)
  expect(worker.metrics.running).toBe(0)
})
