/** At most so many at a time; the others wait in the order in which they came. */
export interface Limiter {
  run<T>(work: () => Promise<T>): Promise<T>
  /** A place for more than one call; whoever takes it gives it back, once, by calling what is answered. */
  take(): Promise<() => void>
  readonly waitingCount: number
}

export function createLimiter(most: number): Limiter {
  const waiting: (() => void)[] = []
  let running = 0
  // The place is handed on, not freed, so that nobody slips in before those who wait.
  const giveBack = (): void => {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
  const take = async (): Promise<() => void> => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    return giveBack
  }
  return {
    take,
    async run(work) {
      await take()
      try {
        return await work()
      } finally {
        giveBack()
      }
    },
    get waitingCount() {
      return waiting.length
    },
  }
}

/** At most so many at a time of each key: who waits, waits for the work of their own key only. */
export interface KeyedLimiter {
  run<T>(key: string, work: () => Promise<T>): Promise<T>
}

export function createKeyedLimiter(most: number): KeyedLimiter {
  const used = new Map<string, { limiter: Limiter; userCount: number }>()
  return {
    async run(key, work) {
      const entry = used.get(key) ?? { limiter: createLimiter(most), userCount: 0 }
      used.set(key, entry)
      entry.userCount++
      try {
        return await entry.limiter.run(work)
      } finally {
        entry.userCount--
        if (entry.userCount === 0) used.delete(key)
      }
    },
  }
}

/**
 * The results of all items in their order, so many worked on at a time. After the first failure nothing more is begun; what was begun is
 * waited for, so that nobody goes on writing after this has failed.
 */
export async function mapAtMost<Item, Result>(
  most: number,
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const waiting = items.entries()
  const failures: unknown[] = []
  const workOn = async (): Promise<void> => {
    for (const [index, item] of waiting) {
      if (failures.length > 0) return
      try {
        results[index] = await work(item, index)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, workOn))
  if (failures.length > 0) throw failures[0]
  return results
}
