import { ApiError, ConnectionError } from './api-error.ts'
import type { CallOptions } from './operation.ts'
import { backOffMs, isPassing, sleep } from './retry.ts'
import type { Transport } from './transport.ts'

/** What is sent: a `Blob` (a browser's `File`) is one already; `node-files.ts` makes one of a path. */
export interface UploadSource {
  sizeBytes: number
  /** Bytes `from` up to, not including, `to`. */
  read(from: number, to: number): Promise<Uint8Array<ArrayBuffer> | Blob>
}

/**
 * Remembers addresses of uploads, so that another run of the program goes on where this one stopped. A finished upload stays
 * in it until whoever needed it deletes it: an import that could not be queued finds it again.
 */
export interface UploadMemory {
  get(key: string): Promise<string | undefined> | string | undefined
  set(key: string, url: string): Promise<void> | void
  delete(key: string): Promise<void> | void
}

export interface UploadOptions extends CallOptions {
  /** A relative path; folders keep their structure. */
  filename: string
  orgSlug?: string | undefined
  projectSlug?: string | undefined
  /** Of the whole file, when it is known: the service refuses the upload if it does not hold. */
  sha256?: string | undefined
  onProgress?: ((sentBytes: number, sizeBytes: number) => void) | undefined
  /** Most bytes per request; 16 MiB unless said. Slow and bad lines get less by themselves. */
  chunkBytes?: number | undefined
  memory?: UploadMemory | undefined
  /** Names this very content in `memory`: path, size and time of change, say. */
  memoryKey?: string | undefined
  /** sha256 of a chunk; WebCrypto's unless said. `null` sends none. */
  hash?: ((chunk: Uint8Array<ArrayBuffer> | Blob) => Promise<Uint8Array>) | null | undefined
}

export interface FinishedUpload {
  id: string
  url: string
  sizeBytes: number
  memoryKey: string | undefined
}

const endpoint = '/api/v1/uploads'
const defaultChunkBytes = 16 * 1024 * 1024
const firstChunkBytes = 8 * 1024 * 1024
/** The service stores parts of this size; chunks that end with one cost it nothing more. */
const partBytes = 8 * 1024 * 1024
const leastChunkBytes = 256 * 1024
/** A chunk that a break destroys is sent anew as a whole, so none should take much longer than this. */
const chunkMs = 2000
/** In a row, without a byte of progress between them. */
const mostFaults = 8
const chunkTimeoutMs = 10 * 60_000
const tus = { 'tus-resumable': '1.0.0' }

/** Sends a file by tus 1.0. Breaks, restarts and lost answers cost at most a chunk; aborting leaves the upload resumable. */
export async function uploadFile(
  transport: Transport,
  source: UploadSource | Blob,
  options: UploadOptions,
): Promise<FinishedUpload> {
  const file = source instanceof Blob ? readBlob(source) : source
  const { memory, memoryKey, signal } = options
  let url = memory && memoryKey ? await memory.get(memoryKey) : undefined
  let offset: number | undefined
  const mostBytes = options.chunkBytes ?? defaultChunkBytes
  let chunkBytes = Math.min(firstChunkBytes, mostBytes)
  let ahead: { offset: number; read: Promise<Chunk> } | undefined
  for (let faults = 0; ; ) {
    try {
      offset ??= url === undefined ? undefined : await findOffset(transport, url, file.sizeBytes, signal)
      if (url === undefined || offset === undefined) {
        url = await createUpload(transport, file.sizeBytes, options)
        offset = 0
        if (memory && memoryKey) await memory.set(memoryKey, url)
      }
      options.onProgress?.(offset, file.sizeBytes)
      while (offset < file.sizeBytes) {
        const began = Date.now()
        const chunk: Chunk = await (ahead?.offset === offset
          ? ahead.read
          : readChunk(file, offset, chunkBytes, options.hash))
        // The next one is read and hashed while this one is on its way.
        ahead = chunk.end < file.sizeBytes ? readAhead(file, chunk.end, chunkBytes, options.hash) : undefined
        offset = await sendChunk(transport, url, file.sizeBytes, offset, chunk, options)
        faults = 0
        const isFast = Date.now() - began < chunkMs / 2
        if (isFast) chunkBytes = Math.min(mostBytes, chunkBytes * 2)
        options.onProgress?.(offset, file.sizeBytes)
      }
      return { id: readId(url), url, sizeBytes: file.sizeBytes, memoryKey }
    } catch (error) {
      if (signal?.aborted || ++faults > mostFaults) throw error
      if (!isRepairable(error)) throw error
      // What was stored of the chunk that broke, only the server knows.
      offset = undefined
      chunkBytes = Math.max(Math.min(leastChunkBytes, mostBytes), chunkBytes / 2)
      if (isGone(error)) url = undefined
      await sleep(backOffMs(faults, error instanceof ApiError ? error.retryAfterMs : undefined), signal)
    }
  }
}

