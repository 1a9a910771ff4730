import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'

export const findTotpSecret = async (db: Database, userId: string): Promise<string | undefined> => {
  const row = await db
    .selectFrom('totp_secrets')
    .select('secret_sealed')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.secret_sealed
}

export const listTotpSecrets = (db: Database): Promise<{ userId: string; sealed: string }[]> =>
  db.selectFrom('totp_secrets').select(['user_id as userId', 'secret_sealed as sealed']).forUpdate().execute()

export const putTotpSecret = async (
  db: Database,
  { userId, sealed, lastStep }: { userId: string; sealed: string; lastStep: number },
): Promise<void> => {
  await db
    .insertInto('totp_secrets')
    .values({ user_id: userId, secret_sealed: sealed, last_step: lastStep })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ secret_sealed: sealed, last_step: lastStep }))
    .execute()
}

export const resealTotpSecret = async (db: Database, userId: string, sealed: string): Promise<void> => {
  await db.updateTable('totp_secrets').set({ secret_sealed: sealed }).where('user_id', '=', userId).execute()
}

/** False where this code, or a later one, was used before: of two at once exactly one gets true. */
export const takeTotpStep = async (db: Database, userId: string, step: number): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('totp_secrets')
    .set({ last_step: step })
    .where('user_id', '=', userId)
    .where('last_step', '<', step)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export interface Proofs {
  hasApp: boolean
  passkeyCount: number
}

/** What a person can prove themselves by beside the password. */
export const findProofs = async (db: Database, userId: string): Promise<Proofs> => {
  const { rows } = await sql<Proofs>`select
    exists (select from totp_secrets where user_id = ${userId}) as "hasApp",
    (select count(*)::integer from passkeys where user_id = ${userId}) as "passkeyCount"`.execute(db)
  return rows[0] ?? { hasApp: false, passkeyCount: 0 }
}

/** Held until the transaction ends: proofs of a person are added and removed one at a time. */
export const lockProofs = async (db: Database, userId: string): Promise<void> => {
  await sql`select from users where id = ${userId} for update`.execute(db)
}

export const deleteTotpSecret = async (db: Database, userId: string): Promise<boolean> => {
  const { numDeletedRows } = await db.deleteFrom('totp_secrets').where('user_id', '=', userId).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Recovery codes stand in for another proof: without any they open nothing, and go. */
export const deleteIdleRecoveryCodes = async (db: Database, userId: string): Promise<void> => {
  await sql`
    delete from recovery_codes where user_id = ${userId}
      and not exists (select from totp_secrets where user_id = ${userId})
      and not exists (select from passkeys where user_id = ${userId})`.execute(db)
}

export const deleteSecondStep = async (db: Database, userId: string): Promise<void> => {
  await db.deleteFrom('totp_secrets').where('user_id', '=', userId).execute()
  await db.deleteFrom('passkeys').where('user_id', '=', userId).execute()
  await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
}

export const deleteAllTotpSecrets = async (db: Database): Promise<void> => {
  await sql`delete from totp_secrets`.execute(db)
}

export const replaceRecoveryCodes = async (db: Database, userId: string, hashes: readonly Buffer[]): Promise<void> => {
  await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  await db
    .insertInto('recovery_codes')
    .values(hashes.map((hash) => ({ user_id: userId, code_sha256: hash })))
    .execute()
}

export const takeRecoveryCode = async (db: Database, userId: string, hash: Buffer): Promise<boolean> => {
  const { numDeletedRows } = await db
    .deleteFrom('recovery_codes')
    .where('user_id', '=', userId)
    .where('code_sha256', '=', hash)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export const countRecoveryCodes = async (db: Database, userId: string): Promise<number> => {
  const row = await db
    .selectFrom('recovery_codes')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return row.count
}
