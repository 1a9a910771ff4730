import { type Database, inTransaction } from '../../db/database.ts'
import { parseRunKey, runsPrefix } from '../keys.ts'
import {
  type Blob,
  deleteBlobRow,
  deleteOldDamage,
  markUnneeded,
  selectDeletingBlobs,
  selectKnownKeys,
} from '../repository.ts'
import type { ObjectHead, ObjectStorage } from '../storage.ts'
import { checkStoreId } from '../store-id.ts'

const daySeconds = 24 * 3600
/** Longer than any signed link lives. */
const damageDays = 30

interface CollectOptions {
  /** How long content that nobody needs is kept. */
  graceSeconds?: number
  signal?: AbortSignal
}

interface Collected {
  examined: number
  deleted: number
}

/**
 * Removes content that nobody needs: mark (in a transaction that sees no reference), delete the object, drop the row. A kill between
 * any two steps is finished by the next collection; a publisher in between brings the content back under a key of its own.
 */
export const collectBlobs = async (
  db: Database,
  storage: ObjectStorage,
  { graceSeconds = daySeconds, signal }: CollectOptions = {},
): Promise<Collected> => {
  await checkStoreId(db, storage)
  let examined = 0
  for (let after: string | undefined = ''; after !== undefined; ) {
    signal?.throwIfAborted()
    const from: string = after
    const window = await inTransaction(db, (trx) => markUnneeded(trx, from, 2_000, graceSeconds))
    examined += window.examined
    after = window.lastSha256
  }
  let deleted = 0
  for (let batch = await selectDeletingBlobs(db, 500); batch.length > 0; batch = await selectDeletingBlobs(db, 500)) {
    for (const blob of batch) {
      signal?.throwIfAborted()
      await deleteBlob(db, storage, blob)
      deleted++
    }
  }
  await deleteOldDamage(db, damageDays)
  return { examined, deleted }
}

const deleteBlob = async (db: Database, storage: ObjectStorage, blob: Blob): Promise<void> => {
  await storage.deleteObject(blob.storeKey)
  await deleteBlobRow(db, blob)
}

interface CollectRunsOptions extends CollectOptions {
  /** Which of these jobs may still publish: those that are queued or running. */
  listActiveJobs(jobIds: readonly string[]): Promise<ReadonlySet<string>>
}

/**
 * Removes what attempts wrote and nobody published: the leavings of killed workers and copies of known content. The jobs are asked
 * before the rows: a job that was over then has published before or never will.
 */
export const collectRuns = async (
  db: Database,
  storage: ObjectStorage,
  { listActiveJobs, graceSeconds = daySeconds, signal }: CollectRunsOptions,
): Promise<Collected> => {
  await checkStoreId(db, storage)
  const olderThan = Date.now() - graceSeconds * 1000
  let examined = 0
  let deleted = 0
  for await (const batch of listInBatches(storage, 500)) {
    signal?.throwIfAborted()
    examined += batch.length
    const old = batch.filter((object) => object.lastModified.getTime() <= olderThan)
    for (const key of await listUnclaimedKeys(db, old, listActiveJobs)) {
      await storage.deleteObject(key)
      deleted++
    }
  }
  return { examined, deleted }
}

/** Objects without a row that no job can still publish. */
export const listUnclaimedKeys = async (
  db: Database,
  objects: readonly ObjectHead[],
  listActiveJobs: CollectRunsOptions['listActiveJobs'],
): Promise<string[]> => {
  const runs = new Map<string, string>()
  for (const { key } of objects) {
    const run = parseRunKey(key)
    if (run) runs.set(key, run.jobId)
  }
  const activeJobs = await listActiveJobs([...new Set(runs.values())])
  const knownKeys = await selectKnownKeys(db, [...runs.keys()])
  return [...runs].flatMap(([key, jobId]) => (activeJobs.has(jobId) || knownKeys.has(key) ? [] : [key]))
}

export async function* listInBatches(storage: ObjectStorage, size: number): AsyncGenerator<ObjectHead[]> {
  let batch: ObjectHead[] = []
  for await (const object of storage.listObjects(runsPrefix)) {
    batch.push(object)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
