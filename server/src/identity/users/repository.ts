import { type Selectable, sql } from 'kysely'
import { type CamelCased, camelCased } from '../../db/camel-case.ts'
import type { Database, Transaction } from '../../db/database.ts'
import type { IdentityTables } from '../tables.ts'

export type User = CamelCased<Selectable<IdentityTables['users']>>

export const insertUser = (
  db: Database,
  { id, email, displayName }: Pick<User, 'id' | 'email' | 'displayName'>,
): Promise<User | undefined> =>
  db
    .insertInto('users')
    .values({ id, email, display_name: displayName, email_proven_at: sql<Date>`now()` })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returningAll()
    .executeTakeFirst()
    .then(camelCased)

export const findUserByEmail = (db: Database, email: string): Promise<User | undefined> =>
  db.selectFrom('users').selectAll().where('email', '=', email.toLowerCase()).executeTakeFirst().then(camelCased)

/** Held until the transaction ends: one at a time makes an account of this e-mail. */
export const lockEmail = async (trx: Transaction, email: string): Promise<void> => {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`user:${email.toLowerCase()}`}, 0))`.execute(trx)
}

export const getUser = (db: Database, id: string): Promise<User> =>
  db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow().then(camelCased)

export const hasUsers = async (db: Database): Promise<boolean> =>
  (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined

export const updateUser = async (
  db: Database,
  id: string,
  change: Partial<Pick<User, 'displayName' | 'title' | 'timezone' | 'defaultProjectId' | 'notificationPreferences'>>,
): Promise<void> => {
  const { displayName, title, timezone, defaultProjectId, notificationPreferences: preferences } = change
  await db
    .updateTable('users')
    .set({
      ...(displayName === undefined ? {} : { display_name: displayName }),
      ...(title === undefined ? {} : { title }),
      ...(timezone === undefined ? {} : { timezone }),
      ...(defaultProjectId === undefined ? {} : { default_project_id: defaultProjectId }),
      ...(preferences === undefined ? {} : { notification_preferences: JSON.stringify(preferences) }),
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .execute()
}

export const findUserByIdentity = (
  db: Database,
  issuer: string,
  subject: string,
): Promise<Pick<User, 'id' | 'email' | 'deletionRequestedAt'> | undefined> =>
  db
    .selectFrom('identities')
    .innerJoin('users', 'users.id', 'identities.user_id')
    .select(['users.id', 'users.email', 'users.deletion_requested_at as deletionRequestedAt'])
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

/** Sessions begun before this moment end with it, and those of its second, which tokens do not divide. */
export const requestUserDeletion = (db: Database, id: string): Promise<User> =>
  db
    .updateTable('users')
    .set({
      deletion_requested_at: sql<Date>`now()`,
      sessions_valid_after: sql<Date>`date_trunc('second', now()) + interval '1 second'`,
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
    .then(camelCased)

export const cancelUserDeletion = async (db: Database, id: string): Promise<void> => {
  await db
    .updateTable('users')
    .set({ deletion_requested_at: null, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

export const deleteUsersPastGrace = (db: Database, graceDays: number): Promise<Pick<User, 'id'>[]> =>
  db
    .deleteFrom('users')
    .where('deletion_requested_at', '<', sql<Date>`now() - ${graceDays} * interval '1 day'`)
    .returning('id')
    .execute()
