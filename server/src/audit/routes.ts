import { Type } from 'typebox'
import { orgAdmin } from '../access/access.ts'
import { defineRoute } from '../http/route.ts'
import { nullable, oneOf, orgParams, page, pageQuery, timestamp } from '../http/schemas.ts'
import { type AuditEvent, listAuditEvents } from './service.ts'

const auditEvent = Type.Object(
  {
    id: Type.Integer(),
    at: timestamp,
    actor_kind: oneOf(['session', 'token', 'operator', 'program']),
    actor_user_id: nullable(Type.String()),
    token_id: nullable(Type.String()),
    action: Type.String({ examples: ['project.create'] }),
    resource_kind: Type.String(),
    resource_id: Type.String(),
    detail: Type.Record(Type.String(), Type.Unknown()),
    request_id: nullable(Type.String()),
  },
  { $id: 'AuditEvent' },
)

const presentEvent = (event: AuditEvent) => ({
  id: event.id,
  at: event.at.toISOString(),
  actor_kind: event.actorKind,
  actor_user_id: event.actorUserId,
  token_id: event.tokenId,
  action: event.action,
  resource_kind: event.resourceKind,
  resource_id: event.resourceId,
  detail: event.detail,
  request_id: event.requestId,
})

export const auditRoutes = [
  defineRoute({
    id: 'listAuditEvents',
    method: 'GET',
    path: '/api/v1/orgs/{org_slug}/audit-events',
    tag: 'Projects',
    summary: 'Who did what in the organization, newest first',
    description: 'The log is append-only. Needs the role admin of the organization.',
    credentials: 'session',
    access: orgAdmin,
    params: orgParams,
    query: pageQuery,
    response: page(auditEvent),
    async handle({ db }, { org, query }) {
      const { rows, nextCursor } = await listAuditEvents(db, org.id, query.limit, query.cursor)
      return {
        items: rows.map(presentEvent),
        next_cursor: nextCursor,
      }
    },
  }),
]
