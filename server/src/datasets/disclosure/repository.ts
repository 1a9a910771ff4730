import { sql } from 'kysely'
import type { Transaction } from '../../db/database.ts'

/** The revision that the dataset shows, or this one. */
export const discloseRevision = async (trx: Transaction, datasetId: string, revisionId?: string): Promise<void> => {
  await sql`
    update dataset_revisions revision set is_public = true from datasets dataset
    where dataset.id = ${datasetId} and revision.dataset_id = dataset.id
      and revision.id = coalesce(${revisionId ?? null}, dataset.current_revision_id)`.execute(trx)
}

export const discloseAll = async (trx: Transaction, datasetId: string): Promise<void> => {
  await sql`update dataset_revisions set is_public = true where dataset_id = ${datasetId}`.execute(trx)
  await sql`update dataset_readmes set is_public = true where dataset_id = ${datasetId}`.execute(trx)
}

export const closeAll = async (trx: Transaction, datasetId: string): Promise<void> => {
  await sql`update dataset_revisions set is_public = false where dataset_id = ${datasetId} and is_public`.execute(trx)
  await sql`update dataset_readmes set is_public = false where dataset_id = ${datasetId} and is_public`.execute(trx)
}
