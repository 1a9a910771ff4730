import { sql } from 'kysely'
import { type Database, inTransaction, type Transaction } from './database.ts'

// What every process of one database shares and nobody configures.

// Any constant of our own: it names this lock among the advisory locks of the database.
const startLock = 7_236_402

/** Until the transaction ends, other processes that start wait here. */
export async function waitForOtherStarts(trx: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(${startLock}::bigint)`.execute(trx)
}

/** The stored value of a name that all processes share, or undefined. */
export async function findSetting(db: Database, name: string): Promise<unknown> {
  const row = await db.selectFrom('program_settings').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value
}

/** The value that stands: the one given, or the one another process stored first. */
export async function storeSettingOnce(db: Database, name: string, value: unknown): Promise<unknown> {
  await db
    .insertInto('program_settings')
    .values({ name, value: JSON.stringify(value) })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  return findSetting(db, name)
}

export async function storeSetting(db: Database, name: string, value: unknown): Promise<void> {
  await db
    .insertInto('program_settings')
    .values({ name, value: JSON.stringify(value) })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: JSON.stringify(value) }))
    .execute()
}

export async function deleteSetting(db: Database, name: string): Promise<void> {
  await db.deleteFrom('program_settings').where('name', '=', name).execute()
}

/** Replaces a stored value by what `change` makes of it; two changes at once happen one after the other. */
export const changeSetting = (
  db: Database,
  name: string,
  change: (value: unknown) => Promise<unknown>,
): Promise<void> =>
  inTransaction(db, async (trx) => {
    const row = await trx
      .selectFrom('program_settings')
      .select('value')
      .where('name', '=', name)
      .forUpdate()
      .executeTakeFirstOrThrow()
    await storeSetting(trx, name, await change(row.value))
  })

const publicUrlName = 'public_url'

/** The address the running server is reached at, so that operator commands beside it sign sessions it accepts. */
export const recordPublicUrl = (db: Database, publicUrl: string): Promise<void> =>
  storeSetting(db, publicUrlName, publicUrl)

export async function findPublicUrl(db: Database): Promise<string | undefined> {
  const stored = await findSetting(db, publicUrlName)
  return typeof stored === 'string' ? stored : undefined
}
