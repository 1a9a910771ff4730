import { Type } from 'typebox'
import { signedIn } from '../../access/access.ts'
import { scopes } from '../../access/scopes.ts'
import { defineRoute } from '../../http/route.ts'
import { item, listQuery, nullable, oneOf, page, timestamp } from '../../http/schemas.ts'
import { createToken, listTokens, revokeToken, type TokenRecord } from './service.ts'

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
  },
  { $id: 'ApiToken' },
)

const presentToken = (token: TokenRecord) => ({
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
})

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
      expires_in_days: Type.Integer({ minimum: 1, maximum: 366, default: 90 }),
    }),
    response: Type.Object({ item: tokenRecord, token: Type.String() }),
    async handle({ db }, { caller, body }) {
      const { record, secret } = await createToken(db, caller, {
        name: body.name,
        scopes: body.scopes,
        expiresInDays: body.expires_in_days,
      })
      return { item: presentToken(record), token: secret }
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
    async handle({ db }, { caller, query }) {
      const { rows, nextCursor } = await listTokens(db, caller.userId, query)
      return { items: rows.map(presentToken), next_cursor: nextCursor }
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
    async handle({ db }, { caller, params }) {
      return { item: presentToken(await revokeToken(db, caller, params.token_id)) }
    },
  }),
]
