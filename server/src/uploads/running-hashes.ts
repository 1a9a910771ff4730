import { createHash, type Hash } from 'node:crypto'
import { BoundedMap } from '@nmp/formats/bounded-map'

const mostHashes = 2_000

/**
 * The sha256 of an upload so far, kept between its requests in the process that took them. Node cannot write a running hash down, so an
 * upload that moves to another process, or outlives one, is read back once at its end instead.
 */
export interface RunningHashes {
  /** A hash that stands exactly at this byte, to go on with; undefined when this process did not see all bytes before it. */
  take(uploadId: string, offsetBytes: number): Hash | undefined
  keep(uploadId: string, offsetBytes: number, hash: Hash | undefined): void
  forget(uploadId: string): void
}

export const createRunningHashes = (): RunningHashes => {
  const kept = new BoundedMap<string, { offsetBytes: number; hash: Hash }>(mostHashes)
  return {
    take: (uploadId, offsetBytes) => {
      if (offsetBytes === 0) return createHash('sha256')
      const found = kept.get(uploadId)
      // A copy: the request may end refused, and the next one then begins here again.
      return found?.offsetBytes === offsetBytes ? found.hash.copy() : undefined
    },
    keep: (uploadId, offsetBytes, hash) => {
      if (hash) kept.set(uploadId, { offsetBytes, hash })
      else kept.delete(uploadId)
    },
    forget: (uploadId) => void kept.delete(uploadId),
  }
}
