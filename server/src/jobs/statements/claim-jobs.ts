import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { type Job, jobColumns } from '../job.ts'

export interface ClaimRequest {
  workerName: string
  /** Kinds this worker can run, with the longest time an attempt of each may take. */
  deadlineSecondsByKind: Record<string, number>
  leaseSeconds: number
  maxRunningPerOrg: number
  count: number
}

/**
 * Takes up to `count` due jobs in one statement. Attempts are counted here, so that a file that kills its worker is
 * bounded by `max_attempts`. The queries are materialized because PostgreSQL may run an inlined `limit … skip locked`
 * more than once and then takes too many. An organization may pass its share only by claims of the same instant:
 * the share is about fairness, and nothing is locked for it.
 */
export const claimJobs = async (db: Database, request: ClaimRequest): Promise<Job[]> => {
  const { workerName, deadlineSecondsByKind, leaseSeconds, maxRunningPerOrg, count } = request
  const { rows } = await sql<Job>`
    with busy as materialized (
      select org_id, count(*) as running from jobs where state = 'running' group by org_id
    ), due as materialized (
      select id, org_id from jobs
      where state = 'queued' and kind = any(${Object.keys(deadlineSecondsByKind)}::text[])
        and (retry_after is null or retry_after <= now()) and attempt_count < max_attempts
        and org_id not in (select org_id from busy where running >= ${maxRunningPerOrg})
      order by priority, coalesce(retry_after, created_at), id
      limit ${count} for update skip locked
    ), fair as materialized (
      select id from (select id, org_id, row_number() over (partition by org_id) as place from due) as ranked
      left join busy using (org_id)
      where place + coalesce(running, 0) <= ${maxRunningPerOrg}
    )
    update jobs set state = 'running', claim_epoch = claim_epoch + 1, attempt_count = attempt_count + 1,
      claimed_by = ${workerName}, claimed_at = now(), last_heartbeat_at = now(),
      claim_expires_at = now() + make_interval(secs => ${leaseSeconds}::float8),
      deadline_at = now() + make_interval(secs => (${JSON.stringify(deadlineSecondsByKind)}::jsonb ->> kind)::float8),
      started_at = coalesce(started_at, now()), updated_at = now(), retry_after = null
    from fair where jobs.id = fair.id
    returning ${jobColumns}`.execute(db)
  return rows
}
