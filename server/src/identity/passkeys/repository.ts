import { type Selectable, sql } from 'kysely'
import { type CamelCased, camelCased } from '../../db/camel-case.ts'
import type { Database } from '../../db/database.ts'
import type { IdentityTables } from '../tables.ts'

export type Passkey = CamelCased<Selectable<IdentityTables['passkeys']>>

/** Of a person, who is locked against a second one at the same time; false where that credential is known already. */
export const insertPasskey = async (
  db: Database,
  passkey: Omit<Passkey, 'createdAt' | 'lastUsedAt'>,
): Promise<boolean> => {
  const { id, name, counter, transports } = passkey
  const row = await db
    .insertInto('passkeys')
    .values({
      id,
      name,
      counter,
      transports,
      user_id: passkey.userId,
      credential_id: passkey.credentialId,
      public_key: passkey.publicKey,
    })
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export const listPasskeys = (db: Database, userId: string): Promise<Passkey[]> =>
  db
    .selectFrom('passkeys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute()
    .then((rows) => rows.map(camelCased))

export const findPasskey = (db: Database, credentialId: string): Promise<Passkey | undefined> =>
  db.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId).executeTakeFirst().then(camelCased)

/** False where the counter has not gone up meanwhile: of two answers with the same count exactly one gets true. */
export const countPasskeyUse = async (db: Database, id: string, counter: number): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('passkeys')
    .set({ counter, last_used_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where((row) => row.or([row('counter', '<', counter), row.and([row('counter', '=', 0), row.val(counter === 0)])]))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export const deletePasskey = async (db: Database, userId: string, id: string): Promise<string | undefined> => {
  const row = await db
    .deleteFrom('passkeys')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returning('name')
    .executeTakeFirst()
  return row?.name
}

/** True for exactly one of those who answer it. */
export const spendChallenge = async (db: Database, sha256: Buffer, expiresAt: Date): Promise<boolean> => {
  const row = await db
    .insertInto('spent_challenges')
    .values({ challenge_sha256: sha256, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('challenge_sha256').doNothing())
    .returning('expires_at')
    .executeTakeFirst()
  return row !== undefined
}
