interface ClaimerOptions {
  /** Jobs the worker could take now. */
  countRoom(): number
  /** Claims up to `count` and starts them; answers how many there were. Does not throw. */
  claim(count: number): Promise<number>
}

export interface Claimer {
  /** Something may be there: a job came in, one ended, or it is time to look. */
  rouse(): void
  /** No more claims; waits for the one under way. */
  stop(): Promise<void>
}

/**
 * Claims as long as there is room and something to claim, then sleeps until roused. One statement at a time: slots
 * that come free meanwhile are filled by the next one together.
 */
export const createClaimer = ({ countRoom, claim }: ClaimerOptions): Claimer => {
  let claiming = Promise.resolve()
  let isClaiming = false
  let isRoused = false
  let isStopped = false

  const work = async (): Promise<void> => {
    isClaiming = true
    while (isRoused && !isStopped) {
      isRoused = false
      const room = countRoom()
      // Less than asked for means empty, unless a sign came after the question: then it is asked again.
      if (room > 0 && (await claim(room)) === room) isRoused = true
    }
    isClaiming = false
  }

  return {
    rouse: () => {
      isRoused = true
      if (!isClaiming && !isStopped) claiming = work()
    },
    stop: async () => {
      isStopped = true
      await claiming
    },
  }
}
