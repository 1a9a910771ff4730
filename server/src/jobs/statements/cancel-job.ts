import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { type Claim, holdsClaim, type Job, jobColumns } from '../job.ts'
import { findJob } from './find-job.ts'

export const canceledChannel = 'nmp_jobs_canceled'

export interface CancelAnswer {
  job: Job
  /** `canceled` now; `requested` of a running job, whose worker stops within a heartbeat; or nothing was changed. */
  outcome: 'canceled' | 'requested' | 'already_canceled' | 'already_finished'
}

/** From here on the job cannot succeed. `undefined` when there is no such job. */
export const requestCancel = async (db: Database, id: string): Promise<CancelAnswer | undefined> => {
  const { rows } = await sql<Job>`
    with canceled as (
      update jobs set updated_at = now(), cancel_requested_at = coalesce(cancel_requested_at, now()),
        finished_at = case when state = 'queued' then now() end, retry_after = null,
        state = case when state = 'queued' then 'canceled' else state end
      where id = ${id} and state in ('queued', 'running')
      returning *
    )
    select ${jobColumns} from canceled as jobs, lateral (select pg_notify(${canceledChannel}, jobs.id)) as woken`.execute(
    db,
  )
  const [changed] = rows
  if (changed) return { job: changed, outcome: changed.state === 'canceled' ? 'canceled' : 'requested' }
  const job = await findJob(db, id)
  return job && { job, outcome: job.state === 'canceled' ? 'already_canceled' : 'already_finished' }
}

/** The worker has stopped for a cancel, its children included; `undefined` when the lease is lost. */
export const acknowledgeCancel = async (db: Database, claim: Claim): Promise<Job | undefined> => {
  const { rows } = await sql<Job>`
    update jobs set state = 'canceled', finished_at = now(), updated_at = now(), claimed_by = null, claim_expires_at = null
    where ${holdsClaim(claim)} and cancel_requested_at is not null
    returning ${jobColumns}`.execute(db)
  return rows[0]
}
