import { sql } from 'kysely'
import type { Database } from '../db/database.ts'

export interface ChangedJob {
  id: string
  kind: string
  orgId: string
}

/** Jobs that are under way, and those that ended, or were checked, since a moment. */
export const listChangedJobs = async (
  db: Database,
  orgIds: readonly string[],
  kinds: readonly string[],
  since: Date,
  limit: number,
): Promise<ChangedJob[]> => {
  const { rows } = await sql<ChangedJob>`
    select id, kind, org_id as "orgId" from jobs
    where org_id = any(${orgIds}::text[]) and kind = any(${kinds}::text[]) and finished_at is null and updated_at > ${since}
    union all
    select id, kind, org_id from jobs
    where org_id = any(${orgIds}::text[]) and kind = any(${kinds}::text[]) and finished_at is not null
      and greatest(finished_at, consistency_checked_at) > ${since}
    order by id limit ${limit}`.execute(db)
  return rows
}

export const readDatabaseClock = async (db: Database): Promise<Date> => {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  return rows[0]?.now ?? new Date()
}

export const findExportOfShard = async (db: Database, shardId: string): Promise<string | undefined> => {
  const { rows } = await sql<{ exportId: string }>`
    select export_id as "exportId" from export_shards where id = ${shardId}`.execute(db)
  return rows[0]?.exportId
}
