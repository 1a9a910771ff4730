import type { IncomingMessage } from 'node:http'
import { ServiceError } from '../../errors.ts'
import { explainNetworkError } from './source-door.ts'
import type { TransferLimits } from './transfer-limits.ts'

/** The body as it comes. Only time spent waiting for the source counts against it: a slow reader of ours is not its fault. */
export async function* readBody(
  response: IncomingMessage,
  host: string,
  limits: TransferLimits,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const chunks = response[Symbol.asyncIterator]()
  let waitedMs = 0
  let bytes = 0
  let isWaiting = false
  // One timer, wound up again for each of the thousands of chunks that come in a second.
  const timer = setTimeout(() => {
    if (isWaiting) response.destroy(unavailable(`${host} stopped sending.`))
  }, limits.idleMs)
  try {
    for (;;) {
      isWaiting = true
      timer.refresh()
      const since = performance.now()
      const next = await chunks.next()
      isWaiting = false
      if (next.done) return
      const chunk: Uint8Array = next.value
      waitedMs += performance.now() - since
      bytes += chunk.byteLength
      if (waitedMs > limits.slowWindowMs) {
        if (bytes < limits.slowBytes) throw unavailable(`${host} sends too slowly to ever finish.`)
        waitedMs = 0
        bytes = 0
      }
      yield chunk
    }
  } catch (error) {
    throw explainNetworkError(error, host, signal)
  } finally {
    clearTimeout(timer)
    response.destroy()
  }
}

const unavailable = (sentence: string): ServiceError => new ServiceError('source_unavailable', sentence)

/** A small answer, whole. */
export const readWhole = async (
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  refusal: string,
): Promise<Buffer> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > maxBytes) throw new ServiceError('source_invalid', refusal)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** What we asked for is the bytes themselves; a compressed answer could be a bomb, and its size and hash are of something else. */
export const requirePlainBody = (response: IncomingMessage, host: string): void => {
  const encoding = response.headers['content-encoding'] ?? 'identity'
  if (encoding.trim().toLowerCase() === 'identity' || encoding.trim() === '') return
  response.destroy()
  throw new ServiceError(
    'source_invalid',
    `${host} sends the file compressed although the plain bytes were requested. Serve it without Content-Encoding.`,
  )
}
