import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { type Job, jobColumns } from '../job.ts'
import { type Backoff, longestRetryAfterSeconds } from '../settings.ts'

interface Ending {
  /** Which running jobs: what follows `where`, locking clause included. */
  which: RawBuilder<unknown>
  /** Why, as the columns `retryable, code, sentence, wait_seconds`. */
  why: RawBuilder<unknown>
}

/**
 * Ends attempts that did not succeed. A pending cancel makes the job canceled; a retryable fault queues it again
 * while attempts are left; everything else fails it. The decision reads the row it has locked: read from the
 * statement's snapshot it would miss a cancel that was acknowledged a moment before.
 */
export const endAttempts = async (db: Database, { which, why }: Ending, backoff: Backoff): Promise<Job[]> => {
  const { baseSeconds, capSeconds } = backoff
  const { rows } = await sql<Job>`
    with ending as materialized (
      select id as ending_id, cancel_requested_at is not null as cancels, attempt_count < max_attempts as again, ${why}
      from jobs where ${which}
    ), decided as (
      select *, case when cancels then 'canceled' when retryable and again then 'queued' else 'failed' end as next
      from ending
    )
    update jobs set state = next, claimed_by = null, claim_expires_at = null, updated_at = now(),
      finished_at = case when next <> 'queued' then now() end,
      retry_after = case when next = 'queued' then now() + make_interval(secs => greatest(
        least(wait_seconds, ${longestRetryAfterSeconds}::float8),
        least(${capSeconds}::float8, ${baseSeconds}::float8 * 2 ^ (attempt_count - 1)) * (0.5 + random() / 2))) end,
      last_error = sentence,
      error_code = case when next = 'failed' then code end,
      error_message = case when next = 'failed' then sentence end
    from decided where id = ending_id
    returning ${jobColumns}`.execute(db)
  return rows
}
