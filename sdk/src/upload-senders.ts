import { ConnectionError } from './api-error.ts'
import type { SendRequest, Transport } from './transport.ts'

/** What is sent: a `Blob` (a browser's `File`) is one already; `node-files.ts` makes one of a path. */
export interface UploadSource {
  sizeBytes: number
  /** Bytes `from` up to, not including, `to`. */
  read(from: number, to: number): Promise<Uint8Array<ArrayBuffer> | Blob>
  /** Where bytes can be sent as they are read: how, and the sha256 of the whole, which is held against what the service got. */
  stream?: UploadStream | undefined
}

export interface UploadStream {
  send(from: number, to: number, onBytes: (sentBytes: number) => void): NonNullable<SendRequest['via']>
  hash(): Promise<string>
}

export type ChunkHash = ((chunk: Uint8Array<ArrayBuffer> | Blob) => Promise<Uint8Array>) | null | undefined

export interface SenderOptions {
  /** Most bytes per request. */
  mostBytes?: number | undefined
  hash?: ChunkHash
  signal?: AbortSignal | undefined
  onProgress?: ((sentBytes: number, sizeBytes: number) => void) | undefined
}

/** Sends the next bytes of a file, in one request. */
export interface Sender {
  send(path: string, offset: number): Promise<Sent>
  /** After a fault: less at a time. */
  shrink(): void
}

export interface Sent {
  offset: number
  /** Of the whole, when this was its end and the service says so. */
  sha256: string | undefined
}

const defaultChunkBytes = 16 * 1024 * 1024
const firstChunkBytes = 8 * 1024 * 1024
/** The service stores parts of this size; chunks that end with one cost it nothing more. */
const partBytes = 8 * 1024 * 1024
const leastChunkBytes = 256 * 1024
/** A chunk that a break destroys is sent anew as a whole, so none should take much longer than this. */
const chunkMs = 2000
/** What arrived of a stream is kept, so a request may be long; the service ends it after five minutes. */
const streamBytes = 256 * 1024 * 1024
const requestTimeoutMs = 10 * 60_000

export const tus = { 'tus-resumable': '1.0.0' }

export const createSender = (transport: Transport, file: UploadSource, options: SenderOptions): Sender =>
  file.stream
    ? createStreamSender(transport, file.sizeBytes, file.stream, options)
    : createChunkSender(transport, file, options)

function createStreamSender(
  transport: Transport,
  sizeBytes: number,
  stream: UploadStream,
  { mostBytes = streamBytes, signal, onProgress }: SenderOptions,
): Sender {
  return {
    shrink: () => {},
    send: (path, offset) => {
      const end = Math.min(sizeBytes, offset + mostBytes)
      const via = stream.send(offset, end, (sent) => onProgress?.(offset + sent, sizeBytes))
      const headers = { 'content-length': String(end - offset) }
      return patch(transport, path, { offset, sizeBytes }, { headers, via, signal })
    },
  }
}

interface Chunk {
  bytes: Uint8Array<ArrayBuffer> | Blob
  end: number
  digest: Uint8Array | undefined
}

/** Each chunk with its sha256 in front, read and hashed while the one before is on its way. */
function createChunkSender(transport: Transport, file: UploadSource, options: SenderOptions): Sender {
  const { sizeBytes } = file
  const mostBytes = options.mostBytes ?? defaultChunkBytes
  let chunkBytes = Math.min(firstChunkBytes, mostBytes)
  let ahead: { offset: number; read: Promise<Chunk> } | undefined
  const readChunk = async (offset: number): Promise<Chunk> => {
    const aligned = Math.floor((offset + chunkBytes) / partBytes) * partBytes
    const end = Math.min(sizeBytes, aligned > offset ? aligned : offset + chunkBytes)
    const bytes = await file.read(offset, end)
    return { bytes, end, digest: await hashChunk(bytes, options.hash) }
  }
  return {
    shrink: () => {
      chunkBytes = Math.max(Math.min(leastChunkBytes, mostBytes), chunkBytes / 2)
    },
    async send(path, offset) {
      const began = Date.now()
      const { bytes, end, digest } = await (ahead?.offset === offset ? ahead.read : readChunk(offset))
      ahead = end < sizeBytes ? { offset: end, read: readChunk(end) } : undefined
      // Whoever needs it sees the failure; nobody may.
      ahead?.read.catch(() => {})
      const headers = digest ? { 'upload-checksum': `sha256 ${bytesToBase64(digest)}` } : {}
      const sent = await patch(transport, path, { offset, sizeBytes }, { headers, body: bytes, signal: options.signal })
      if (Date.now() - began < chunkMs / 2) chunkBytes = Math.min(mostBytes, chunkBytes * 2)
      return sent
    },
  }
}

async function patch(
  transport: Transport,
  path: string,
  { offset, sizeBytes }: { offset: number; sizeBytes: number },
  request: Pick<SendRequest, 'headers' | 'body' | 'via' | 'signal'>,
): Promise<Sent> {
  const { headers } = await transport.send(path, {
    ...request,
    method: 'PATCH',
    headers: {
      ...tus,
      'content-type': 'application/offset+octet-stream',
      'upload-offset': String(offset),
      ...request.headers,
    },
    timeoutMs: requestTimeoutMs,
  })
  const stored = Number(headers.get('upload-offset') ?? Number.NaN)
  if (!Number.isInteger(stored) || stored <= offset || stored > sizeBytes) {
    throw new ConnectionError('The server accepted part of the upload but did not say how much.')
  }
  return { offset: stored, sha256: readStoredHash(headers) }
}

/** The service says what a finished upload holds, as `Upload-Checksum: sha256 <base64>`. */
export function readStoredHash(headers: Headers): string | undefined {
  const digest = /^sha256 ([A-Za-z0-9+/=]{44})$/.exec(headers.get('upload-checksum') ?? '')?.[1]
  if (!digest) return undefined
  return Array.from(atob(digest), (char) => char.charCodeAt(0).toString(16).padStart(2, '0')).join('')
}

async function hashChunk(chunk: Uint8Array<ArrayBuffer> | Blob, hash: ChunkHash): Promise<Uint8Array | undefined> {
  if (hash === null) return undefined
  if (hash) return hash(chunk)
  // Browsers offer WebCrypto on https pages only.
  if (!globalThis.crypto?.subtle) return undefined
  const bytes = chunk instanceof Blob ? await chunk.arrayBuffer() : chunk
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

export const bytesToBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))
