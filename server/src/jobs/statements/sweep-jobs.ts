import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { Job } from '../job.ts'
import type { Backoff } from '../settings.ts'
import { endAttempts } from './end-attempts.ts'

const batchSize = 100
const lostSentence =
  'The worker was lost: it did not respond within its lease. If this happens again, ask the operator to check its log.'
export const deadlineSentence = 'The job exceeded its time limit.'

/**
 * Ends attempts whose worker has not been heard of for a lease, and attempts past their deadline, which bounds a
 * worker that beats for ever. Nothing is assumed about the worker: should it live, the epoch keeps it out. The epoch
 * is not raised here; `state` already refuses the old owner, and the next claim raises it.
 */
export const sweepJobs = async (db: Database, backoff: Backoff): Promise<Job[]> => {
  const which = sql`state = 'running' and (claim_expires_at < now() or deadline_at < now())
    order by claim_expires_at limit ${batchSize} for update skip locked`
  const why = sql`deadline_at >= now() as retryable,
    case when deadline_at >= now() then 'lease_expired' else 'deadline_exceeded' end as code,
    case when deadline_at >= now() then ${lostSentence}::text else ${deadlineSentence}::text end as sentence,
    0::float8 as wait_seconds`
  return endAttempts(db, { which, why }, backoff)
}
