import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Database } from '../db/database.ts'
import { ServiceError } from '../errors.ts'
import { storeIdKey } from './keys.ts'
import { findStoreId, hasBlobs, insertStoreId } from './repository.ts'
import type { ObjectStorage } from './storage.ts'

const remedy =
  'Check that the volume is mounted and that NMP_DATA_DIR or NMP_S3_BUCKET and NMP_S3_PREFIX name the right place.'

/**
 * Joins a database and an object store for good, on the first start of the first process; afterwards refuses a store that is not the
 * one. Without it an unmounted volume would look like the loss of every object, and a wrong bucket like a bucket full of waste.
 */
export const ensureStoreId = async (db: Database, storage: ObjectStorage): Promise<void> => {
  // In this order: who joins the two at the same moment writes the row before the object, so an object that is found has its row.
  const found = await readStoreId(storage)
  const expected = await findStoreId(db)
  if (expected !== undefined && expected === found) return
  if (expected === undefined && found !== undefined) {
    throw new ServiceError('not_ready', `The object store belongs to another database. ${remedy}`)
  }
  if (expected !== undefined && (found !== undefined || (await hasBlobs(db)))) throw strangeStore()
  const storeId = await insertStoreId(db, randomBytes(16).toString('hex'))
  await storage.putObject(storeIdKey, Readable.from([Buffer.from(storeId)]), { ifAbsent: true }).catch((error) => {
    if (!(error instanceof ServiceError) || error.code !== 'object_exists') throw error
  })
  await checkStoreId(db, storage)
}

/** Of the store that the database was joined with; undefined before the first start. */
export const findJoinedStoreId = (db: Database): Promise<string | undefined> => findStoreId(db)

/** Throws `not_ready` when the store is not there or not ours. */
export const checkStoreId = async (db: Database, storage: ObjectStorage): Promise<void> => {
  const expected = await findStoreId(db)
  if (expected === undefined || expected !== (await readStoreId(storage))) throw strangeStore()
}

const readStoreId = async (storage: ObjectStorage): Promise<string | undefined> => {
  const head = await storage.findObject(storeIdKey)
  return head && text((await storage.getObject(storeIdKey)).body)
}

const strangeStore = (): ServiceError =>
  new ServiceError('not_ready', `This object store does not belong to this database. ${remedy}`)
