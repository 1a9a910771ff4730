import { json } from 'node:stream/consumers'
import { createLimiter } from '@nmp/formats/limiter'
import type { Context } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { findBlob } from '../../storage/blobs.ts'
import type { BlobOwner } from '../../storage/repository.ts'
import { locateFiles, type RevisionPlace } from '../revision-content.ts'
import { decodeEpisodes, episodesFile, manifestFile } from './format.ts'
import type { ReadModelManifest } from './manifest.ts'
import { ReadModel } from './model.ts'

/** Which read model: content by its digest, so revisions with the same one share it. */
export interface ReadModelPlace extends RevisionPlace {
  readModelDigest: string
}

type Source = Pick<Context, 'db' | 'storage'>

const maxLoads = 2
const caches = new WeakMap<object, ReadModelCache>()

/** From memory, or loaded once however many ask at the same time. */
export const getReadModel = (context: Context, revision: ReadModelPlace): Promise<ReadModel> => {
  let cache = caches.get(context.storage)
  if (!cache) {
    cache = new ReadModelCache(context.config.NMP_READ_MODEL_CACHE_BYTES)
    caches.set(context.storage, cache)
  }
  const { readModelDigest: digest, content } = revision
  // What another model is derived from is loaded on the way: it must not wait for a place that the derivation holds.
  if (content?.deriveModel) return cache.derive(digest, () => content.deriveModel?.(context) as Promise<ReadModel>)
  return cache.get(digest, () => loadReadModel(context, revision))
}

/** Least recently used out first; never more than `maxBytes` held, whatever is asked for. */
export class ReadModelCache {
  readonly #maxBytes: number
  readonly #held = new Map<string, ReadModel>()
  readonly #loading = new Map<string, Promise<ReadModel>>()
  /** What is being loaded is not in the bound yet, so there are never more than two. */
  readonly #loads = createLimiter(maxLoads)
  #heldBytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get heldBytes(): number {
    return this.#heldBytes
  }

  get(digest: string, load: () => Promise<ReadModel>): Promise<ReadModel> {
    return this.#obtain(digest, () => this.#loads.run(load))
  }

  /** The same for what is made from others that `get` answers. */
  derive(digest: string, make: () => Promise<ReadModel>): Promise<ReadModel> {
    return this.#obtain(digest, make)
  }

  #obtain(digest: string, load: () => Promise<ReadModel>): Promise<ReadModel> {
    const held = this.#held.get(digest)
    if (held) {
      this.#held.delete(digest)
      this.#held.set(digest, held)
      return Promise.resolve(held)
    }
    const loading = this.#loading.get(digest)
    if (loading) return loading
    const started = load()
      .then((model) => this.#keep(digest, model))
      .finally(() => this.#loading.delete(digest))
    this.#loading.set(digest, started)
    return started
  }

  /** A model larger than the whole cache is answered from and not kept. */
  #keep(digest: string, model: ReadModel): ReadModel {
    if (model.sizeBytes > this.#maxBytes) return model
    this.#held.set(digest, model)
    this.#heldBytes += model.sizeBytes
    for (const [oldest, { sizeBytes }] of this.#held) {
      if (this.#heldBytes <= this.#maxBytes) break
      this.#held.delete(oldest)
      this.#heldBytes -= sizeBytes
    }
    return model
  }
}

async function loadReadModel(context: Source, revision: ReadModelPlace): Promise<ReadModel> {
  const [manifestBytes, episodeBytes] = await Promise.all([
    readWhole(context, revision, manifestFile),
    readWhole(context, revision, episodesFile),
  ])
  const manifest = JSON.parse(Buffer.from(manifestBytes).toString()) as ReadModelManifest
  const columns = decodeEpisodes(episodeBytes, manifest.video_files.length)
  return new ReadModel(manifest, columns, episodeBytes.byteLength + manifestBytes.byteLength)
}

/** Of a stored read model, without its episodes; undefined where there is none. */
export async function findManifest({ db, storage }: Source, owner: BlobOwner): Promise<ReadModelManifest | undefined> {
  const blob = await findBlob(db, owner, `read-model/${manifestFile}`)
  if (!blob) return undefined
  const { body } = await storage.getObject(blob.storeKey)
  return (await json(body)) as ReadModelManifest
}

/** Into one buffer of the known size: columns are views on it. */
async function readWhole({ db, storage }: Source, revision: ReadModelPlace, file: string): Promise<ArrayBuffer> {
  const { owner } = locateFiles(revision)
  const blob = await findBlob(db, owner, `read-model/${file}`)
  if (!blob) throw damaged(file, 'is not referenced')
  const { body } = await storage.getObject(blob.storeKey)
  const bytes = new Uint8Array(blob.sizeBytes)
  let at = 0
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    if (at + chunk.byteLength > bytes.byteLength) throw damaged(file, 'has another size than when it was published')
    bytes.set(chunk, at)
    at += chunk.byteLength
  }
  if (at !== bytes.byteLength) throw damaged(file, 'has another size than when it was published')
  return bytes.buffer
}

const damaged = (file: string, why: string): ServiceError =>
  new ServiceError('internal_error', `The dataset's read model cannot be used: ${file} ${why}.`)