/** Gives the upload up and frees what was sent. */
export const cancelUpload = async (transport: Transport, url: string): Promise<void> => {
  await transport.send(pathOf(url), { method: 'DELETE', headers: tus })
}

const isGone = (error: unknown): boolean => error instanceof ApiError && (error.status === 404 || error.status === 410)

/** 409: the offset is another than we thought; 423: our broken request still holds it; 460: the chunk arrived damaged. */
const isRepairable = (error: unknown): boolean =>
  isPassing(error, true) || isGone(error) || (error instanceof ApiError && [408, 409, 423, 460].includes(error.status))

async function createUpload(transport: Transport, sizeBytes: number, options: UploadOptions): Promise<string> {
  const entries = {
    filename: options.filename,
    sha256: options.sha256,
    org_slug: options.orgSlug,
    project_slug: options.projectSlug,
  }
  const metadata = Object.entries(entries).flatMap(([name, value]) => (value ? [`${name} ${encodeBase64(value)}`] : []))
  const response = await transport.send(endpoint, {
    method: 'POST',
    headers: { ...tus, 'upload-length': String(sizeBytes), 'upload-metadata': metadata.join(',') },
    signal: options.signal,
  })
  const location = response.headers.get('location')
  if (!location) throw new ConnectionError('The server made an upload and did not say where: a proxy drops Location.')
  return new URL(location, `${transport.baseUrl}${endpoint}/`).href
}

/** `undefined` when the server no longer has it, or has another one under that address. */
async function findOffset(
  transport: Transport,
  url: string,
  sizeBytes: number,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  try {
    const { headers } = await transport.send(pathOf(url), { method: 'HEAD', headers: tus, signal })
    const offset = Number(headers.get('upload-offset') ?? Number.NaN)
    const length = Number(headers.get('upload-length') ?? sizeBytes)
    return Number.isInteger(offset) && length === sizeBytes ? offset : undefined
  } catch (error) {
    if (isGone(error) || (error instanceof ApiError && error.status === 403)) return undefined
    throw error
  }
}

interface Chunk {
  bytes: Uint8Array<ArrayBuffer> | Blob
  end: number
  digest: Uint8Array | undefined
}

type Hash = UploadOptions['hash']

function readAhead(file: UploadSource, offset: number, chunkBytes: number, hash: Hash) {
  const read = readChunk(file, offset, chunkBytes, hash)
  // Whoever needs it sees the failure; nobody may.
  read.catch(() => {})
  return { offset, read }
}

async function readChunk(file: UploadSource, offset: number, chunkBytes: number, hash: Hash): Promise<Chunk> {
  const aligned = Math.floor((offset + chunkBytes) / partBytes) * partBytes
  const end = Math.min(file.sizeBytes, aligned > offset ? aligned : offset + chunkBytes)
  const bytes = await file.read(offset, end)
  return { bytes, end, digest: await hashChunk(bytes, hash) }
}

async function sendChunk(
  transport: Transport,
  url: string,
  sizeBytes: number,
  offset: number,
  { bytes, digest }: Chunk,
  options: UploadOptions,
): Promise<number> {
  const { headers } = await transport.send(pathOf(url), {
    method: 'PATCH',
    headers: {
      ...tus,
      'content-type': 'application/offset+octet-stream',
      'upload-offset': String(offset),
      ...(digest ? { 'upload-checksum': `sha256 ${bytesToBase64(digest)}` } : {}),
    },
    body: bytes,
    signal: options.signal,
    timeoutMs: chunkTimeoutMs,
  })
  const stored = Number(headers.get('upload-offset') ?? Number.NaN)
  if (!Number.isInteger(stored) || stored <= offset || stored > sizeBytes) {
    throw new ConnectionError('The server took a part of the upload and did not say how much.')
  }
  return stored
}

async function hashChunk(chunk: Uint8Array<ArrayBuffer> | Blob, hash: Hash): Promise<Uint8Array | undefined> {
  if (hash === null) return undefined
  if (hash) return hash(chunk)
  // Browsers offer WebCrypto on https pages only.
  if (!globalThis.crypto?.subtle) return undefined
  const bytes = chunk instanceof Blob ? await chunk.arrayBuffer() : chunk
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

const readBlob = (blob: Blob): UploadSource => ({
  sizeBytes: blob.size,
  read: async (from, to) => blob.slice(from, to),
})

/** The credential goes to our address only, whatever a proxy wrote into Location. */
const pathOf = (url: string): string => new URL(url).pathname

const readId = (url: string): string => pathOf(url).split('/').at(-1) ?? ''

const bytesToBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

const encodeBase64 = (text: string): string => bytesToBase64(new TextEncoder().encode(text))
