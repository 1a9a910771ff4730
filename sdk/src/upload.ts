import { ApiError, ConnectionError } from './api-error.ts'
import type { CallOptions } from './operation.ts'
import { backOffMs, isPassing, sleep } from './retry.ts'
import type { Transport } from './transport.ts'
import {
  bytesToBase64,
  type ChunkHash,
  createSender,
  readStoredHash,
  type Sent,
  tus,
  type UploadSource,
} from './upload-senders.ts'

export type { UploadSource } from './upload-senders.ts'

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
  /** Most bytes per request; 16 MiB unless said, and 256 where they are sent as they are read. Slow and bad lines get less by themselves. */
  chunkBytes?: number | undefined
  memory?: UploadMemory | undefined
  /** Names this very content in `memory`: path, size and time of change, say. */
  memoryKey?: string | undefined
  /** sha256 of a chunk; WebCrypto's unless said. `null` sends none. */
  hash?: ChunkHash
}

export interface FinishedUpload {
  id: string
  url: string
  sizeBytes: number
  memoryKey: string | undefined
}

const endpoint = '/api/v1/uploads'
/** In a row, without a byte of progress between them. */
const mostFaults = 8

/** Sends a file by tus 1.0. Breaks, restarts and lost answers cost at most a chunk; aborting leaves the upload resumable. */
export async function uploadFile(
  transport: Transport,
  source: UploadSource | Blob,
  options: UploadOptions,
): Promise<FinishedUpload> {
  const file = source instanceof Blob ? readBlob(source) : source
  const { sizeBytes } = file
  const { memory, memoryKey, signal, onProgress, hash, chunkBytes: mostBytes } = options
  const sender = createSender(transport, file, { mostBytes, hash, signal, onProgress })
  let url = memory && memoryKey ? await memory.get(memoryKey) : undefined
  let state: Sent | undefined
  let reached = 0
  for (let faults = 0; ; ) {
    try {
      state ??= url === undefined ? undefined : await findState(transport, url, sizeBytes, signal)
      if (url === undefined || state === undefined) {
        url = await createUpload(transport, sizeBytes, options)
        state = { offset: 0, sha256: undefined }
        reached = 0
        if (memory && memoryKey) await memory.set(memoryKey, url)
      }
      // A line that breaks all the time but brings some bytes each time is not given up.
      if (state.offset > reached) faults = 0
      reached = state.offset
      onProgress?.(state.offset, sizeBytes)
      while (state.offset < sizeBytes) {
        state = await sender.send(pathOf(url), state.offset)
        faults = 0
        reached = state.offset
        onProgress?.(state.offset, sizeBytes)
      }
      await checkWhole(transport, file, url, state.sha256)
      return { id: readId(url), url, sizeBytes, memoryKey }
    } catch (error) {
      if (signal?.aborted || ++faults > mostFaults) throw error
      if (!isRepairable(error)) throw error
      // What was stored of the bytes that were on their way, only the server knows.
      state = undefined
      sender.shrink()
      if (isGone(error)) url = undefined
      await sleep(backOffMs(faults, error instanceof ApiError ? error.retryAfterMs : undefined), signal)
    }
  }
}

/** Bytes that came out otherwise than they are here are thrown away and sent anew. */
async function checkWhole(
  transport: Transport,
  file: UploadSource,
  url: string,
  stored: string | undefined,
): Promise<void> {
  if (!file.stream || stored === undefined || stored === (await file.stream.hash())) return
  await cancelUpload(transport, { url })
  throw new ApiError(410, { detail: 'The file arrived damaged.', code: 'checksum_mismatch' }, new Headers())
}

/** Gives the upload up and frees what was sent. */
export const cancelUpload = async (transport: Transport, { url }: { url: string }): Promise<void> => {
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
  if (!location)
    throw new ConnectionError('The server created an upload but sent no Location header; a proxy may have removed it.')
  return new URL(location, `${transport.baseUrl}${endpoint}/`).href
}

/** `undefined` when the server no longer has it, or has another one under that address. */
async function findState(
  transport: Transport,
  url: string,
  sizeBytes: number,
  signal: AbortSignal | undefined,
): Promise<Sent | undefined> {
  try {
    const { headers } = await transport.send(pathOf(url), { method: 'HEAD', headers: tus, signal })
    const offset = Number(headers.get('upload-offset') ?? Number.NaN)
    const length = Number(headers.get('upload-length') ?? sizeBytes)
    return Number.isInteger(offset) && length === sizeBytes ? { offset, sha256: readStoredHash(headers) } : undefined
  } catch (error) {
    if (isGone(error) || (error instanceof ApiError && error.status === 403)) return undefined
    throw error
  }
}

const readBlob = (blob: Blob): UploadSource => ({
  sizeBytes: blob.size,
  read: async (from, to) => blob.slice(from, to),
})

/** The credential goes to our address only, whatever a proxy wrote into Location. */
const pathOf = (url: string): string => new URL(url).pathname

const readId = (url: string): string => pathOf(url).split('/').at(-1) ?? ''

const encodeBase64 = (text: string): string => bytesToBase64(new TextEncoder().encode(text))
