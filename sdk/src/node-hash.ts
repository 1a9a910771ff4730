import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'

/** The sha256 of a file that is still being written: it follows what is whole, so that the end costs little. */
export interface FileHash {
  /** Everything before `end` is there. */
  advance(end: number): void
  /** The sha256 of all that was said to be there, in hexadecimal. */
  finish(signal?: AbortSignal): Promise<string>
  stop(): Promise<void>
}

const pieceBytes = 1024 * 1024

export function createFileHash(handle: FileHandle): FileHash {
  const hash = createHash('sha256')
  const buffer = Buffer.allocUnsafe(pieceBytes)
  let [hashed, end] = [0, 0]
  let isStopped = false
  let working: Promise<void> | undefined
  const work = async (): Promise<void> => {
    while (hashed < end && !isStopped) {
      const { bytesRead } = await handle.read(buffer, 0, Math.min(pieceBytes, end - hashed), hashed)
      if (bytesRead === 0) throw new Error('The file became shorter while it was read.')
      hash.update(buffer.subarray(0, bytesRead))
      hashed += bytesRead
    }
  }
  const advance = (next: number): void => {
    end = Math.max(end, next)
    if (working || isStopped || hashed >= end) return
    working = work().finally(() => {
      working = undefined
    })
    // Whoever waits for the end sees it.
    working.catch(() => {})
  }
  return {
    advance,
    async finish(signal) {
      while (hashed < end) {
        signal?.throwIfAborted()
        advance(end)
        await working
      }
      return hash.digest('hex')
    },
    async stop() {
      isStopped = true
      await working?.catch(() => {})
    },
  }
}
