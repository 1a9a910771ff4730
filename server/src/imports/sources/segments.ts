import { ServiceError } from '../../errors.ts'
import type { ByteSpan, RemoteFile } from './remote-file.ts'
import { readBody } from './response-body.ts'
import { isPassing, waitForNextTry } from './retries.ts'
import type { TransferLimits } from './transfer-limits.ts'

/**
 * A large file in parts that are fetched several at a time and given in order. Ends early, without an error, where the source
 * answers with the whole file instead of a part: the caller then goes on by plain reading.
 */
export async function* readSegments(
  remote: RemoteFile,
  limits: TransferLimits,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const size = remote.file.sizeBytes ?? 0
  // Those still under way end with the sequence, however it ends.
  const stop = new AbortController()
  const both = AbortSignal.any([signal, stop.signal])
  const underWay: Promise<Uint8Array[] | undefined>[] = []
  let next = 0
  const fill = (): void => {
    while (next < size && underWay.length < limits.segmentsAhead) {
      const span = { from: next, to: Math.min(next + limits.segmentBytes, size) }
      const fetched = fetchSegment(remote, span, limits, both)
      fetched.catch(() => {})
      underWay.push(fetched)
      next = span.to
    }
  }
  try {
    for (fill(); underWay.length > 0; fill()) {
      const chunks = await underWay.shift()
      if (!chunks) return
      yield* chunks
    }
  } finally {
    stop.abort()
  }
}

/** Undefined where the source does not serve parts. */
const fetchSegment = async (
  remote: RemoteFile,
  span: Required<ByteSpan>,
  limits: TransferLimits,
  signal: AbortSignal,
): Promise<Uint8Array[] | undefined> => {
  const chunks: Uint8Array[] = []
  let from = span.from
  for (let failures = 1; ; failures++) {
    try {
      const response = await remote.open({ from, to: span.to }, signal)
      if (response.statusCode !== 206) {
        response.destroy()
        return undefined
      }
      for await (const chunk of readBody(response, remote.host, limits, signal)) {
        const part = chunk.subarray(0, span.to - from)
        chunks.push(part)
        from += part.byteLength
        if (from === span.to) return chunks
      }
      throw new ServiceError('source_unavailable', `${remote.host} ended a part of ${remote.file.path} early.`)
    } catch (error) {
      signal.throwIfAborted()
      if (!isPassing(error) || failures >= limits.attempts) throw error
      await waitForNextTry(error, failures, limits, signal)
    }
  }
}
