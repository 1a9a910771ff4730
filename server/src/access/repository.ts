import { sql } from 'kysely'
import type { Database } from '../db/database.ts'

export const isEmailProven = async (db: Database, userId: string): Promise<boolean> => {
  const user = await db.selectFrom('users').select('email_proven_at').where('id', '=', userId).executeTakeFirst()
  return user?.email_proven_at != null
}

export const markEmailProven = async (db: Database, userId: string): Promise<void> => {
  await db
    .updateTable('users')
    .set({ email_proven_at: sql<Date>`coalesce(email_proven_at, now())` })
    .where('id', '=', userId)
    .execute()
}
