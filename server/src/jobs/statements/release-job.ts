import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { type Claim, holdsClaim, type Job, jobColumns } from '../job.ts'
import { queuedChannel } from './create-job.ts'

/**
 * Gives a job back because the program ends: due at once, the attempt not counted. The fence is the epoch, so giving
 * an attempt back lets no old worker in. `undefined` when the lease is lost.
 */
export const releaseJob = async (db: Database, claim: Claim): Promise<Job | undefined> => {
  const { rows } = await sql<Job>`
    with released as (
      update jobs set claimed_by = null, claim_expires_at = null, updated_at = now(),
        state = case when cancel_requested_at is null then 'queued' else 'canceled' end,
        attempt_count = attempt_count - case when cancel_requested_at is null then 1 else 0 end,
        retry_after = case when cancel_requested_at is null then now() end,
        finished_at = case when cancel_requested_at is not null then now() end
      where ${holdsClaim(claim)}
      returning *
    )
    select ${jobColumns} from released as jobs, lateral (select pg_notify(${queuedChannel}, jobs.kind)) as woken`.execute(
    db,
  )
  return rows[0]
}
