import { sql } from 'kysely'
import type { Database, Transaction } from '../../db/database.ts'

/** Until the transaction ends nobody else takes the name. */
export const lockSlug = async (trx: Transaction, projectId: string, slug: string): Promise<void> => {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`slug ${projectId} ${slug}`}, 0))`.execute(trx)
}

export const hasVersionOf = async (db: Database, projectId: string, slug: string): Promise<boolean> => {
  const query = db.selectFrom('versions').select('id').where('project_id', '=', projectId).where('slug', '=', slug)
  return (await query.limit(1).executeTakeFirst()) !== undefined
}

/** The slug by which something goes that had this one before. Whether anything has it now is not asked here. */
export const findPresent = async (db: Database, projectId: string, slug: string): Promise<string | undefined> => {
  const row = await db
    .selectFrom('former_names')
    .select('present')
    .where('project_id', '=', projectId)
    .where('slug', '=', slug)
    .executeTakeFirst()
  return row?.present
}

/** The name that is given up leads to the new one, and so do those before it; the new one leads nowhere. */
export const passName = async (trx: Transaction, projectId: string, from: string, to: string): Promise<void> => {
  await trx.deleteFrom('former_names').where('project_id', '=', projectId).where('slug', 'in', [from, to]).execute()
  await trx
    .updateTable('former_names')
    .set({ present: to })
    .where('project_id', '=', projectId)
    .where('present', '=', from)
    .execute()
  await trx.insertInto('former_names').values({ project_id: projectId, slug: from, present: to }).execute()
}

/** Of what is gone: its names lead nowhere. */
export const forgetNames = async (trx: Transaction, projectId: string, present: string): Promise<void> => {
  await trx.deleteFrom('former_names').where('project_id', '=', projectId).where('present', '=', present).execute()
}
