import { sql } from 'kysely'
import type { Database } from '../db/database.ts'

export interface Queue {
  /** Jobs that could run now, and those that wait for their next try. */
  dueCount: number
  laterCount: number
  runningCount: number
  /** Since when the first of those that could run waits. */
  oldestDueAt: Date | null
}

/** The line of jobs, of all organizations. */
export const findQueue = async (db: Database): Promise<Queue> => {
  const { rows } = await sql<Queue>`
    select count(*) filter (where state = 'queued' and due_at <= now())::integer as "dueCount",
      count(*) filter (where state = 'queued' and due_at > now())::integer as "laterCount",
      count(*) filter (where state = 'running')::integer as "runningCount",
      min(due_at) filter (where state = 'queued' and due_at <= now()) as "oldestDueAt"
    from (
      select state, coalesce(retry_after, created_at) as due_at from jobs where state = 'queued'
      union all select state, null from jobs where state = 'running'
    ) as open_jobs`.execute(db)
  return rows[0] ?? { dueCount: 0, laterCount: 0, runningCount: 0, oldestDueAt: null }
}
