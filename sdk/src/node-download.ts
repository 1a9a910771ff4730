import { type FileHandle, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { dirname } from 'node:path'
import { ApiError, ConnectionError } from './api-error.ts'
import { createFileHash, type FileHash } from './node-hash.ts'
import { readResponse, requestBytes } from './node-http.ts'
import { backOffMs, isPassing, sleep } from './retry.ts'

export interface DownloadOptions {
  /** Asked for again when the one before expired. */
  findUrl(): Promise<string>
  target: string
  /** What the file must be. */
  sha256?: string | null | undefined
  /** Ranges at a time; 4 unless said. */
  parallel?: number | undefined
  /** Bytes of a range: so much at most is fetched again after a stop, per range at a time. 16 MiB unless said. */
  partBytes?: number | undefined
  onProgress?: ((doneBytes: number, sizeBytes: number) => void) | undefined
  signal?: AbortSignal | undefined
}

export interface Downloaded {
  path: string
  sizeBytes: number
  sha256: string
}

/** The downloaded file is damaged or incomplete. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError'
}

const defaultPartBytes = 16 * 1024 * 1024
/** So much is gathered before it is written: a write of each piece of 64 KiB costs more than the piece. */
const gatheredBytes = 1024 * 1024
const defaultParallel = 4
const mostFaults = 8
const stallMs = 60_000

/** What `<target>.part.json` says about `<target>.part`. */
interface State {
  etag: string
  sizeBytes: number
  partBytes: number
  /** Numbers of the parts that are whole. */
  done: number[]
}

interface Source {
  url: string
  etag: string
  sizeBytes: number
  /** The answer to the first request, where it begins with the first part. */
  first?: IncomingMessage | undefined
}

/**
 * Fetches a file in ranges, several at a time, into `<target>.part`, checks its sha256 and gives it its name. Stopped by
 * whatever cause, the next call fetches only what is missing, unless the file changed meanwhile.
 */
export async function downloadFile(options: DownloadOptions): Promise<Downloaded> {
  const { target, signal, partBytes = defaultPartBytes } = options
  const [part, note] = [`${target}.part`, `${target}.part.json`]
  await mkdir(dirname(target), { recursive: true })
  const known = await readState(note)
  const source = await repeat(options, async () => openSource(options, await options.findUrl(), known === undefined))
  const begun: State = { etag: source.etag, sizeBytes: source.sizeBytes, partBytes, done: [] }
  const isSame =
    known?.etag === begun.etag && known.sizeBytes === begun.sizeBytes && known.partBytes === begun.partBytes
  const state = isSame ? known : begun
  const handle = await open(part, isSame ? 'r+' : 'w+').catch(() => {
    state.done = []
    return open(part, 'w+')
  })
  const hash = createFileHash(handle)
  let sha256: string
  try {
    await handle.truncate(source.sizeBytes)
    await fetchParts(options, source, state, { handle, hash, note })
    hash.advance(source.sizeBytes)
    sha256 = await hash.finish(signal)
  } finally {
    source.first?.destroy()
    await hash.stop()
    await handle.close()
  }
  if (options.sha256 && options.sha256 !== sha256) {
    await rm(part, { force: true })
    await rm(note, { force: true })
    throw new DownloadError(
      `${target} has sha256 ${sha256} instead of ${options.sha256}: it was damaged on the way. Download it again.`,
    )
  }
  await rename(part, target)
  await rm(note, { force: true })
  return { path: target, sizeBytes: source.sizeBytes, sha256 }
}

interface Target {
  handle: FileHandle
  hash: FileHash
  note: string
}

async function fetchParts(options: DownloadOptions, source: Source, state: State, target: Target): Promise<void> {
  const { partBytes } = state
  const count = Math.ceil(source.sizeBytes / partBytes)
  const done = new Set(state.done)
  const lengthOf = (number: number): number => Math.min(partBytes, source.sizeBytes - number * partBytes)
  let doneBytes = [...done].reduce((sum, number) => sum + lengthOf(number), 0)
  let whole = 0
  const onBytes = (bytes: number): void => {
    doneBytes += bytes
    options.onProgress?.(doneBytes, source.sizeBytes)
  }
  // What is whole from the beginning on is hashed while the rest is on its way.
  const onWhole = (): void => {
    while (done.has(whole)) whole++
    target.hash.advance(Math.min(source.sizeBytes, whole * partBytes))
  }
  onBytes(0)
  onWhole()
  const queue = Array.from({ length: count }, (_, number) => number)
    .filter((number) => !done.has(number))
    .values()
  const stop = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal
  const work = async (): Promise<void> => {
    for (const number of queue) {
      const range = { from: number * partBytes, length: lengthOf(number) }
      await fetchPart({ ...options, signal }, source, range, target.handle, onBytes)
      done.add(number)
      onWhole()
      await writeFile(target.note, JSON.stringify({ ...state, done: [...done] }))
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.min(options.parallel ?? defaultParallel, count) }, work))
  } finally {
    stop.abort()
  }
}

