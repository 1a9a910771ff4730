import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { inTransaction } from '../db/database.ts'
import { type Claim, claimOf, type Job } from './job.ts'
import { acknowledgeCancel, requestCancel } from './statements/cancel-job.ts'
import { claimJobs } from './statements/claim-jobs.ts'
import { createJob, type NewJob } from './statements/create-job.ts'
import { failJob } from './statements/fail-job.ts'
import { findJob } from './statements/find-job.ts'
import { finishJob } from './statements/finish-job.ts'
import { beatHeart } from './statements/heartbeat.ts'
import { lockClaim } from './statements/lock-claim.ts'
import { releaseJob } from './statements/release-job.ts'
import { reportProgress } from './statements/report-progress.ts'
import { sweepJobs } from './statements/sweep-jobs.ts'

let database: TestDatabase
const noWait = { baseSeconds: 0, capSeconds: 0 }

beforeAll(async () => {
  database = await createTestDatabase({ maxConnections: 20 })
  await sql`insert into organizations (id, slug, name) values ('org_a', 'a', 'A'), ('org_b', 'b', 'B')`.execute(
    database.db,
  )
})
afterAll(() => database.close())
beforeEach(() => sql`truncate jobs cascade`.execute(database.db))

let lastId = 0
const create = (job: Partial<NewJob> = {}): Promise<Job> => {
  lastId += 1
  return createJob(database.db, {
    id: `imp_${String(lastId).padStart(6, '0')}`,
    orgId: 'org_a',
    kind: 'import',
    ...job,
  })
}

const claimMany = (count: number, maxRunningPerOrg = 1000, leaseSeconds = 60): Promise<Job[]> =>
  claimJobs(database.db, {
    workerName: 'w',
    deadlineSecondsByKind: { import: 3600 },
    leaseSeconds,
    maxRunningPerOrg,
    count,
  })

const claimOne = async (leaseSeconds = 60): Promise<Claim> => {
  const [job] = await claimMany(1, 1000, leaseSeconds)
  if (!job) throw new Error('nothing to claim')
  return claimOf(job)
}

const get = async (id: string): Promise<Job> => {
  const job = await findJob(database.db, id)
  if (!job) throw new Error(`no job ${id}`)
  return job
}

const expire = (id: string) =>
  sql`update jobs set claim_expires_at = now() - interval '1 second' where id = ${id}`.execute(database.db)

const retryable = { retryable: true, code: 'connection_lost', sentence: 'A connection was lost.' }
const permanent = { retryable: false, code: 'source_not_found', sentence: 'There is no such repository.' }

describe('claiming', () => {
  test('hands each job to one of many claimers and counts the attempt at once', async () => {
    for (let n = 0; n < 40; n += 1) await create()
    const batches = await Promise.all(Array.from({ length: 15 }, () => claimMany(4)))
    const ids = batches.flat().map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const job of batches.flat()) expect([job.state, job.claimEpoch, job.attemptCount]).toEqual(['running', 1, 1])
    while ((await claimMany(4)).length > 0);
    expect((await sql`select 1 from jobs where state <> 'running'`.execute(database.db)).rows).toEqual([])
  })

  test('takes the oldest first, a retried job by its retry time, and nothing before it is due', async () => {
    const first = await create()
    const second = await create()
    await create({ kind: 'other' })
    const claim = await claimOne()
    expect(claim.id).toBe(first.id)
    await failJob(database.db, claim, { ...retryable, retryAfterSeconds: 3600 }, noWait)
    expect((await claimOne()).id).toBe(second.id)
    expect(await claimMany(1)).toEqual([])
    await sql`update jobs set retry_after = now() where id = ${first.id}`.execute(database.db)
    await create()
    expect((await claimOne()).id).toBe(first.id)
  })

  test('leaves room for other organizations', async () => {
    for (let n = 0; n < 10; n += 1) await create()
    await create({ orgId: 'org_b' })
    expect((await claimMany(5, 3)).map(({ orgId }) => orgId)).toEqual(['org_a', 'org_a', 'org_a'])
    expect((await claimMany(5, 3)).map(({ orgId }) => orgId)).toEqual(['org_b'])
    expect(await claimMany(5, 3)).toEqual([])
  })
})

describe('a worker that lost its lease', () => {
  test('changes nothing: every statement is refused by the epoch', async () => {
    const job = await create()
    const zombie = await claimOne()
    await expire(job.id)
    expect((await sweepJobs(database.db, noWait)).map(({ id, state }) => [id, state])).toEqual([[job.id, 'queued']])
    const owner = await claimOne()
    expect(owner.epoch).toBe(zombie.epoch + 1)
    const before = await get(job.id)
    let published = 0
    const publish = async () => {
      published += 1
    }
    expect(await beatHeart(database.db, zombie, 60)).toBeUndefined()
    expect(await reportProgress(database.db, zombie, { pct: 50 })).toBe(false)
    expect(await finishJob(database.db, zombie, { digest: 'stale', publish })).toBe('lost')
    expect(await failJob(database.db, zombie, permanent, noWait)).toBeUndefined()
    expect(await releaseJob(database.db, zombie)).toBeUndefined()
    expect(await acknowledgeCancel(database.db, zombie)).toBeUndefined()
    expect(await inTransaction(database.db, (trx) => lockClaim(trx, zombie))).toBe(false)
    expect(published).toBe(0)
    expect(await get(job.id)).toEqual(before)
    expect(await finishJob(database.db, owner, { digest: 'fresh', publish })).toBe('finished')
    expect(published).toBe(1)
  })

  test('that beats before the sweep keeps the job', async () => {
    const job = await create()
    const claim = await claimOne()
    await expire(job.id)
    expect(await beatHeart(database.db, claim, 60)).toEqual({ cancelRequested: false, pastDeadline: false })
    expect(await sweepJobs(database.db, noWait)).toEqual([])
  })
})

