import { open, stat } from 'node:fs/promises'
import { ServiceError } from '../../errors.ts'
import type { Claim } from '../../jobs/job.ts'
import { stageBlob, stageFile } from '../../storage/blobs.ts'
import { hashFile } from '../../storage/folder/durable-file.ts'
import type { Blob } from '../../storage/repository.ts'
import { hashBody } from '../../storage/serving/file-body.ts'
import { type ObjectStorage, withoutGuard } from '../../storage/storage.ts'

/** What one attempt has written to object storage and nobody owns yet. */
export interface Staging {
  stageFile(path: string, sha256: string, signal: AbortSignal): Promise<Blob>
  stageBytes(bytes: Uint8Array): Promise<Blob>
  /** Removes what the attempt wrote; for one that did not come to its end. */
  discard(): Promise<void>
}

export function createStaging(storage: ObjectStorage, claim: Claim): Staging {
  const keys: string[] = []
  const remember = (blob: Blob): Blob => {
    keys.push(blob.storeKey)
    return blob
  }
  return {
    async stageFile(path, sha256, signal) {
      const known = { sizeBytes: (await stat(path)).size, sha256 }
      const blob = remember(await stageFile(storage, claim, path, signal, known))
      if (blob.sha256 !== sha256) throw changedError()
      // Where the store took the file itself, the bytes that were hashed are the stored ones; a copy is read again.
      if (!(await isSameFile(path, await storage.locateObject(blob.storeKey)))) await readBack(storage, blob, signal)
      return blob
    },
    stageBytes: async (bytes) => remember(await stageBlob(storage, claim, streamOnce(bytes))),
    async discard() {
      for (const key of keys.splice(0)) await storage.deleteObject(key).catch(() => undefined)
    },
  }
}

async function* streamOnce(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** The first consistency check: what was stored is read again before anybody is told that it is there. */
async function readBack(storage: ObjectStorage, blob: Blob, signal: AbortSignal): Promise<void> {
  const { body } = await withoutGuard(storage).getObject(blob.storeKey, { signal })
  if ((await hashBody(body)) !== blob.sha256) throw changedError()
}

const changedError = (): ServiceError =>
  new ServiceError('not_ready', 'A stored file does not read back as it was written. It will be tried again.')

async function isSameFile(one: string, other: string | undefined): Promise<boolean> {
  if (other === undefined) return false
  const [here, there] = await Promise.all([stat(one, { bigint: true }), stat(other, { bigint: true })])
  return here.dev === there.dev && here.ino === there.ino
}

export async function hashWritten(path: string, signal: AbortSignal): Promise<string> {
  await using file = await open(path)
  return (await hashFile(file, signal)).sha256
}
