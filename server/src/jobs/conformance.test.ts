import fc from 'fast-check'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isLongRun } from '../../../fixtures/test-where.ts'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { type Database, type OpenDatabase, openDatabase } from '../db/database.ts'
import * as model from './model.ts'
import { acknowledgeCancel, requestCancel } from './statements/cancel-job.ts'
import { claimJobs } from './statements/claim-jobs.ts'
import { createJob } from './statements/create-job.ts'
import { failJob } from './statements/fail-job.ts'
import { finishJob } from './statements/finish-job.ts'
import { beatHeart } from './statements/heartbeat.ts'
import { releaseJob } from './statements/release-job.ts'
import { reportProgress } from './statements/report-progress.ts'
import { sweepJobs } from './statements/sweep-jobs.ts'

/** What three workers, a person and the clock do; `worker` is whose epoch the statement carries, current or stale. */
const verbs = [
  'claim',
  'heartbeat',
  'progress',
  'finish',
  'fail',
  'refuse',
  'put-off',
  'release',
  'ack',
  'cancel',
  'expire',
  'sweep',
  'wait',
] as const
interface Action {
  verb: (typeof verbs)[number]
  worker: number
}

/** The model's job, whether it is due, and the epoch each worker got at its last claim. */
interface Oracle {
  job: model.ModelJob
  isDue: boolean
  epochs: number[]
}

interface Outcome {
  oracle: Oracle
  accepted: boolean
}

const workerCount = 3
const noWait = { baseSeconds: 0, capSeconds: 0 }
const sequences = Number(process.env.NMP_TEST_SEQUENCES ?? (isLongRun ? 150 : 30))

let database: TestDatabase
let connections: OpenDatabase[]
let runCount = 0

beforeAll(async () => {
  database = await createTestDatabase()
  await sql`insert into organizations (id, slug, name) values ('org_a', 'a', 'A')`.execute(database.db)
  const { connection } = database
  const log = pino({ level: 'silent' })
  connections = Array.from({ length: workerCount }, () => openDatabase({ connection, log, maxConnections: 1 }))
})
afterAll(async () => {
  await Promise.all(connections.map((connection) => connection.close()))
  await database.close()
})

/** What must happen, by the model. */
const predict = (oracle: Oracle, { verb, worker }: Action): Outcome => {
  const { job, isDue, epochs } = oracle
  const refused = { oracle, accepted: false }
  const become = (next: model.ModelJob | undefined, due = true): Outcome =>
    next ? { oracle: { ...oracle, job: next, isDue: due }, accepted: true } : refused
  switch (verb) {
    case 'claim': {
      const claimed = isDue ? model.claimJob(job) : undefined
      if (!claimed) return refused
      const held = epochs.map((epoch, index) => (index === worker ? claimed.epoch : epoch))
      return { oracle: { job: claimed, isDue: true, epochs: held }, accepted: true }
    }
    case 'cancel':
      return become(model.cancelJob(job))
    case 'expire':
      return job.state === 'running' ? become({ ...job, isExpired: true }) : refused
    case 'sweep':
      return job.state === 'running' && job.isExpired ? become(model.endJob(job, true)) : refused
    case 'wait':
      return become(job)
  }
  const epoch = epochs[worker] ?? 0
  if (verb === 'finish' && job.state === 'succeeded' && job.resultEpoch === epoch) return become(job)
  if (!model.holds(job, epoch)) return refused
  if (verb === 'heartbeat') return become({ ...job, isExpired: false })
  if (verb === 'progress') return become(job)
  if (verb === 'fail') return become(model.endJob(job, true))
  if (verb === 'refuse') return become(model.endJob(job, false))
  if (verb === 'release') return become(model.releaseJob(job))
  if (verb === 'ack') return job.isCancelRequested ? become({ ...job, state: 'canceled', isExpired: false }) : refused
  if (verb === 'finish')
    return job.isCancelRequested
      ? refused
      : become({ ...job, state: 'succeeded', isExpired: false, resultEpoch: epoch })
  const ended = model.endJob(job, true)
  return become(ended, ended.state !== 'queued')
}

const handleOf = (worker: number): Database => (connections[worker] ?? connections[0] ?? database).db

