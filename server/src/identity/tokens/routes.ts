import { Type } from 'typebox'
import { signedIn } from '../../access/access.ts'
import { scopes } from '../../access/scopes.ts'
import type { Context } from '../../context.ts'
import { defineRoute } from '../../http/route.ts'
import { item, listQuery, nullable, oneOf, page, timestamp } from '../../http/schemas.ts'
import { nameProgram, programs } from '../client-ids.ts'
import { createToken, listTokens, revokeToken, type TokenRecord } from './service.ts'

const tokenOrigin = Type.Object({
  program: oneOf(programs, {
    description: 'What was signed in when the token was made.',
  }),
  address: Type.String({ description: 'The network address that it was asked for from.' }),
  user_agent: Type.String({ description: 'What the program said it is.' }),
})

const tokenRecord = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    preview: Type.String({ examples: ['nmp_abcd…wxyz'] }),
    prefix: Type.String(),
    suffix: Type.String(),
    scopes: Type.Array(oneOf(scopes)),
    created_at: timestamp,
    last_used_at: nullable(timestamp),
    revoked_at: nullable(timestamp),
    expires_at: timestamp,
    origin: nullable(tokenOrigin),
  },
  { $id: 'ApiToken' },
)

const presentToken = (token: TokenRecord, { config }: Context) => ({
  id: token.id,
  name: token.name,
  preview: `${token.prefix}…${token.suffix}`,
  prefix: token.prefix,
  suffix: token.suffix,
  scopes: token.scopes,
  created_at: token.createdAt.toISOString(),
  last_used_at: token.lastUsedAt?.toISOString() ?? null,
  revoked_at: token.revokedAt?.toISOString() ?? null,
  expires_at: token.expiresAt.toISOString(),
  origin: presentOrigin(token, config.NMP_OIDC_CLIENT_ID),
})

/** Null for tokens made before origins were kept. */
const presentOrigin = ({ clientId, madeAtAddress, madeByAgent }: TokenRecord, consoleId: string) =>
  madeAtAddress === null
    ? null
    : { program: nameProgram(clientId, consoleId), address: madeAtAddress, user_agent: madeByAgent ?? '' }

export const tokenRoutes = [
  defineRoute({
    id: 'createToken',
    method: 'POST',
    path: '/api/v1/users/me/tokens',
    tag: 'Users and tokens',
    summary: 'Create a personal access token',
    description: '`token` in this answer is the secret. It is never shown again, so keep it.',
    credentials: 'session',
    access: signedIn,
    body: Type.Object({
      name: Type.String({ minLength: 1, maxLength: 100 }),
      scopes: Type.Array(oneOf(scopes), { minItems: 1, maxItems: scopes.length, default: ['workspace:read'] }),
      expires_in_days: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 366,
          description: 'Unless said, 90; 30 where a session of the command line asks.',
        }),
      ),
    }),
    response: Type.Object({ item: tokenRecord, token: Type.String() }),
    async handle(context, { caller, body, client }) {
      const { record, secret } = await createToken(context.db, caller, {
        name: body.name,
        scopes: body.scopes,
        expiresInDays: body.expires_in_days,
        from: client,
      })
      return { item: presentToken(record, context), token: secret }
    },
  }),
  defineRoute({
    id: 'listTokens',
    method: 'GET',
    path: '/api/v1/users/me/tokens',
    tag: 'Users and tokens',
    summary: 'List your personal access tokens, newest first',
    description: 'Revoked and expired tokens are included. Secrets are never shown again.',
    credentials: 'session',
    access: signedIn,
    query: listQuery,
    response: page(tokenRecord),
    async handle(context, { caller, query }) {
      const { rows, nextCursor } = await listTokens(context.db, caller.userId, query)
      return { items: rows.map((row) => presentToken(row, context)), next_cursor: nextCursor }
    },
  }),
  defineRoute({
    id: 'revokeToken',
    method: 'DELETE',
    path: '/api/v1/users/me/tokens/{token_id}',
    tag: 'Users and tokens',
    summary: 'Revoke a personal access token',
    description: 'It stops working immediately. Revoking it again returns the same record.',
    credentials: 'session',
    access: signedIn,
    params: Type.Object({ token_id: Type.String() }),
    response: item(tokenRecord),
    errors: ['not_found'],
    async handle(context, { caller, params }) {
      return { item: presentToken(await revokeToken(context.db, caller, params.token_id), context) }
    },
  }),
]
