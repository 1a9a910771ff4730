import { BoundedMap } from '@nmp/formats/bounded-map'
import { type Database, inTransaction, type Transaction } from '../db/database.ts'
import type { SeenDataset } from './seen-dataset.ts'

/**
 * Visitors without a credential all see the same of a public dataset, so its rows are asked for once a second and not once a request:
 * the database is most of what a page costs. A change made by this process is seen at once, one made by another within the second.
 */
const keptMs = 1_000
const maxKept = 10_000

interface Kept {
  until: number
  seen: SeenDataset
}

const keptByDatabase = new WeakMap<Database, BoundedMap<string, Kept>>()

export const findKept = (db: Database, datasetId: string): SeenDataset | undefined => {
  const kept = keptByDatabase.get(db)?.get(datasetId)
  return kept && kept.until > Date.now() ? kept.seen : undefined
}

export const keep = (db: Database, seen: SeenDataset): void => {
  const kept = keptByDatabase.get(db) ?? new BoundedMap<string, Kept>(maxKept)
  keptByDatabase.set(db, kept)
  kept.set(seen.dataset.id, { until: Date.now() + keptMs, seen })
}

/** After the commit of what changed it. */
const forget = (db: Database, datasetId: string): void => void keptByDatabase.get(db)?.delete(datasetId)

/** Changes what visitors see of a dataset: they must not be shown its row of a moment ago. */
export const inDatasetTransaction = async <T>(
  db: Database,
  dataset: { id: string },
  work: (trx: Transaction) => Promise<T>,
): Promise<T> => {
  try {
    return await inTransaction(db, work)
  } finally {
    forget(db, dataset.id)
  }
}
