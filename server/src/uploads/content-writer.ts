import { type Database, inTransaction, type Transaction } from '../db/database.ts'
import { ServiceError } from '../errors.ts'
import { newBlobKey } from '../storage/keys.ts'
import { hashBody } from '../storage/serving/file-body.ts'
import type { HashInThread } from '../storage/serving/hash-thread.ts'
import type { MultipartUpload, ObjectStorage, UploadedPart } from '../storage/storage.ts'
import * as repository from './repository.ts'
import type { RunningHashes } from './running-hashes.ts'
import { lockedError } from './upload-lock.ts'

interface WriterOptions {
  db: Database
  storage: ObjectStorage
  hashes: RunningHashes
  upload: repository.UploadRow
  lockToken: string
  /** The request's bytes count only as a whole: nothing is acknowledged before `flush`. */
  isProvisional: boolean
}

const partsInFlight = 2
/** Stored and not yet written down: what a killed process loses beside the parts in memory. */
const mostUnrecorded = 4

/**
 * Takes the bytes of one request. Full parts go to the store while the next one fills; those that are stored are acknowledged in
 * their order, all that are due in one transaction. What is left at the end (less than a part) is kept as an object of its own. What
 * the bytes hash to is computed beside the loop, from the same memory. Memory: three parts.
 */
export class ContentWriter {
  readonly #options: WriterOptions
  #multipart: Promise<MultipartUpload> | undefined
  #buffer: Buffer
  #filledBytes = 0
  /** Of the buffer, from its beginning. */
  #hashedBytes = 0
  #offsetBytes: number
  #partCount: number
  #hash: HashInThread | undefined
  #hashed: Promise<void> = Promise.resolve()
  #stored: Promise<void> = Promise.resolve()
  #recorded: Promise<void> = Promise.resolve()
  readonly #unrecorded: repository.Advance[] = []
  readonly #onTheirWay: Promise<void>[] = []
  readonly #spare: Buffer[] = []
  #provisional: UploadedPart[] = []

  private constructor(options: WriterOptions, tail: Buffer) {
    const { upload } = options
    this.#options = options
    this.#offsetBytes = upload.offsetBytes
    this.#partCount = (upload.offsetBytes - tail.byteLength) / upload.partSizeBytes
    // What is stored in one piece is hashed as it is stored.
    const isOnePiece = upload.sizeBytes <= upload.partSizeBytes
    this.#hash = isOnePiece ? undefined : options.hashes.take(upload.id, upload.offsetBytes)
    this.#buffer = allocate(Math.min(upload.partSizeBytes, upload.sizeBytes))
    this.#buffer.set(tail)
    this.#filledBytes = tail.byteLength
    this.#hashedBytes = tail.byteLength
    this.#multipart = upload.multipartId === null ? undefined : Promise.resolve(multipartOf(upload, upload.multipartId))
  }

  static async open(options: WriterOptions): Promise<ContentWriter> {
    const { storage, upload } = options
    const chunks: Buffer[] = []
    if (upload.tailKey !== null) {
      const { body } = await storage.getObject(upload.tailKey)
      for await (const chunk of body) chunks.push(chunk)
    }
    return new ContentWriter(options, Buffer.concat(chunks))
  }

  get offsetBytes(): number {
    return this.#offsetBytes
  }

