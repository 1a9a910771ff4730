import type { Selectable } from 'kysely'
import { type CamelCased, camelCased } from '../db/camel-case.ts'
import type { Database } from '../db/database.ts'
import type { AuditTables } from './tables.ts'

export type AuditEvent = CamelCased<Selectable<AuditTables['audit_events']>>

export const insertAuditEvent = async (db: Database, event: Omit<AuditEvent, 'id' | 'at'>): Promise<void> => {
  await db
    .insertInto('audit_events')
    .values({
      org_id: event.orgId,
      actor_kind: event.actorKind,
      actor_user_id: event.actorUserId,
      token_id: event.tokenId,
      action: event.action,
      resource_kind: event.resourceKind,
      resource_id: event.resourceId,
      detail: JSON.stringify(event.detail),
      request_id: event.requestId,
    })
    .execute()
}

export const listAuditEvents = (
  db: Database,
  orgId: string,
  limit: number,
  beforeId: number | undefined,
): Promise<AuditEvent[]> =>
  db
    .selectFrom('audit_events')
    .selectAll()
    .where('org_id', '=', orgId)
    .$if(beforeId !== undefined, (query) => query.where('id', '<', beforeId ?? 0))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
    .then((rows) => rows.map(camelCased))
