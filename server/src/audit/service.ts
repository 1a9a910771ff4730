import type { Caller } from '../access/principal.ts'
import { cursorsOf } from '../cursor.ts'
import type { Database } from '../db/database.ts'
import * as repository from './repository.ts'

export type AuditEvent = repository.AuditEvent

export interface AuditEntry {
  /** `noun.verb`, as in `token.revoke`. */
  action: string
  resource: { kind: string; id: string }
  /** The organization whose admins may read it; none for what belongs to a person alone. */
  orgId?: string
  detail?: Record<string, unknown>
}

/** Who acted: a person by a request, the operator at the command line, or the program by itself. */
export type Actor = Caller | 'operator' | 'program'

/** Called inside the transaction of the write it records, so that neither is ever there without the other. */
export const recordAudit = (db: Database, actor: Actor, entry: AuditEntry): Promise<void> => {
  const caller = typeof actor === 'string' ? undefined : actor
  return repository.insertAuditEvent(db, {
    actorKind: typeof actor === 'string' ? actor : actor.kind,
    actorUserId: caller?.userId ?? null,
    tokenId: caller?.kind === 'token' ? caller.tokenId : null,
    action: entry.action,
    resourceKind: entry.resource.kind,
    resourceId: entry.resource.id,
    orgId: entry.orgId ?? null,
    detail: entry.detail ?? {},
    requestId: caller?.requestId ?? null,
  })
}

export async function listAuditEvents(db: Database, orgId: string, limit: number, cursor: string | undefined) {
  const cursors = cursorsOf('audit events', orgId)
  const place = cursors.decode(cursor)
  if (place !== undefined && !/^\d{1,15}$/.test(place)) throw cursors.refusal(cursor)
  const rows = await repository.listAuditEvents(db, orgId, limit + 1, place === undefined ? undefined : Number(place))
  return cursors.cut(rows, limit, (event) => String(event.id))
}