  async take(chunk: Uint8Array): Promise<void> {
    const { partSizeBytes, sizeBytes } = this.#options.upload
    if (this.#offsetBytes + chunk.byteLength > sizeBytes)
      throw new ServiceError(
        'upload_too_large',
        'More bytes arrived than Upload-Length announced. The last ones are not kept.',
      )
    for (let taken = 0; taken < chunk.byteLength; ) {
      const step = Math.min(chunk.byteLength - taken, this.#buffer.byteLength - this.#filledBytes)
      this.#buffer.set(chunk.subarray(taken, taken + step), this.#filledBytes)
      taken += step
      this.#filledBytes += step
      this.#offsetBytes += step
      // The last part stays here: it is sent by `finish`, together with what makes the upload whole.
      if (this.#filledBytes < partSizeBytes || this.#offsetBytes === sizeBytes) continue
      if (this.#onTheirWay.length >= partsInFlight) await this.#onTheirWay.shift()
      if (this.#unrecorded.length >= mostUnrecorded) await this.#recorded
      this.#sendPart(this.#buffer, this.#offsetBytes)
      this.#buffer = this.#spare.pop() ?? allocate(partSizeBytes)
      this.#filledBytes = 0
      this.#hashedBytes = 0
    }
  }

  /** Makes what has come so far safe and acknowledges it. */
  async flush(): Promise<void> {
    const { db, storage, hashes, upload } = this.#options
    await this.#settle()
    const tailKey = this.#filledBytes > 0 ? newBlobKey(upload.id, 0) : null
    if (tailKey) await storage.putObject(tailKey, only(this.#buffer.subarray(0, this.#filledBytes)))
    await inTransaction(db, async (trx) => {
      for (const part of this.#provisional)
        await this.#advance(trx, { offsetBytes: part.partNumber * upload.partSizeBytes, tailKey: upload.tailKey, part })
      await this.#advance(trx, { offsetBytes: this.#offsetBytes, tailKey })
    })
    await this.#hashRest()
    hashes.keep(upload.id, this.#offsetBytes, this.#hash)
    this.#hash = undefined
    if (upload.tailKey) await storage.deleteObject(upload.tailKey)
  }

  /** Everything has come: the object appears under its key. Its sha256 is read back where bytes passed through several processes. */
  async finish(): Promise<string> {
    const { db, storage, upload } = this.#options
    await this.#settle()
    const multipart = await this.#multipart
    if (!multipart) {
      const { sha256 } = await storage.putObject(upload.storeKey, only(this.#buffer.subarray(0, this.#filledBytes)))
      return sha256
    }
    const parts = mergeParts(await repository.listParts(db, upload.id), this.#provisional)
    if (this.#filledBytes > 0) {
      const last = this.#buffer.subarray(0, this.#filledBytes)
      parts.push(await storage.putPart(multipart, this.#partCount + 1, last))
    }
    await Promise.all([storage.completeMultipart(multipart, parts), this.#hashRest()])
    return (await this.#hash?.digest()) ?? (await hashObject(storage, upload.storeKey))
  }

  /** Once, however the request ended. */
  close(): void {
    this.#hash?.close()
  }

  async #settle(): Promise<void> {
    await this.#stored
    await this.#recorded
  }

  /** Bytes that are in the buffer and not yet hashed. Where hashing fails, the object is read back at its end. */
  #hashRest(): Promise<void> {
    const rest = this.#buffer.subarray(this.#hashedBytes, this.#filledBytes)
    this.#hashedBytes = this.#filledBytes
    const hash = this.#hash
    if (!hash || rest.byteLength === 0) return this.#hashed
    const hashed = hash.update(rest).catch(() => {
      hash.close()
      if (this.#hash === hash) this.#hash = undefined
    })
    // Answers come in the order of the questions.
    this.#hashed = hashed
    return hashed
  }

  /** Parts are stored side by side and acknowledged in their order. */
  #sendPart(buffer: Buffer, offsetBytes: number): void {
    const { storage, isProvisional } = this.#options
    this.#partCount += 1
    const partNumber = this.#partCount
    this.#multipart ??= this.#beginMultipart()
    const hashed = this.#hashRest()
    const stored = this.#multipart.then((multipart) => storage.putPart(multipart, partNumber, buffer))
    this.#stored = Promise.all([stored, this.#stored, hashed]).then(([part]) => {
      this.#spare.push(buffer)
      if (isProvisional) this.#provisional.push(part)
      else this.#record({ offsetBytes, tailKey: null, part })
    })
    this.#stored.catch(() => undefined) // thrown where it is awaited
    this.#onTheirWay.push(this.#stored)
  }

  /** Writes down what is stored by then; parts that come meanwhile wait for the next transaction, together. */
  #record(advance: repository.Advance): void {
    const { db } = this.#options
    this.#unrecorded.push(advance)
    if (this.#unrecorded.length > 1) return
    this.#recorded = this.#recorded.then(async () => {
      while (this.#unrecorded.length > 0) {
        const due = [...this.#unrecorded]
        await inTransaction(db, async (trx) => {
          for (const one of due) await this.#advance(trx, one)
        })
        this.#unrecorded.splice(0, due.length)
      }
    })
    this.#recorded.catch(() => undefined) // thrown where it is awaited
  }

  async #beginMultipart(): Promise<MultipartUpload> {
    const { db, storage, upload, lockToken } = this.#options
    const multipart = await storage.beginMultipart(upload.storeKey, upload.partSizeBytes)
    if (await repository.recordMultipart(db, upload.id, lockToken, multipart.uploadId)) return multipart
    await storage.abortMultipart(multipart)
    throw lockedError()
  }

  async #advance(trx: Transaction, advance: repository.Advance): Promise<void> {
    const { upload, lockToken } = this.#options
    if (!(await repository.advanceUpload(trx, upload.id, lockToken, advance))) throw lockedError()
  }
}

/** In memory that threads share. */
const allocate = (bytes: number): Buffer => Buffer.from(new SharedArrayBuffer(bytes))

export const multipartOf = (
  upload: Pick<repository.UploadRow, 'storeKey' | 'partSizeBytes'>,
  uploadId: string,
): MultipartUpload => ({ key: upload.storeKey, uploadId, partSizeBytes: upload.partSizeBytes })

export const hashObject = async (storage: ObjectStorage, storeKey: string): Promise<string> => {
  const { body } = await storage.getObject(storeKey)
  return hashBody(body)
}

/** A part that was sent again replaces the one recorded before. */
const mergeParts = (recorded: readonly UploadedPart[], newer: readonly UploadedPart[]): UploadedPart[] => {
  const byNumber = new Map([...recorded, ...newer].map((part) => [part.partNumber, part]))
  return [...byNumber.values()].sort((one, other) => one.partNumber - other.partNumber)
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.byteLength > 0) yield bytes
}
