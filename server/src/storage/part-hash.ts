import { createHash } from 'node:crypto'
import { type HashInThread, openHash } from './serving/hash-thread.ts'

/** The sha256 of an object that is written part by part: beside the loop, unless a small part is all there is. */
export interface PartHash extends AsyncDisposable {
  /** Resolves when all of the part is copied or in. */
  update(part: Buffer): Promise<void>
  digest(): Promise<string>
}

const pieceBytes = 1024 * 1024

export function openPartHash(): PartHash {
  const small = createHash('sha256')
  let beside: ReturnType<typeof hashPieces> | undefined
  let isFirst = true
  return {
    async update(part) {
      if (isFirst && part.byteLength > pieceBytes) beside = hashPieces(openHash())
      isFirst = false
      if (beside) await beside.update(part)
      else small.update(part)
    },
    digest: async () => (beside ? beside.digest() : small.digest('hex')),
    async [Symbol.asyncDispose]() {
      await beside?.close()
    },
  }
}

/**
 * Copies a part piece by piece to where the thread reads it: one is copied while the other is hashed. Parts that lay in shared memory
 * themselves would save the copy, a sixth of the time of the hash; but V8 does not count such memory, and kept 60 parts before it let go.
 */
function hashPieces(thread: HashInThread) {
  const slots = [0, 1].map(() => ({ memory: Buffer.from(new SharedArrayBuffer(pieceBytes)), taken: Promise.resolve() }))
  let turn = 0
  const settle = () => Promise.all(slots.map(({ taken }) => taken))
  return {
    async update(part: Buffer): Promise<void> {
      for (let start = 0; start < part.byteLength; start += pieceBytes) {
        const slot = slots[turn++ % slots.length] as (typeof slots)[number]
        await slot.taken
        const length = part.copy(slot.memory, 0, start, start + pieceBytes)
        slot.taken = thread.update(slot.memory.subarray(0, length))
        // Told by the next piece but one, or by the digest.
        slot.taken.catch(() => {})
      }
    },
    async digest(): Promise<string> {
      await settle()
      return thread.digest()
    },
    async close(): Promise<void> {
      await settle().catch(() => {})
      thread.close()
    },
  }
}
