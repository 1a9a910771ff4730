import type pg from 'pg'
import type { ObjectHead, ObjectStorage } from '../storage/storage.ts'

export interface StoredObject extends ObjectHead {
  /** Of contents that rows name; null for what a job has on its way. */
  sha256: string | null
}

const batchSize = 500

/** Every object of the store with the hash that the database knows of it, a batch at a time. */
export async function* listStoredObjects(pool: pg.Pool, storage: ObjectStorage): AsyncGenerator<StoredObject[]> {
  let batch: ObjectHead[] = []
  for await (const head of storage.listObjects('')) {
    batch.push(head)
    if (batch.length < batchSize) continue
    yield await addHashes(pool, batch)
    batch = []
  }
  if (batch.length > 0) yield await addHashes(pool, batch)
}

async function addHashes(pool: pg.Pool, heads: readonly ObjectHead[]): Promise<StoredObject[]> {
  const { rows } = await pool.query<{ key: string; sha256: string }>(
    'select store_key as key, sha256 from blobs where store_key = any($1::text[])',
    [heads.map(({ key }) => key)],
  )
  const known = new Map(rows.map(({ key, sha256 }) => [key, sha256]))
  return heads.map((head) => ({ ...head, sha256: known.get(head.key) ?? null }))
}
