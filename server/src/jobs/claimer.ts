/** How many claim statements of one worker may be under way: while one waits, slots that come free ask with the next. */
const maxClaims = 3

interface ClaimerOptions {
  /** Jobs the worker could take now, those asked for not counted. */
  countRoom(): number
  /** Claims up to `count` and starts them; answers how many there were. Does not throw. */
  claim(count: number): Promise<number>
}

export interface Claimer {
  /** Something may be there: a job came in, one ended, or it is time to look. */
  rouse(): void
  /** No more claims; waits for those under way. */
  stop(): Promise<void>
}

/** Claims as long as there is room and something to claim, then sleeps until roused. */
export const createClaimer = ({ countRoom, claim }: ClaimerOptions): Claimer => {
  const underWay = new Set<Promise<void>>()
  let asked = 0
  let signs = 0
  let isEmpty = false
  let isStopped = false

  const ask = async (count: number): Promise<void> => {
    const heard = signs
    asked += count
    const found = await claim(count)
    asked -= count
    // A sign that came after the question may be about a job that the answer does not hold.
    if (found < count && heard === signs) isEmpty = true
  }
  const pump = (): void => {
    while (!isStopped && !isEmpty && underWay.size < maxClaims) {
      const room = countRoom() - asked
      if (room <= 0) return
      const asking = ask(room).then(() => {
        underWay.delete(asking)
        pump()
      })
      underWay.add(asking)
    }
  }

  return {
    rouse: () => {
      signs += 1
      isEmpty = false
      pump()
    },
    stop: async () => {
      isStopped = true
      await Promise.all(underWay)
    },
  }
}
