import { Readable } from 'node:stream'
import type pg from 'pg'
import { ServiceError } from '../errors.ts'
import { storeIdKey } from '../storage/keys.ts'
import type { ObjectStorage } from '../storage/storage.ts'
import { requireFittingStore } from './fitting-store.ts'
import { listStoredObjects, type StoredObject } from './stored-objects.ts'

export interface MovedObjects {
  copied: number
  copiedBytes: number
  /** Were there from an earlier try. */
  kept: number
  /** Contents whose bytes are not what the database knows of them: they were not brought. */
  damaged: string[]
}

/** Of large objects each has a buffer of S3's parts. */
const atATime = 4

/** Brings every object that the other store lacks; what is there with its whole size was brought before. */
export async function moveObjects(
  pool: pg.Pool,
  from: ObjectStorage,
  to: ObjectStorage,
  storeId: string,
  tell: (moved: MovedObjects) => void,
): Promise<MovedObjects> {
  const isContinued = await requireFittingStore(storeId, to)
  // First: from here on the store is this database's, and a second try knows it.
  if (!isContinued) await to.putObject(storeIdKey, Readable.from([Buffer.from(storeId)]), { ifAbsent: true })
  const moved: MovedObjects = { copied: 0, copiedBytes: 0, kept: 0, damaged: [] }
  for await (const batch of listStoredObjects(pool, from)) {
    const waiting = batch.filter(({ key }) => key !== storeIdKey)
    const take = async (): Promise<void> => {
      for (let object = waiting.pop(); object; object = waiting.pop()) {
        await moveObject(object, { from, to, isContinued, moved })
        tell(moved)
      }
    }
    await Promise.all(Array.from({ length: atATime }, take))
  }
  return moved
}

interface Move {
  from: ObjectStorage
  to: ObjectStorage
  isContinued: boolean
  moved: MovedObjects
}

async function moveObject({ key, sizeBytes, sha256 }: StoredObject, { from, to, isContinued, moved }: Move) {
  if (isContinued && (await to.findObject(key))?.sizeBytes === sizeBytes) {
    moved.kept += 1
    return
  }
  const opened = await from.getObject(key).catch((error) => {
    // Collected since it was listed: nobody has needed it for a day.
    if (error instanceof ServiceError && error.code === 'not_found') return undefined
    throw error
  })
  if (!opened) return
  const written = await to.putObject(key, opened.body, { sizeHintBytes: sizeBytes })
  if (sha256 !== null && written.sha256 !== sha256) {
    await to.deleteObject(key)
    moved.damaged.push(key)
    return
  }
  moved.copied += 1
  moved.copiedBytes += written.sizeBytes
}
