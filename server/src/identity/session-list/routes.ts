import { Type } from 'typebox'
import { signedIn } from '../../access/access.ts'
import type { Context } from '../../context.ts'
import { defineRoute } from '../../http/route.ts'
import { item, listQuery, oneOf, page, timestamp } from '../../http/schemas.ts'
import { nameProgram, programs } from '../client-ids.ts'
import { describeUserAgent } from '../user-agent.ts'
import { endOtherSessions, endSession, isCurrent, type ListedSession, listSessions } from './service.ts'

const sessionRecord = Type.Object(
  {
    id: Type.String(),
    program: oneOf([...programs, 'browser'], {
      description: 'What is signed in. `browser` is one that has only been at the pages of the account so far.',
    }),
    device: Type.String({
      description: 'Browser and system, as far as the program says what it is.',
      examples: ['Firefox on Windows'],
    }),
    address: Type.String({ description: 'The network address that it was seen at last.' }),
    created_at: timestamp,
    last_seen_at: timestamp,
    current: Type.Boolean({ description: 'Whether this request was made with it.' }),
  },
  { $id: 'Session' },
)

const presentSession = (session: ListedSession, sessionId: string, { config }: Context) => ({
  id: session.id,
  program: session.kind === 'browser' ? ('browser' as const) : nameProgram(session.clientId, config.NMP_OIDC_CLIENT_ID),
  device: describeUserAgent(session.userAgent),
  address: session.address,
  created_at: session.createdAt.toISOString(),
  last_seen_at: session.lastSeenAt.toISOString(),
  current: isCurrent(session, { sessionId }),
})

export const sessionRoutes = [
  defineRoute({
    id: 'listSessions',
    method: 'GET',
    path: '/api/v1/users/me/sessions',
    tag: 'Users and tokens',
    summary: 'List where you are signed in, newest first',
    description:
      'Browsers and programs with a session. Personal access tokens are listed apart. `last_seen_at` is right to a minute.',
    credentials: 'session',
    access: signedIn,
    query: listQuery,
    response: page(sessionRecord),
    async handle(context, { caller, query }) {
      const { rows, nextCursor } = await listSessions(context.db, caller.userId, query)
      return {
        items: rows.map((row) => presentSession(row, caller.sessionId, context)),
        next_cursor: nextCursor,
      }
    },
  }),
  defineRoute({
    id: 'endOtherSessions',
    method: 'DELETE',
    path: '/api/v1/users/me/sessions',
    tag: 'Users and tokens',
    summary: 'End all your other sessions',
    description: 'All but the one that asks are refused from their next request on. Personal access tokens stay.',
    credentials: 'session',
    access: signedIn,
    response: item(Type.Object({ ended: Type.Integer({ minimum: 0 }) })),
    async handle({ db }, { caller }) {
      return { item: { ended: await endOtherSessions(db, caller, caller) } }
    },
  }),
  defineRoute({
    id: 'endSession',
    method: 'DELETE',
    path: '/api/v1/users/me/sessions/{session_id}',
    tag: 'Users and tokens',
    summary: 'End one of your sessions',
    description: 'It is refused from its next request on, with its refresh token; a browser has to sign in again.',
    credentials: 'session',
    access: signedIn,
    params: Type.Object({ session_id: Type.String() }),
    response: item(sessionRecord),
    errors: ['not_found'],
    async handle(context, { caller, params }) {
      const session = await endSession(context.db, caller, params.session_id)
      return { item: presentSession(session, caller.sessionId, context) }
    },
  }),
]
