import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { queuedChannel } from './create-job.ts'

/** Makes a queued job due that was to wait, when the caller's transaction commits. False when it no longer waits. */
export const wakeJob = async (db: Database, id: string): Promise<boolean> => {
  const { rows } = await sql`
    with woken as (
      update jobs set retry_after = now(), updated_at = now() where id = ${id} and state = 'queued' returning kind
    )
    select pg_notify(${queuedChannel}, kind) from woken`.execute(db)
  return rows.length === 1
}
