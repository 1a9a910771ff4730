import { createHash } from 'node:crypto'
import type { Context } from '../context.ts'
import type { PicturesPlace, RevisionPlace } from '../datasets/revision-content.ts'
import { inTransaction, sqlStateOf, type Transaction } from '../db/database.ts'
import { describeError, notFound } from '../errors.ts'
import { findBlob, findSoundBlob, openBlob, type PublishedEntry, publishBlobs, stageBlob } from '../storage/blobs.ts'
import type { Blob } from '../storage/repository.ts'
import { holdRevision } from './repository.ts'

export interface KeptPicture {
  bytes: Uint8Array
  etag: string
}

export interface PictureRequest {
  place: PicturesPlace
  /** Its name among what was made of the revision. */
  path: string
  /** Written to the store as well; others live in memory only, so that nobody can fill the store by asking for every frame. */
  isStored: boolean
  make(): Promise<Uint8Array>
}

const memoryBytes = 48 * 1024 * 1024
const writeDelayMilliseconds = 200
const writtenTogether = 64
/** More than the disk keeps up with are made again when they are asked for again. */
const maxUnwritten = 512

interface Unwritten {
  place: PicturesPlace
  path: string
  bytes: Uint8Array
}

/** Pictures made on demand: once for however many ask at a time, then from memory, then from the store. */
export function createKeptPictures({ db, storage, log }: Pick<Context, 'db' | 'storage' | 'log'>) {
  const pictures = new Map<string, KeptPicture>()
  const underWay = new Map<string, Promise<KeptPicture>>()
  const unwritten: Unwritten[] = []
  let writing: Promise<void> | undefined
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

  const load = async ({ place, path, isStored }: PictureRequest): Promise<Uint8Array | undefined> => {
    if (!isStored || !(await findSoundBlob(db, place.owner, place.prefix + path))) return undefined
    const { body } = await openBlob(db, storage, place.owner, place.prefix + path)
    return new Uint8Array(Buffer.concat(await body.toArray()))
  }

  const obtain = async (key: string, request: PictureRequest): Promise<KeptPicture> => {
    const { place, path } = request
    const stored = await load(request)
    if (stored) return remember(key, stored)
    const bytes = await request.make()
    if (request.isStored && unwritten.length < maxUnwritten) unwritten.push({ place, path, bytes })
    writing ??= writeAll().finally(() => {
      writing = undefined
    })
    return remember(key, bytes)
  }

  /** Behind the answers, and many in one transaction: whoever waits for a picture does not wait for the disk. */
  const writeAll = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, writeDelayMilliseconds).unref())
    while (unwritten.length > 0) {
      const batch = unwritten.splice(0, writtenTogether)
      for (const [id, pictures] of Map.groupBy(batch, ({ place }) => place.owner.id))
        await storePictures({ db, storage }, pictures).catch((error) =>
          log.warn({ error: describeError(error), revision: id }, 'pictures were not kept'),
        )
    }
  }

  return {
    async get(request: PictureRequest): Promise<KeptPicture> {
      const key = `${request.place.owner.id} ${request.place.prefix}${request.path}`
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
      await writing
    },
  }
}

/** Where what is made of a revision is kept: of a dataset's, under the revision itself. */
export const locatePictures = ({ id, orgId, content }: RevisionPlace): PicturesPlace =>
  content?.pictures ?? {
    owner: { kind: 'media', id, orgId },
    prefix: '',
    hold: (trx) => holdRevision(trx, id),
  }

const uniqueViolation = '23505'

/** Of one revision. Where another process was faster with one of them, each is tried alone. */
async function storePictures(context: Pick<Context, 'db' | 'storage'>, pictures: readonly Unwritten[]): Promise<void> {
  const { db, storage } = context
  const [first] = pictures
  if (!first) return
  const { place } = first
  if (pictures.length === 1) return void (await storeDerived(context, place, first.path, [first.bytes]))
  const entries: PublishedEntry[] = []
  for (const picture of pictures) {
    const staged = await stageBlob(storage, { id: place.owner.id, epoch: 0 }, toAsync([picture.bytes]))
    entries.push({ logicalPath: picture.place.prefix + picture.path, ...staged })
  }
  try {
    const { redundantKeys } = await inTransaction(db, (trx) => publishDerived(trx, place, entries))
    for (const key of redundantKeys) await storage.deleteObject(key)
  } catch (error) {
    // After any other failure the rows may be there: then the objects are needed, and otherwise they are collected.
    if (sqlStateOf(error) !== uniqueViolation) throw error
    for (const { storeKey } of entries) if (storeKey) await storage.deleteObject(storeKey)
    for (const picture of pictures) await storeDerived(context, picture.place, picture.path, [picture.bytes])
  }
}

/** Nothing is put beside a revision that is gone: nobody would take it away again. */
async function publishDerived(trx: Transaction, place: PicturesPlace, entries: readonly PublishedEntry[]) {
  if (!(await place.hold(trx))) throw notFound()
  return publishBlobs(trx, place.owner, entries)
}

/** Writes what was made of a revision beside it. Another process may have made the same meanwhile: then that one stays. */
export async function storeDerived(
  { db, storage }: Pick<Context, 'db' | 'storage'>,
  place: PicturesPlace,
  path: string,
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<Blob> {
  const logicalPath = place.prefix + path
  const staged = await stageBlob(storage, { id: place.owner.id, epoch: 0 }, toAsync(body))
  const redundant = await inTransaction(db, (trx) => publishDerived(trx, place, [{ logicalPath, ...staged }])).catch(
    (error) => {
      if (sqlStateOf(error) === uniqueViolation) return { redundantKeys: [staged.storeKey] }
      throw error
    },
  )
  for (const key of redundant.redundantKeys) await storage.deleteObject(key)
  return (await findBlob(db, place.owner, logicalPath)) ?? staged
}

async function* toAsync(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* body
}
