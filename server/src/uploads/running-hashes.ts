import { type HashInThread, openHash } from '../storage/serving/hash-thread.ts'

const mostHashes = 2_000
/** An upload that stands still for longer is read back at its end: a hash that is kept keeps its thread. */
const keptMs = 10 * 60_000

/**
 * The sha256 of an upload so far, kept between its requests in the process that took them. Node cannot write a running hash down, so an
 * upload that moves to another process, or outlives one, is read back once at its end instead.
 */
export interface RunningHashes {
  /** A hash that stands exactly at this byte, to go on with and to close; undefined when this process did not see all bytes before it. */
  take(uploadId: string, offsetBytes: number): HashInThread | undefined
  /** Takes it over: whoever gives it does not close it. */
  keep(uploadId: string, offsetBytes: number, hash: HashInThread | undefined): void
  forget(uploadId: string): void
}

interface KeptHash {
  offsetBytes: number
  hash: HashInThread
  expiry: NodeJS.Timeout
}

export const createRunningHashes = (): RunningHashes => {
  const kept = new Map<string, KeptHash>()
  const forget = (uploadId: string): void => {
    const found = kept.get(uploadId)
    if (!found) return
    kept.delete(uploadId)
    clearTimeout(found.expiry)
    found.hash.close()
  }
  return {
    take: (uploadId, offsetBytes) => {
      if (offsetBytes === 0) return openHash()
      const found = kept.get(uploadId)
      // A copy: the request may end refused, and the next one then begins here again.
      return found?.offsetBytes === offsetBytes ? found.hash.copy() : undefined
    },
    keep: (uploadId, offsetBytes, hash) => {
      forget(uploadId)
      if (!hash) return
      kept.set(uploadId, { offsetBytes, hash, expiry: setTimeout(forget, keptMs, uploadId).unref() })
      const [oldest] = kept.keys()
      if (kept.size > mostHashes && oldest !== undefined) forget(oldest)
    },
    forget,
  }
}
