import { createHash } from 'node:crypto'
import type { Context } from '../context.ts'
import { inTransaction, sqlStateOf } from '../db/database.ts'
import { describeError } from '../errors.ts'
import { findBlob, openBlob, publishBlobs, stageBlob } from '../storage/blobs.ts'
import type { Blob, BlobOwner } from '../storage/repository.ts'

export interface KeptPicture {
  bytes: Uint8Array
  etag: string
}

export interface PictureRequest {
  revisionId: string
  orgId: string
  /** Its name among what was made of the revision. */
  path: string
  /** Written to the store as well; others live in memory only, so that nobody can fill the store by asking for every frame. */
  isStored: boolean
  make(): Promise<Uint8Array>
}

const memoryBytes = 48 * 1024 * 1024

/** Pictures made on demand: once for however many ask at a time, then from memory, then from the store. */
export function createKeptPictures({ db, storage, log }: Pick<Context, 'db' | 'storage' | 'log'>) {
  const pictures = new Map<string, KeptPicture>()
  const underWay = new Map<string, Promise<KeptPicture>>()
  const writing = new Set<Promise<void>>()
  let usedBytes = 0

  const remember = (key: string, bytes: Uint8Array): KeptPicture => {
    const etag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"`
    const picture = { bytes, etag }
    usedBytes += bytes.byteLength - (pictures.get(key)?.bytes.byteLength ?? 0)
    pictures.delete(key)
    pictures.set(key, picture)
    for (const [old, { bytes: dropped }] of pictures) {
      if (usedBytes <= memoryBytes) break
      pictures.delete(old)
      usedBytes -= dropped.byteLength
    }
    return picture
  }

  const load = async (request: PictureRequest, owner: BlobOwner): Promise<Uint8Array | undefined> => {
    if (!request.isStored || !(await findBlob(db, owner, request.path))) return undefined
    const { body } = await openBlob(db, storage, owner, request.path)
    return new Uint8Array(Buffer.concat(await body.toArray()))
  }

  const obtain = async (key: string, request: PictureRequest): Promise<KeptPicture> => {
    const owner = mediaOwner(request)
    const stored = await load(request, owner)
    if (stored) return remember(key, stored)
    const bytes = await request.make()
    if (request.isStored) {
      const write = storeDerived({ db, storage }, owner, request.path, [bytes])
        .then(() => {})
        .catch((error) => log.warn({ error: describeError(error), path: request.path }, 'a picture was not kept'))
        .finally(() => writing.delete(write))
      writing.add(write)
    }
    return remember(key, bytes)
  }

  return {
    async get(request: PictureRequest): Promise<KeptPicture> {
      const key = `${request.revisionId} ${request.path}`
      const known = pictures.get(key)
      if (known) {
        pictures.delete(key)
        pictures.set(key, known)
        return known
      }
      const running = underWay.get(key) ?? obtain(key, request).finally(() => underWay.delete(key))
      underWay.set(key, running)
      return running
    },
    async close(): Promise<void> {
      await Promise.all(writing)
    },
  }
}

export const mediaOwner = ({ revisionId, orgId }: { revisionId: string; orgId: string }): BlobOwner => ({
  kind: 'media',
  id: revisionId,
  orgId,
})

const uniqueViolation = '23505'

/** Writes what was made of a revision beside it. Another process may have made the same meanwhile: then that one stays. */
export async function storeDerived(
  { db, storage }: Pick<Context, 'db' | 'storage'>,
  owner: BlobOwner,
  path: string,
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<Blob> {
  const staged = await stageBlob(storage, { id: owner.id, epoch: 0 }, toAsync(body))
  const redundant = await inTransaction(db, (trx) =>
    publishBlobs(trx, owner, [{ logicalPath: path, ...staged }]),
  ).catch((error) => {
    if (sqlStateOf(error) === uniqueViolation) return { redundantKeys: [staged.storeKey] }
    throw error
  })
  for (const key of redundant.redundantKeys) await storage.deleteObject(key)
  return (await findBlob(db, owner, path)) ?? staged
}

async function* toAsync(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* body
}
