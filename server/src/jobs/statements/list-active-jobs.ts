import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'

/** Which of these jobs are queued or running, and so may still publish what they wrote. */
export const listActiveJobs = async (db: Database, ids: readonly string[]): Promise<Set<string>> => {
  const { rows } = await sql<{ id: string }>`
    select id from jobs where id = any(${ids}::text[]) and state in ('queued', 'running')`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