/** What does happen, on PostgreSQL. */
const perform = async (id: string, epochs: number[], { verb, worker }: Action): Promise<boolean> => {
  const db = handleOf(worker)
  const claim = { id, epoch: epochs[worker] ?? 0 }
  const fault = {
    retryable: verb !== 'refuse',
    code: 'fault',
    sentence: 'A fault.',
    retryAfterSeconds: verb === 'put-off' ? 3600 : 0,
  }
  switch (verb) {
    case 'claim': {
      const request = {
        workerName: `w${worker}`,
        deadlineSecondsByKind: { [id]: 3600 },
        leaseSeconds: 600,
        maxRunningPerOrg: 1000,
        count: 3,
      }
      return (await claimJobs(db, request)).length === 1
    }
    case 'heartbeat':
      return (await beatHeart(db, claim, 600)) !== undefined
    case 'progress':
      return reportProgress(db, claim, { pct: 5 })
    case 'finish':
      return (
        (await finishJob(db, claim, {
          digest: `${claim.epoch}`,
          publish: (trx) => sql`insert into effects values (${id}, ${claim.epoch})`.execute(trx).then(() => undefined),
        })) === 'finished'
      )
    case 'fail':
    case 'refuse':
    case 'put-off':
      return (await failJob(db, claim, fault, noWait)) !== undefined
    case 'release':
      return (await releaseJob(db, claim)) !== undefined
    case 'ack':
      return (await acknowledgeCancel(db, claim)) !== undefined
    case 'cancel':
      return ['canceled', 'requested'].includes((await requestCancel(db, id))?.outcome ?? '')
    case 'expire':
      return (
        ((
          await sql`update jobs set claim_expires_at = now() - interval '1 second' where id = ${id} and state = 'running'`.execute(
            db,
          )
        ).numAffectedRows ?? 0n) > 0n
      )
    case 'sweep':
      return (await sweepJobs(db, noWait)).length === 1
    case 'wait':
      await sql`update jobs set retry_after = now() where id = ${id} and retry_after > now()`.execute(db)
      return true
  }
}

const observe = async (id: string): Promise<unknown> => {
  const { rows } = await sql`
    select state, claim_epoch as epoch, attempt_count as attempts, coalesce(claim_expires_at < now(), false) as "isExpired",
      cancel_requested_at is not null as "isCancelRequested", coalesce(result_epoch, 0) as "resultEpoch",
      (retry_after is null or retry_after <= now()) as "isDue", (select count(*) from effects where job_id = id) as effects
    from jobs where id = ${id}`.execute(database.db)
  return rows[0]
}

const expectation = ({ oracle: { job, isDue } }: Outcome): unknown => {
  const { state, epoch, attempts, isExpired, isCancelRequested, resultEpoch } = job
  return {
    state,
    epoch,
    attempts,
    isExpired,
    isCancelRequested,
    resultEpoch,
    isDue,
    effects: state === 'succeeded' ? 1 : 0,
  }
}

interface Possibility extends Outcome {
  answers: boolean[]
}

/** The outcomes of one or two actions at once: either order; and whoever skips locked rows may find nothing. */
const listPossibilities = (oracle: Oracle, actions: Action[]): Possibility[] => {
  const [first, second] = actions
  if (!first) return []
  const alone = predict(oracle, first)
  if (!second) return [{ ...alone, answers: [alone.accepted] }]
  const after = predict(alone.oracle, second)
  const possible: Possibility[] = [{ ...after, answers: [alone.accepted, after.accepted] }]
  const other = predict(oracle, second)
  const last = predict(other.oracle, first)
  possible.push({ ...last, answers: [last.accepted, other.accepted] })
  if (isSkipping(second)) possible.push({ ...alone, answers: [alone.accepted, false] })
  if (isSkipping(first)) possible.push({ ...other, answers: [false, other.accepted] })
  return possible
}

const isSkipping = ({ verb }: Action): boolean => verb === 'claim' || verb === 'sweep'

const checkSequence = async (rounds: Action[][]): Promise<void> => {
  runCount += 1
  const id = `imp_${runCount}`
  await createJob(database.db, { id, orgId: 'org_a', kind: id })
  let oracle: Oracle = { job: model.initialState(workerCount, 3).job, isDue: true, epochs: [0, 0, 0] }
  for (const actions of rounds) {
    const { epochs } = oracle
    const answers = await Promise.all(actions.map((action) => perform(id, epochs, action)))
    const seen = await observe(id)
    const possible = listPossibilities(oracle, actions)
    const match = possible.find((one) => String(one.answers) === String(answers) && isEqual(expectation(one), seen))
    if (!match)
      expect({ answers, ...Object(seen) }).toBeOneOf(
        possible.map((one) => ({ answers: one.answers, ...Object(expectation(one)) })),
      )
    else oracle = match.oracle
  }
  await sql`delete from jobs where id = ${id}`.execute(database.db)
}

const isEqual = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)

test(`the statements do what the model says, also two at a time (${sequences} sequences)`, {
  timeout: 3_600_000,
}, async () => {
  await sql`create table effects (job_id text, epoch bigint, primary key (job_id))`.execute(database.db)
  const action = fc.record({
    verb: fc.oneof(
      { weight: 2, arbitrary: fc.constant('claim' as const) },
      { weight: 5, arbitrary: fc.constantFrom(...verbs) },
    ),
    worker: fc.nat({ max: workerCount - 1 }),
  })
  const rounds = fc.array(fc.array(action, { minLength: 1, maxLength: 2 }), {
    minLength: 5,
    maxLength: 30,
    size: 'max',
  })
  await fc.assert(fc.asyncProperty(rounds, checkSequence), { numRuns: sequences })
})
