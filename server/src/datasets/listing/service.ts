import type { Transaction } from '../../db/database.ts'
import * as repository from './repository.ts'

export type EntryContent = repository.EntryContent

/** For whoever changes a dataset, in that transaction: what the catalog may show of it. */
export const refreshCatalogEntry = (trx: Transaction, datasetId: string): Promise<void> =>
  repository.refreshEntry(trx, datasetId)

/** The same of a version; undefined where the catalog shows nothing of it. */
export const putVersionEntry = (
  trx: Transaction,
  versionId: string,
  content: EntryContent | undefined,
): Promise<void> => repository.putVersionEntry(trx, versionId, content)
