import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { type Job, jobColumns } from '../job.ts'

export interface NewJob {
  id: string
  orgId: string
  kind: string
  maxAttempts?: number
  /** Lower runs first. */
  priority?: number
  retryOf?: string
  /** Not due before this time, or before `wakeJob`. */
  notBefore?: Date
}

export const queuedChannel = 'nmp_jobs_queued'

/** Queues a job and wakes the workers, both when the caller's transaction commits. */
export const createJob = async (db: Database, job: NewJob): Promise<Job> => {
  const { id, orgId, kind, maxAttempts = 3, priority = 0, retryOf = null, notBefore = null } = job
  const { rows } = await sql<Job>`
    with woken as (select pg_notify(${queuedChannel}, ${kind}))
    insert into jobs (id, org_id, kind, max_attempts, priority, retry_of, retry_after)
    select ${id}, ${orgId}, ${kind}, ${maxAttempts}::integer, ${priority}::smallint, ${retryOf}, ${notBefore}::timestamptz
    from woken
    returning ${jobColumns}`.execute(db)
  const [created] = rows
  if (!created) throw new Error(`job ${id} was not created`)
  return created
}
