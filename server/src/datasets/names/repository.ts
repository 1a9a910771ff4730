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
