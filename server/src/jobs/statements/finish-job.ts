import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, inTransaction, isConnectionError, type Transaction } from '../../db/database.ts'
import type { Finisher } from '../finisher.ts'
import type { Claim } from '../job.ts'
import { findJob } from './find-job.ts'
import { succeedJobs } from './succeed-jobs.ts'

export interface JobResult {
  /** sha256 over what the job made: a second finish of the same result is the same finish. */
  digest: string
  /** Makes the result visible, in the transaction that makes the job succeed. May run more than once. */
  publish?(trx: Transaction): Promise<void>
  /** When it surely was not published: a cancel won, the claim was lost, or `publish` threw `error`. Removes what was staged. */
  discard?(error?: unknown): Promise<void>
}

/** `cancel_pending`: a cancel won, and is to be acknowledged. `lost`: the job is no longer ours, and nothing was changed. */
export type FinishOutcome = 'finished' | 'cancel_pending' | 'lost'

interface FinishOptions {
  /** How long to ask a database that is away. */
  patienceSeconds?: number
  /** Shares statements with other jobs of the worker. */
  finisher?: Finisher
}

/**
 * Publication and success are one transaction, fenced by the epoch and refused once a cancel was acknowledged. When
 * the connection breaks, the row says whether the commit arrived; until it can be read, nothing is assumed.
 */
export const finishJob = async (
  db: Database,
  claim: Claim,
  result: JobResult,
  { patienceSeconds = 60, finisher }: FinishOptions = {},
): Promise<FinishOutcome> => {
  const deadline = performance.now() + patienceSeconds * 1000
  for (let tries = 1; ; tries += 1) {
    try {
      if (await commitResult(db, claim, result, finisher)) return 'finished'
      const outcome = await readOutcome(db, claim, result)
      if (outcome) return outcome
    } catch (error) {
      if (!isConnectionError(error) || performance.now() > deadline) throw error
    }
    await sleep(Math.min(5000, 50 * 2 ** tries))
  }
}

const commitResult = async (
  db: Database,
  claim: Claim,
  { digest, publish }: JobResult,
  finisher: Finisher | undefined,
): Promise<boolean> => {
  const success = { claim, digest }
  if (!publish) return finisher ? finisher(success) : (await succeedJobs(db, [success])).has(claim.id)
  return inTransaction(db, async (trx) => {
    if (!(await succeedJobs(trx, [success])).has(claim.id)) return false
    await publish(trx)
    return true
  })
}

/** What a finish that changed no row means; `undefined`: it did not arrive, try again. */
const readOutcome = async (db: Database, claim: Claim, { digest }: JobResult): Promise<FinishOutcome | undefined> => {
  const job = await findJob(db, claim.id)
  if (job?.state === 'succeeded' && job.resultEpoch === claim.epoch && job.resultDigest === digest) return 'finished'
  if (job?.state !== 'running' || job.claimEpoch !== claim.epoch) return 'lost'
  return job.cancelRequestedAt ? 'cancel_pending' : undefined
}