describe('finishing', () => {
  test('is undone with its publication, and repeating it is the same finish', async () => {
    const job = await create()
    const claim = await claimOne()
    const publish = async () => {
      throw new Error('no room')
    }
    await expect(finishJob(database.db, claim, { digest: 'd', publish })).rejects.toThrow('no room')
    expect((await get(job.id)).state).toBe('running')
    expect(await finishJob(database.db, claim, { digest: 'd' })).toBe('finished')
    expect(await finishJob(database.db, claim, { digest: 'd' })).toBe('finished')
    expect(await finishJob(database.db, claim, { digest: 'other' })).toBe('lost')
    expect(await get(job.id)).toMatchObject({ state: 'succeeded', resultDigest: 'd', resultEpoch: 1, progressPct: 100 })
  })

  test('comes too late after a cancel that was answered', async () => {
    const job = await create()
    const claim = await claimOne()
    expect((await requestCancel(database.db, job.id))?.outcome).toBe('requested')
    expect(await beatHeart(database.db, claim, 60)).toMatchObject({ cancelRequested: true })
    expect(await finishJob(database.db, claim, { digest: 'd' })).toBe('cancel_pending')
    expect((await acknowledgeCancel(database.db, claim))?.state).toBe('canceled')
    expect((await requestCancel(database.db, job.id))?.outcome).toBe('already_canceled')
  })

  test('that races a cancel ends in one of the two, never in both', async () => {
    for (let n = 0; n < 30; n += 1) {
      const job = await create()
      const claim = await claimOne()
      const [outcome, cancel] = await Promise.all([
        finishJob(database.db, claim, { digest: 'd', publish: async () => undefined }),
        requestCancel(database.db, job.id),
      ])
      expect([outcome, cancel?.outcome]).toBeOneOf([
        ['finished', 'already_finished'],
        ['cancel_pending', 'requested'],
      ])
    }
  })
})

describe('ending without success', () => {
  test('retries with growing waits while attempts are left, then fails for good', async () => {
    const job = await create({ maxAttempts: 3 })
    const waits: number[] = []
    for (const expected of ['queued', 'queued', 'failed']) {
      const ended = await failJob(database.db, await claimOne(), retryable, { baseSeconds: 100, capSeconds: 150 })
      expect(ended?.state).toBe(expected)
      if (ended?.retryAfter) waits.push((ended.retryAfter.getTime() - ended.updatedAt.getTime()) / 1000)
      await sql`update jobs set retry_after = now() where state = 'queued'`.execute(database.db)
    }
    expect(waits[0]).toSatisfy((wait: number) => wait >= 50 && wait <= 100)
    expect(waits[1]).toSatisfy((wait: number) => wait >= 75 && wait <= 150)
    expect(await get(job.id)).toMatchObject({ errorCode: 'connection_lost', attemptCount: 3, claimedBy: null })
  })

  test('a permanent fault fails at once; a Retry-After raises the wait, to a day at most', async () => {
    await create()
    expect(await failJob(database.db, await claimOne(), permanent, noWait)).toMatchObject({
      state: 'failed',
      errorMessage: permanent.sentence,
    })
    await create()
    const ended = await failJob(database.db, await claimOne(), { ...retryable, retryAfterSeconds: 9e9 }, noWait)
    expect((ended?.retryAfter?.getTime() ?? 0) - (ended?.updatedAt.getTime() ?? 0)).toBe(24 * 3600 * 1000)
  })

  test('a release gives the attempt back and the job is due at once', async () => {
    const job = await create()
    expect(await releaseJob(database.db, await claimOne())).toMatchObject({
      state: 'queued',
      attemptCount: 0,
      claimEpoch: 1,
    })
    expect(await claimOne()).toEqual({ id: job.id, epoch: 2 })
  })

  test('the sweep ends what is past its deadline for good, and holds a pending cancel', async () => {
    const late = await create()
    const canceled = await create()
    await claimMany(2)
    await sql`update jobs set deadline_at = now() - interval '1 second' where id = ${late.id}`.execute(database.db)
    await requestCancel(database.db, canceled.id)
    await expire(canceled.id)
    await sweepJobs(database.db, noWait)
    expect(await get(late.id)).toMatchObject({ state: 'failed', errorCode: 'deadline_exceeded' })
    expect((await get(canceled.id)).state).toBe('canceled')
  })

  test('a cancel that arrives while an attempt is being ended is not lost', async () => {
    for (let n = 0; n < 30; n += 1) {
      const job = await create()
      const claim = await claimOne()
      const [cancel] = await Promise.all([
        requestCancel(database.db, job.id),
        failJob(database.db, claim, retryable, noWait),
      ])
      expect(cancel?.outcome).toBeOneOf(['requested', 'canceled'])
      expect((await get(job.id)).state).toBe('canceled')
    }
  })
})

describe('the database refuses by itself', () => {
  test.each([
    ['a final state that changes', "state = 'queued', finished_at = null"],
    ['an epoch that grows without a claim', 'claim_epoch = claim_epoch + 1'],
    ['an epoch that falls', 'claim_epoch = claim_epoch - 1'],
    ['another result', "result_digest = 'other'"],
    ['a success that was canceled', 'cancel_requested_at = now()'],
    ['more attempts than allowed', 'attempt_count = max_attempts + 1'],
    ['an unknown state', "state = 'done'"],
  ])('%s', async (_what, change) => {
    const job = await create()
    await finishJob(database.db, await claimOne(), { digest: 'd' })
    await expect(sql`update jobs set ${sql.raw(change)} where id = ${job.id}`.execute(database.db)).rejects.toThrow(
      /check constraint|cannot become/,
    )
  })
})