async function fetchPart(
  options: DownloadOptions,
  source: Source,
  { from, length }: { from: number; length: number },
  handle: FileHandle,
  onBytes: (bytes: number) => void,
): Promise<void> {
  let position = from
  const end = from + length
  for (let faults = 0; position < end; ) {
    try {
      const response = await openRange(options, source, position, end)
      for await (const gathered of gatherPieces(response, end - position)) {
        const { bytesWritten } = await handle.writev(gathered, position)
        position += bytesWritten
        faults = 0
        onBytes(bytesWritten)
        if (bytesWritten < countBytes(gathered))
          throw new DownloadError('Only part of the data could be written to the disk.')
      }
      if (position < end) throw new ConnectionError('The connection was lost.')
    } catch (error) {
      options.signal?.throwIfAborted()
      if (error instanceof ApiError && error.status === 403) source.url = await options.findUrl()
      else if (!isPassing(error, true)) throw error
      if (++faults > mostFaults) throw error
      await sleep(backOffMs(faults, error instanceof ApiError ? error.retryAfterMs : undefined), options.signal)
    }
  }
}

async function openRange(
  options: DownloadOptions,
  source: Source,
  position: number,
  end: number,
): Promise<IncomingMessage> {
  const { first } = source
  if (first && position === 0) {
    source.first = undefined
    return first
  }
  const headers = { range: `bytes=${position}-${end - 1}`, 'if-range': source.etag }
  const response = await request(options, source.url, headers)
  if (response.statusCode === 206) return response
  response.destroy()
  throw new DownloadError('The file changed during the download. Start the download again.')
}

/** Size and identity of the file come with its first part; a `HEAD` is refused by URLs that were signed for `GET`. */
async function openSource(options: DownloadOptions, url: string, isFresh: boolean): Promise<Source> {
  const response = await request(options, url, {
    range: `bytes=0-${isFresh ? (options.partBytes ?? defaultPartBytes) - 1 : 0}`,
  })
  const { etag = '', 'content-range': range = '', 'content-length': length } = response.headers
  const isEmpty = response.statusCode === 416 && range === 'bytes */0'
  if (response.statusCode === 206) {
    const sizeBytes = Number(/\/(\d+)$/.exec(range)?.[1] ?? Number.NaN)
    if (Number.isInteger(sizeBytes)) {
      if (!isFresh) response.destroy()
      return { url, etag, sizeBytes, first: isFresh ? response : undefined }
    }
  }
  response.destroy()
  if (isEmpty || (response.statusCode === 200 && length === '0')) return { url, etag, sizeBytes: 0 }
  throw new DownloadError(`${new URL(url).host} does not support range requests, which resumable downloads need.`)
}

async function request(
  options: DownloadOptions,
  url: string,
  headers: Record<string, string>,
): Promise<IncomingMessage> {
  const { signal } = options
  try {
    const response = await requestBytes(url, {
      method: 'GET',
      headers: { 'accept-encoding': 'identity', ...headers },
      signal,
      stallMs,
    })
    const status = response.statusCode ?? 0
    // An empty file has no first byte.
    if (status < 300 || (status === 416 && response.headers['content-range'] === 'bytes */0')) return response
    const refusal = await readResponse(response)
    throw new ApiError(status, await refusal.json().catch(() => undefined), refusal.headers)
  } catch (error) {
    if (error instanceof ApiError || signal?.aborted) throw error
    throw new ConnectionError(`${new URL(url).host} cannot be reached.`, { cause: error })
  }
}

/** The body in a few large bundles, no longer than `length`; a broken or stalled connection is the one fault that may be repeated. */
async function* gatherPieces(response: IncomingMessage, length: number): AsyncGenerator<Uint8Array[]> {
  let gathered: Uint8Array[] = []
  let [bytes, left] = [0, length]
  try {
    for await (const piece of response as AsyncIterable<Uint8Array>) {
      const wanted = piece.length > left ? piece.subarray(0, left) : piece
      left -= wanted.length
      gathered.push(wanted)
      bytes += wanted.length
      if (bytes < gatheredBytes && left > 0) continue
      yield gathered
      if (left === 0) return
      gathered = []
      bytes = 0
    }
  } catch (cause) {
    if (bytes > 0) yield gathered
    throw new ConnectionError('The connection was lost.', { cause })
  } finally {
    response.destroy()
  }
  if (bytes > 0) yield gathered
}

const countBytes = (pieces: Uint8Array[]): number => pieces.reduce((sum, { length }) => sum + length, 0)

async function repeat<T>(options: DownloadOptions, attempt: () => Promise<T>): Promise<T> {
  for (let faults = 1; ; faults++) {
    try {
      return await attempt()
    } catch (error) {
      options.signal?.throwIfAborted()
      if (faults > mostFaults || !isPassing(error, true)) throw error
      await sleep(backOffMs(faults, undefined), options.signal)
    }
  }
}

async function readState(note: string): Promise<State | undefined> {
  try {
    const state = JSON.parse(await readFile(note, 'utf8')) as State
    return Array.isArray(state.done) ? state : undefined
  } catch {
    return undefined
  }
}
