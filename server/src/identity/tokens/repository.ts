import { type Selectable, sql } from 'kysely'
import { type CamelCased, camelCased } from '../../db/camel-case.ts'
import type { Database } from '../../db/database.ts'
import type { IdentityTables } from '../tables.ts'

export type TokenRecord = CamelCased<Omit<Selectable<IdentityTables['access_tokens']>, 'secret_sha256'>>

type TokenOrigin = 'clientId' | 'madeAtAddress' | 'madeByAgent' | 'secondProof'

const columns = [
  'id',
  'user_id',
  'name',
  'prefix',
  'suffix',
  'scopes',
  'created_at',
  'expires_at',
  'last_used_at',
  'revoked_at',
  'client_id',
  'made_at_address',
  'made_by_agent',
  'second_proof',
] as const

export const insertToken = (
  db: Database,
  token: Pick<TokenRecord, 'id' | 'userId' | 'name' | 'prefix' | 'suffix' | 'scopes' | TokenOrigin> & {
    secretSha256: Buffer
    expiresInDays: number
  },
): Promise<TokenRecord> => {
  const { userId, secretSha256, expiresInDays, clientId, madeAtAddress, madeByAgent, secondProof, ...same } = token
  return db
    .insertInto('access_tokens')
    .values({
      ...same,
      user_id: userId,
      secret_sha256: secretSha256,
      client_id: clientId,
      made_at_address: madeAtAddress,
      made_by_agent: madeByAgent,
      second_proof: secondProof,
      expires_at: sql<Date>`now() + ${expiresInDays} * interval '1 day'`,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
    .then(camelCased)
}

export const listTokens = (
  db: Database,
  userId: string,
  limit: number,
  beforeId: string | undefined,
): Promise<TokenRecord[]> =>
  db
    .selectFrom('access_tokens')
    .select(columns)
    .where('user_id', '=', userId)
    .$if(beforeId !== undefined, (query) => query.where('id', '<', beforeId ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
    .then((rows) => rows.map(camelCased))

/** Revokes once: a second call finds the record as the first left it. `userId` is left out by the operator. */
export const revokeToken = async (db: Database, id: string, userId?: string): Promise<TokenRecord | undefined> =>
  db
    .updateTable('access_tokens')
    .set({ revoked_at: sql<Date>`coalesce(revoked_at, now())` })
    .where('id', '=', id)
    .$if(userId !== undefined, (query) => query.where('user_id', '=', userId ?? ''))
    .returning(columns)
    .executeTakeFirst()
    .then(camelCased)

export const revokeTokensOf = async (db: Database, userId: string): Promise<void> => {
  await db
    .updateTable('access_tokens')
    .set({ revoked_at: sql<Date>`now()` })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .execute()
}

export const findLiveToken = (
  db: Database,
  digest: Buffer,
): Promise<
  | (Pick<TokenRecord, 'id' | 'scopes' | 'lastUsedAt' | 'userId'> & { email: string; hasSecondProof: boolean })
  | undefined
> =>
  db
    .selectFrom('access_tokens as token')
    .innerJoin('users as owner', 'owner.id', 'token.user_id')
    .select(['token.id', 'token.scopes', 'token.last_used_at as lastUsedAt', 'owner.id as userId', 'owner.email'])
    .select('token.second_proof as hasSecondProof')
    .where('token.secret_sha256', '=', digest)
    .where('token.revoked_at', 'is', null)
    .where('token.expires_at', '>', sql<Date>`now()`)
    .where('owner.deletion_requested_at', 'is', null)
    .executeTakeFirst()

/** The condition stands in the statement, so that a hundred requests at once still write once. */
export const touchToken = async (db: Database, id: string): Promise<void> => {
  await db
    .updateTable('access_tokens')
    .set({ last_used_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where((row) =>
      row.or([row('last_used_at', 'is', null), row('last_used_at', '<', sql<Date>`now() - interval '1 minute'`)]),
    )
    .execute()
}
