import { type FileHandle, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ApiError, ConnectionError } from './api-error.ts'
import { hashFile } from './node-files.ts'
import { backOffMs, isPassing, sleep } from './retry.ts'

export interface DownloadOptions {
  /** Asked for again when the one before expired. */
  findUrl(): Promise<string>
  target: string
  /** What the file must be. */
  sha256?: string | null | undefined
  /** Ranges at a time; 4 unless said. */
  parallel?: number | undefined
  onProgress?: ((doneBytes: number, sizeBytes: number) => void) | undefined
  signal?: AbortSignal | undefined
  fetch?: typeof fetch | undefined
}

export interface Downloaded {
  path: string
  sizeBytes: number
  sha256: string
}

/** The file did not come out as announced. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError'
}

const partBytes = 16 * 1024 * 1024
const defaultParallel = 4
const mostFaults = 8
const stallMs = 60_000

/** What `<target>.part.json` says about `<target>.part`. */
interface State {
  etag: string
  sizeBytes: number
  /** Numbers of the parts that are whole. */
  done: number[]
}

interface Source {
  url: string
  etag: string
  sizeBytes: number
}

/**
 * Fetches a file in ranges, several at a time, into `<target>.part`, checks its sha256 and gives it its name. Stopped by
 * whatever cause, the next call fetches only what is missing, unless the file changed meanwhile.
 */
export async function downloadFile(options: DownloadOptions): Promise<Downloaded> {
  const { target, signal } = options
  const [part, note] = [`${target}.part`, `${target}.part.json`]
  await mkdir(dirname(target), { recursive: true })
  const source = await repeat(options, async () => probe(options, await options.findUrl()))
  const known = await readState(note)
  const isSame = known?.etag === source.etag && known.sizeBytes === source.sizeBytes
  const state: State = isSame ? known : { etag: source.etag, sizeBytes: source.sizeBytes, done: [] }
  const handle = await open(part, isSame ? 'r+' : 'w').catch(() => {
    state.done = []
    return open(part, 'w')
  })
  try {
    await handle.truncate(source.sizeBytes)
    await fetchParts(options, source, state, handle, note)
  } finally {
    await handle.close()
  }
  const sha256 = await hashFile(part, signal)
  if (options.sha256 && options.sha256 !== sha256) {
    await rm(part, { force: true })
    await rm(note, { force: true })
    throw new DownloadError(
      `${target} has sha256 ${sha256} and must have ${options.sha256}: it was damaged on the way. Fetch it again.`,
    )
  }
  await rename(part, target)
  await rm(note, { force: true })
  return { path: target, sizeBytes: source.sizeBytes, sha256 }
}

async function fetchParts(options: DownloadOptions, source: Source, state: State, handle: FileHandle, note: string) {
  const count = Math.ceil(source.sizeBytes / partBytes)
  const done = new Set(state.done)
  const lengthOf = (number: number): number => Math.min(partBytes, source.sizeBytes - number * partBytes)
  let doneBytes = [...done].reduce((sum, number) => sum + lengthOf(number), 0)
  const onBytes = (bytes: number): void => {
    doneBytes += bytes
    options.onProgress?.(doneBytes, source.sizeBytes)
  }
  onBytes(0)
  const queue = Array.from({ length: count }, (_, number) => number)
    .filter((number) => !done.has(number))
    .values()
  const stop = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal
  const work = async (): Promise<void> => {
    for (const number of queue) {
      await fetchPart({ ...options, signal }, source, number * partBytes, lengthOf(number), handle, onBytes)
      done.add(number)
      await writeFile(note, JSON.stringify({ ...state, done: [...done] }))
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
  from: number,
  length: number,
  handle: FileHandle,
  onBytes: (bytes: number) => void,
): Promise<void> {
  let position = from
  const end = from + length
  for (let faults = 0; position < end; ) {
    try {
      const headers = { range: `bytes=${position}-${end - 1}`, 'if-range': source.etag }
      const response = await request(options, source.url, headers)
      if (response.status !== 206)
        throw new DownloadError('The file changed while it was fetched. Start the download again.')
      for await (const chunk of readBody(response)) {
        await handle.write(chunk, 0, chunk.length, position)
        position += chunk.length
        faults = 0
        onBytes(chunk.length)
      }
      if (position < end) throw new ConnectionError('The connection broke off.')
    } catch (error) {
      options.signal?.throwIfAborted()
      if (error instanceof ApiError && error.status === 403) source.url = await options.findUrl()
      else if (!isPassing(error, true)) throw error
      if (++faults > mostFaults) throw error
      await sleep(backOffMs(faults, error instanceof ApiError ? error.retryAfterMs : undefined), options.signal)
    }
  }
}

/** Size and identity of the file, from a range of one byte: a `HEAD` is refused by URLs that were signed for `GET`. */
async function probe(options: DownloadOptions, url: string): Promise<Source> {
  const response = await request(options, url, { range: 'bytes=0-0' })
  await response.body?.cancel()
  const etag = response.headers.get('etag') ?? ''
  if (response.status === 206) {
    const sizeBytes = Number(/\/(\d+)$/.exec(response.headers.get('content-range') ?? '')?.[1] ?? Number.NaN)
    if (Number.isInteger(sizeBytes)) return { url, etag, sizeBytes }
  }
  const length = response.headers.get('content-length')
  if (response.status === 200 && length === '0') return { url, etag, sizeBytes: 0 }
  throw new DownloadError(`${new URL(url).host} does not serve ranges, which a download that can be resumed needs.`)
}

async function request(options: DownloadOptions, url: string, headers: Record<string, string>): Promise<Response> {
  const slow = new AbortController()
  const timer = setTimeout(() => slow.abort(), stallMs)
  const signal = options.signal ? AbortSignal.any([options.signal, slow.signal]) : slow.signal
  try {
    const response = await (options.fetch ?? fetch)(url, {
      headers: { 'accept-encoding': 'identity', ...headers },
      signal,
    })
    if (response.ok) return response
    // An empty file has no first byte.
    if (response.status === 416 && response.headers.get('content-range') === 'bytes */0') {
      return new Response(null, {
        status: 200,
        headers: { 'content-length': '0', etag: response.headers.get('etag') ?? '' },
      })
    }
    throw new ApiError(response.status, await response.json().catch(() => undefined), response.headers)
  } catch (error) {
    if (error instanceof ApiError || options.signal?.aborted) throw error
    throw new ConnectionError(`${new URL(url).host} cannot be reached.`, { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

/** The body, with a broken or stalled connection as the one fault that may be repeated. */
async function* readBody(response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader()
  if (!reader) return
  try {
    while (true) {
      let timer: ReturnType<typeof setTimeout> | undefined
      const stall = new Promise<never>((_resolve, reject) => {
        timer = setTimeout(() => reject(new Error('no bytes')), stallMs)
      })
      const { done, value } = await Promise.race([reader.read(), stall])
        .catch((cause) => {
          throw new ConnectionError('The connection broke off.', { cause })
        })
        .finally(() => clearTimeout(timer))
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

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
