import { Readable } from 'node:stream'
import { DataStore, Upload as TusUpload } from '@tus/server'
import type { Caller } from '../access/principal.ts'
import type { Context } from '../context.ts'
import { unauthenticated } from '../errors.ts'
import { createRunningHashes } from './running-hashes.ts'
import { createUpload, getOwnUpload, keptHours, removeUpload, writeUpload } from './service.ts'
import { getUploadRequest } from './upload-request.ts'

/** What the tus library calls, in terms of our uploads. */
export class TusStore extends DataStore {
  override extensions = ['creation', 'creation-with-upload', 'termination', 'checksum', 'expiration']
  readonly #context: Context
  readonly #hashes = createRunningHashes()

  constructor(context: Context) {
    super()
    this.#context = context
  }

  override async create(upload: TusUpload): Promise<TusUpload> {
    const { id, size = 0, metadata = {} } = upload
    await createUpload(this.#context, caller(), { id, sizeBytes: size, metadata })
    // Nothing will be sent for an empty file.
    if (size === 0) await writeUpload(this.#context, this.#hashes, caller(), id, Readable.from([]))
    return upload
  }

  override write(empty: Readable, id: string, _offset: number): Promise<number> {
    empty.resume()
    return writeUpload(this.#context, this.#hashes, caller(), id, getUploadRequest().body)
  }

  override async getUpload(id: string): Promise<TusUpload> {
    const upload = await getOwnUpload(this.#context.db, caller(), id)
    if (upload.sha256) getUploadRequest().storedSha256 = upload.sha256
    return new TusUpload({
      id,
      size: upload.sizeBytes,
      offset: upload.offsetBytes,
      metadata: upload.metadata,
      // The library counts the expiry from here: ours begins with the last byte, and a finished upload is kept by other rules.
      creation_date: (upload.finishedAt ? new Date() : upload.lastByteAt).toISOString(),
    })
  }

  override remove(id: string): Promise<void> {
    return removeUpload(this.#context, caller(), id)
  }

  override getExpiration(): number {
    return keptHours * 3_600_000
  }
}

const caller = (): Caller => {
  const { caller } = getUploadRequest()
  if (!caller) throw unauthenticated()
  return caller
}
