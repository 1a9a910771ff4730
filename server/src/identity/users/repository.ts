import { type Selectable, sql } from 'kysely'
import type { Database, Transaction } from '../../db/database.ts'
import type { IdentityTables } from '../tables.ts'

export type UserRow = Selectable<IdentityTables['users']>

export const insertUser = (
  db: Database,
  user: Pick<UserRow, 'id' | 'email' | 'display_name'>,
): Promise<UserRow | undefined> =>
  db
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returningAll()
    .executeTakeFirst()

export const findUserByEmail = (db: Database, email: string): Promise<UserRow | undefined> =>
  db.selectFrom('users').selectAll().where('email', '=', email.toLowerCase()).executeTakeFirst()

/** Held until the transaction ends: one at a time makes an account of this e-mail. */
export const lockEmail = async (trx: Transaction, email: string): Promise<void> => {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`user:${email.toLowerCase()}`}, 0))`.execute(trx)
}

export const getUser = (db: Database, id: string): Promise<UserRow> =>
  db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

export const hasUsers = async (db: Database): Promise<boolean> =>
  (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined

export const updateUser = async (
  db: Database,
  id: string,
  change: Partial<Pick<UserRow, 'display_name' | 'title' | 'timezone' | 'default_project_id'>> & {
    notification_preferences?: string
  },
): Promise<void> => {
  await db
    .updateTable('users')
    .set({ ...change, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

export const findUserByIdentity = (db: Database, issuer: string, subject: string) =>
  db
    .selectFrom('identities')
    .innerJoin('users', 'users.id', 'identities.user_id')
    .select(['users.id', 'users.email', 'users.deletion_requested_at'])
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()

export const insertIdentity = async (db: Database, issuer: string, subject: string, userId: string): Promise<void> => {
  await db
    .insertInto('identities')
    .values({ issuer, subject, user_id: userId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Sessions begun before this moment end with it. */
export const requestUserDeletion = (db: Database, id: string): Promise<UserRow> =>
  db
    .updateTable('users')
    .set({
      deletion_requested_at: sql<Date>`now()`,
      sessions_valid_after: sql<Date>`now()`,
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

export const cancelUserDeletion = async (db: Database, id: string): Promise<void> => {
  await db
    .updateTable('users')
    .set({ deletion_requested_at: null, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

export const deleteUsersPastGrace = (db: Database, graceDays: number): Promise<Pick<UserRow, 'id'>[]> =>
  db
    .deleteFrom('users')
    .where('deletion_requested_at', '<', sql<Date>`now() - ${graceDays} * interval '1 day'`)
    .returning('id')
    .execute()
