import type { Readable } from 'node:stream'
import type { BlobFault } from './tables.ts'

/** Bytes `start` up to but not including `end`. */
export interface ByteRange {
  start: number
  end: number
}

export interface ObjectHead {
  key: string
  sizeBytes: number
  /** Strong and quoted, as HTTP wants it. */
  etag: string
  lastModified: Date
}

export interface WrittenObject {
  key: string
  sizeBytes: number
  sha256: string
  etag: string
}

export interface OpenedObject {
  head: ObjectHead
  body: Readable
}

export interface PutOptions {
  /** Refuse with `object_exists` rather than replace. */
  ifAbsent?: boolean
  /** Lets S3 choose its parts; needed for objects of more than 375 gb. */
  sizeHintBytes?: number
  signal?: AbortSignal
}

export interface PutFileOptions extends PutOptions {
  /** What the writer of the file has hashed while it wrote: then its bytes are not read for it again. */
  known?: { sizeBytes: number; sha256: string }
}

export interface ReadOptions {
  range?: ByteRange
  signal?: AbortSignal
}

export interface SignGetOptions {
  expiresInSeconds: number
  contentType?: string
  /** The whole `Content-Disposition` value: see `attachmentDisposition`. */
  disposition?: string
}

export interface SignPutOptions {
  expiresInSeconds: number
  contentType?: string
  sizeBytes?: number
}

export interface SignedUrl {
  method: 'GET' | 'PUT'
  url: string
  /** Headers that the signature covers: the client must send them as they are. */
  headers: Record<string, string>
  expiresAt: Date
}

export interface MultipartUpload {
  key: string
  uploadId: string
  /** Every part but the last has exactly this size; at least 5 MiB, which is what S3 demands. */
  partSizeBytes: number
}

export interface UploadedPart {
  partNumber: number
  sizeBytes: number
  etag: string
}

/**
 * Where bytes live. An object appears whole or not at all, under the key of `keys.ts` it was written for, and a write that was
 * acknowledged survives a power cut (as far as the disk or the S3 service keeps its word). A missing object is `undefined` from
 * `findObject` and `not_found` from `getObject`; every other failure throws something else, so that "could not look" is never "gone".
 */
export interface ObjectStorage {
  readonly kind: 'folder' | 's3'
  /** Streams in bounded memory; size and sha256 are computed on the way. */
  putObject(key: string, body: AsyncIterable<Uint8Array>, options?: PutOptions): Promise<WrittenObject>
  /** A finished file of this machine, which nobody changes afterwards: no byte is copied where the store can take the file itself. */
  putFile(key: string, path: string, options?: PutFileOptions): Promise<WrittenObject>
  /** A range past the end is cut at the end; one that starts past it is `range_not_satisfiable`. */
  getObject(key: string, options?: ReadOptions): Promise<OpenedObject>
  findObject(key: string): Promise<ObjectHead | undefined>
  /** The file that is this object, where the store is a folder of this machine: for readers only. Undefined elsewhere. */
  locateObject(key: string): Promise<string | undefined>
  /** Deleting what is not there succeeds. */
  deleteObject(key: string): Promise<void>
  /** In no order. The prefix is empty or ends in a slash. */
  listObjects(prefix: string): AsyncIterable<ObjectHead>
  copyObject(sourceKey: string, targetKey: string): Promise<void>
  signGet(key: string, options: SignGetOptions): Promise<SignedUrl>
  /** The URL creates its object once; a second PUT is refused, so nobody swaps bytes that were already checked. */
  signPut(key: string, options: SignPutOptions): Promise<SignedUrl>
  beginMultipart(key: string, partSizeBytes: number): Promise<MultipartUpload>
  /** Sending a part again replaces it. */
  putPart(upload: MultipartUpload, partNumber: number, bytes: Uint8Array): Promise<UploadedPart>
  completeMultipart(upload: MultipartUpload, parts: readonly UploadedPart[]): Promise<ObjectHead>
  abortMultipart(upload: MultipartUpload): Promise<void>
  /** Removes what killed writers left behind and no reader ever saw. Only the age tells them from slow ones: leave a day. */
  sweepUnfinished(olderThan: Date): Promise<number>
  close(): Promise<void>
}

/** What is asked of the store by the program: contents that are known to be bad, or turn out to be, are not given out. */
export interface GuardedStorage extends ObjectStorage {
  /** Objects as they lie, for what looks for damage. */
  readonly bare: ObjectStorage
  /** Throws `content_damaged` for what is known to be bad: for who has its file open. */
  requireSound(key: string): Promise<void>
  /** Throws `content_damaged` where the bytes are not what they were; what was seen whole a moment ago is not read again. */
  readToEnd(key: string, signal?: AbortSignal): Promise<void>
  /** Looks at a content that something could not make sense of; throws `content_damaged` where its bytes are not what they were. */
  verify(blob: { sha256: string; sizeBytes: number; storeKey: string }): Promise<void>
  /** For bytes that came in by parts and were hashed since: where the stored copy of the same content is bad, they take its place. */
  healTwin(blob: { sha256: string; sizeBytes: number; storeKey: string }): Promise<void>
  /** What a check has found, twice: nothing of it is given out until good bytes come in, or it is what it was. */
  quarantine(finding: { sha256: string; storeKey: string; fault: BlobFault; sentence: string }): Promise<void>
  release(key: string): Promise<void>
}

export const withoutGuard = (storage: ObjectStorage): ObjectStorage =>
  'bare' in storage ? (storage as GuardedStorage).bare : storage

export type StorageConfig =
  | {
      kind: 'folder'
      folder: string
      signingKey: string
      publicUrl: string
      /** Memory in which files are on their way to their readers, all together: 64 MiB unless said. */
      sendBytes?: number
    }
  | {
      kind: 's3'
      endpoint?: string
      /** Where clients reach the bucket; without it signed addresses are the API's own. */
      publicEndpoint?: string
      signingKey: string
      publicUrl: string
      region: string
      bucket: string
      accessKeyId?: string
      secretAccessKey?: string
      forcePathStyle: boolean
      prefix?: string
    }

export const minPartSizeBytes = 5 * 1024 * 1024
export const maxPartCount = 10_000
