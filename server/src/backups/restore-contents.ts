import { readdir } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { storeIdKey } from '../storage/keys.ts'
import { openStorage } from '../storage/open-storage.ts'
import type { ObjectStorage, StorageConfig } from '../storage/storage.ts'
import { type BackupFolder, contentName, isThere, readSealed } from './folder.ts'
import { findStoreId, markMissing, type Session, type StoredBlob, selectBlobs, unmarkDamage } from './repository.ts'

const pageSize = 2_000
const shownHashes = 3

export interface RestoredContents {
  count: number
  bytes: number
  /** Were in the store already. */
  kept: number
  /** Are not in the backup: known to be bad when it was taken, or left out on request. */
  missing: number
}

type Asker = Pick<Session, 'query'>

export interface ContentsOptions {
  folder: BackupFolder
  store: StorageConfig
  /** Go on without contents that the backup does not have. */
  isPartial: boolean
}

/** Every content that the rows of the restored database name, under the key that they name, its bytes checked once more. */
export async function restoreContents(session: Asker, options: ContentsOptions): Promise<RestoredContents> {
  const storage = await openStorage(options.store)
  try {
    await joinStore(session, storage)
    const { folder, isPartial } = options
    const lost = await findLost(session, storage, folder)
    if (lost.length > 0 && !isPartial)
      throw new Error(
        `${lost.length} contents that the database names at that time are not in ${folder.root} (${lost.slice(0, shownHashes).join(', ')}${lost.length > shownHashes ? ', …' : ''}). Bring them back from a copy of the folder, choose another time, or say --partial to go without them. Nothing was changed.`,
      )
    const restored: RestoredContents = { count: 0, bytes: 0, kept: 0, missing: 0 }
    for await (const blob of listLive(session)) {
      const outcome = await restoreContent(session, storage, folder, blob)
      restored[outcome] += 1
      if (outcome === 'count') restored.bytes += blob.sizeBytes
    }
    const storeId = await findStoreId(session)
    if (storeId !== undefined && !(await storage.findObject(storeIdKey)))
      await storage.putObject(storeIdKey, Readable.from([Buffer.from(storeId)]))
    return restored
  } finally {
    await storage.close()
  }
}

/** A store that belongs to another database would be joined by mistake. */
async function joinStore(session: Asker, storage: ObjectStorage): Promise<void> {
  const head = await storage.findObject(storeIdKey)
  if (head && (await text((await storage.getObject(storeIdKey)).body)) !== (await findStoreId(session)))
    throw new Error('The object store belongs to another database. Use an empty one. Nothing was changed.')
}

async function findLost(session: Asker, storage: ObjectStorage, folder: BackupFolder): Promise<string[]> {
  const lost: string[] = []
  for await (const blob of listLive(session)) {
    if (blob.fault || (await isThere(folder, contentName(folder, blob.sha256)))) continue
    if ((await storage.findObject(blob.storeKey))?.sizeBytes !== blob.sizeBytes) lost.push(blob.sha256)
  }
  return lost
}

/** What was known to be bad when the backup was taken may be good in it: it was copied before it went bad. */
async function restoreContent(
  session: Asker,
  storage: ObjectStorage,
  folder: BackupFolder,
  blob: StoredBlob,
): Promise<'count' | 'kept' | 'missing'> {
  const { storeKey, sha256, sizeBytes, fault } = blob
  if (!fault && (await storage.findObject(storeKey))?.sizeBytes === sizeBytes) return 'kept'
  const name = contentName(folder, sha256)
  if (!(await isThere(folder, name))) {
    await markMissing(session, blob)
    return 'missing'
  }
  const written = await storage.putObject(storeKey, readSealed(folder, name), { sizeHintBytes: sizeBytes })
  if (written.sha256 !== sha256) throw new Error(`${folder.root}/${name} is damaged: it is not the content ${sha256}.`)
  if (fault) await unmarkDamage(session, blob)
  return 'count'
}

async function* listLive(session: Asker): AsyncGenerator<StoredBlob> {
  for (let after = ''; ; ) {
    const page = await selectBlobs(session, '-infinity', after, pageSize)
    for (const blob of page) if (blob.state === 'live') yield blob
    const last = page.at(-1)
    if (page.length < pageSize || !last) return
    after = last.sha256
  }
}

export const isEmptyFolder = (path: string): Promise<boolean> =>
  readdir(path).then(
    (names) => names.length === 0,
    () => true,
  )
