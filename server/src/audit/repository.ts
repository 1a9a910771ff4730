import type { Insertable, Selectable } from 'kysely'
import type { Database } from '../db/database.ts'
import type { AuditTables } from './tables.ts'

export type AuditRow = Selectable<AuditTables['audit_events']>

export const insertAuditEvent = async (db: Database, event: Insertable<AuditTables['audit_events']>): Promise<void> => {
  await db.insertInto('audit_events').values(event).execute()
}

export const listAuditEvents = (
  db: Database,
  orgId: string,
  limit: number,
  beforeId: number | undefined,
): Promise<AuditRow[]> =>
  db
    .selectFrom('audit_events')
    .selectAll()
    .where('org_id', '=', orgId)
    .$if(beforeId !== undefined, (query) => query.where('id', '<', beforeId ?? 0))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
