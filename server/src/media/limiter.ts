/** At most so many at a time; the others wait in the order in which they came. */
export interface Limiter {
  run<T>(work: () => Promise<T>): Promise<T>
}

export function createLimiter(most: number): Limiter {
  const waiting: (() => void)[] = []
  let running = 0
  return {
    async run(work) {
      if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve))
      else running++
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next) next()
        else running--
      }
    },
  }
}
