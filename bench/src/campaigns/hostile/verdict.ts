import type { HostileGround } from './ground.ts'

/** What became of one case. */
export interface Verdict {
  name: string
  held: boolean
  /** What was answered, in a few words. */
  words: string
  /** From its beginning to its end. */
  seconds?: number
}

/** Cases of one kind, and what must hold for each of them. */
export interface Family {
  name: string
  title: string
  bar: string
  run(ground: HostileGround): AsyncIterable<Verdict>
}

export interface FamilyResult {
  name: string
  title: string
  bar: string
  /** When and what it was run on: families may be run one by one. */
  date: string
  commit: string
  scale: number
  seed: number
  seconds: number
  /** The longest that /readyz took for others meanwhile. */
  longestReadyMs: number
  verdicts: Verdict[]
  /** Cases that were not begun, since the time was over (`--seconds`). */
  leftOut: number
}

/** A case that is over with a thought of its own is as bad as one that did not hold. */
export async function judge(name: string, look: () => Promise<Omit<Verdict, 'name'>>): Promise<Verdict> {
  const start = performance.now()
  const measure = () => ({ seconds: Math.round((performance.now() - start) / 100) / 10 })
  try {
    return { name, ...(await look()), ...measure() }
  } catch (error) {
    const words = `threw: ${error instanceof Error ? error.message : String(error)}`
    return { name, held: false, words, ...measure() }
  }
}

/** Cases at a time, verdicts in the order in which they come. */
export async function* judgeSeveral<Case>(
  cases: Iterable<Case>,
  atATime: number,
  look: (one: Case) => Promise<Verdict>,
): AsyncGenerator<Verdict> {
  const queue = cases[Symbol.iterator]()
  const running = new Map<number, Promise<{ id: number; verdict: Verdict }>>()
  let count = 0
  for (;;) {
    while (running.size < atATime) {
      const next = queue.next()
      if (next.done) break
      const id = count++
      running.set(
        id,
        look(next.value).then((verdict) => ({ id, verdict })),
      )
    }
    if (running.size === 0) return
    const { id, verdict } = await Promise.race(running.values())
    running.delete(id)
    yield verdict
  }
}
