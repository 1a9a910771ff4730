/** Two buffers in which a file goes to one reader: one is filled while the other is on its way. */
export interface BufferPair {
  readonly buffers: readonly [Buffer, Buffer]
  /** Once. Kept for the next reader where nobody uses them any more. */
  release(isUnused: boolean): void
}

export interface PieceBuffers {
  take(): BufferPair
}

export const largePieceBytes = 256 * 1024
const smallPieceBytes = 16 * 1024
/** Pairs that are kept when nobody reads. */
const keptPairs = 16
const defaultBudgetBytes = 64 * 1024 * 1024

/**
 * Large buffers for as many readers as the budget allows; whoever comes then gets small ones, until some of the others are done. In memory
 * that threads share, since other threads compute what the bytes hash to.
 */
export function createPieceBuffers(budgetBytes = defaultBudgetBytes): PieceBuffers {
  const free: BufferPair['buffers'][] = []
  let usedBytes = 0
  const allocate = (bytes: number): Buffer => Buffer.from(new SharedArrayBuffer(bytes))
  const makePair = (bytes: number): BufferPair['buffers'] => [allocate(bytes), allocate(bytes)]
  return {
    take() {
      if (usedBytes + 2 * largePieceBytes > budgetBytes)
        return { buffers: makePair(smallPieceBytes), release: () => undefined }
      usedBytes += 2 * largePieceBytes
      const buffers = free.pop() ?? makePair(largePieceBytes)
      return {
        buffers,
        release(isUnused) {
          usedBytes -= 2 * largePieceBytes
          if (isUnused && free.length < keptPairs) free.push(buffers)
        },
      }
    },
  }
}
