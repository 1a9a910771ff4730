import { Type } from 'typebox'
import { orgAdmin } from '../access/access.ts'
import { defineRoute } from '../http/route.ts'
import { nullable, oneOf, orgParams, page, pageQuery, timestamp } from '../http/schemas.ts'
import { listAuditEvents } from './service.ts'

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
        items: rows.map(({ org_id: _, at, ...event }) => ({ ...event, at: at.toISOString() })),
        next_cursor: nextCursor,
      }
    },
  }),
]
