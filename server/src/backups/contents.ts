import { createHash } from 'node:crypto'
import { ServiceError } from '../errors.ts'
import type { ObjectStorage } from '../storage/storage.ts'
import { type BackupFolder, contentName, isThere, writeSealed } from './folder.ts'
import { type Session, type StoredBlob, selectBlobs } from './repository.ts'

const pageSize = 2_000

export interface CopiedContents {
  /** Names of all that rows name and the folder has, new or not. */
  names: string[]
  addedCount: number
  addedBytes: number
  /** Known to be bad, or found to be: there are no bytes to keep. */
  damaged: string[]
}

/** Brings every content that rows name, and that the folder does not have yet, into it. */
export async function copyContents(
  session: Session,
  storage: ObjectStorage,
  folder: BackupFolder,
  { since, signal }: { since: string; signal?: AbortSignal | undefined },
): Promise<CopiedContents> {
  const copied: CopiedContents = { names: [], addedCount: 0, addedBytes: 0, damaged: [] }
  for (let after = ''; ; ) {
    const page = await selectBlobs(session, since, after, pageSize)
    for (const blob of page) {
      signal?.throwIfAborted()
      await copyContent(storage, folder, blob, copied)
    }
    const last = page.at(-1)
    if (page.length < pageSize || !last) return copied
    after = last.sha256
  }
}

async function copyContent(
  storage: ObjectStorage,
  folder: BackupFolder,
  blob: StoredBlob,
  copied: CopiedContents,
): Promise<void> {
  const name = contentName(folder, blob.sha256)
  try {
    if (!(await isThere(folder, name))) {
      copied.addedBytes += await writeSealed(folder, name, readChecked(storage, blob))
      copied.addedCount += 1
    }
    copied.names.push(folder.key.nameContent(blob.sha256))
  } catch (error) {
    if (!(error instanceof NoContentError)) throw error
    if (blob.state === 'live') copied.damaged.push(blob.sha256)
  }
}

class NoContentError extends Error {}

/** Ends well only when the bytes are the ones of the hash, so nothing else gets a name. */
async function* readChecked(storage: ObjectStorage, { storeKey, sha256 }: StoredBlob): AsyncGenerator<Uint8Array> {
  const opened = await storage.getObject(storeKey).catch((error) => {
    if (error instanceof ServiceError && error.code === 'not_found') throw new NoContentError()
    throw error
  })
  const hash = createHash('sha256')
  for await (const chunk of opened.body) {
    hash.update(chunk)
    yield chunk
  }
  if (hash.digest('hex') !== sha256) throw new NoContentError()
}
