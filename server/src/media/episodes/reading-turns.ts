import { createKeyedLimiter, createLimiter } from '@nmp/formats/limiter'

/** Who asks for rows, and until when. */
export interface Reader {
  person: string
  /** Aborted when they are gone. */
  signal: AbortSignal
}

/** Each turn holds a row group of its file, and up to 64 MB where it collects a chart. */
const ofEach = createKeyedLimiter(2)
const inAll = createLimiter(4)
let waitingCount = 0

/** Two of each person and four in all; one who has gone meanwhile takes no turn. */
export async function readInTurn<T>({ person, signal }: Reader, work: () => Promise<T>): Promise<T> {
  let isWaiting = true
  const stopWaiting = (): void => {
    if (isWaiting) waitingCount--
    isWaiting = false
  }
  waitingCount++
  try {
    return await ofEach.run(person, async () => {
      signal.throwIfAborted()
      return inAll.run(async () => {
        stopWaiting()
        signal.throwIfAborted()
        return work()
      })
    })
  } finally {
    stopWaiting()
  }
}

/** Whoever has a turn and no use for it right now gives it to them. */
export const isTurnWanted = (): boolean => waitingCount > 0
