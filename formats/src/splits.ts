/** What episodes of a source that names no splits belong to: LeRobot itself writes `{"train": "0:N"}` into every info.json. */
export const defaultSplits: readonly string[] = ['train']

/** A split as LeRobot's info.json says it: half-open ranges of episode numbers. */
export interface SplitRanges {
  readonly name: string
  readonly ranges: readonly (readonly [from: number, to: number])[]
}

export interface CountedSplit {
  readonly name: string
  readonly episodeCount: number
  /** `from:to` where its episodes follow each other without a gap. */
  readonly range: string | undefined
}

/** Which splits a sequence of episodes belongs to, counted while they pass; names stand in the order of their first episode. */
export class SplitTally {
  readonly #runs = new Map<string, { first: number; end: number; count: number }>()
  /** Episodes in no split. */
  outsideCount = 0
  /** Those that have an episode which is in another one before. */
  readonly alsoIn = new Set<string>()

  /** Positions ascend. */
  add(position: number, splits: readonly string[]): void {
    if (splits.length === 0) this.outsideCount++
    for (const name of splits.slice(1)) this.alsoIn.add(name)
    for (const name of splits) {
      const run = this.#runs.get(name)
      if (!run) this.#runs.set(name, { first: position, end: position + 1, count: 1 })
      else {
        run.end = position + 1
        run.count++
      }
    }
  }

  list(): CountedSplit[] {
    return [...this.#runs].map(([name, { first, end, count }]) => ({
      name,
      episodeCount: count,
      range: end - first === count ? `${first}:${end}` : undefined,
    }))
  }

  /** As info.json has them: only those that are ranges, since it has no words for others. */
  describeRanges(): Record<string, string> {
    const ranges = this.list().flatMap(({ name, range }) => (range === undefined ? [] : [[name, range] as const]))
    return Object.fromEntries(ranges)
  }
}

/** The splits of any episode number, found by one search however many ranges there are. */
export function spreadRanges(splits: readonly SplitRanges[]): (episode: number) => readonly string[] {
  const all = splits.flatMap(({ name, ranges }) => ranges.map(([from, to]) => ({ name, from, to })))
  const edges = [...new Set(all.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b)
  const sets = edges.map((edge) => [
    ...new Set(all.filter(({ from, to }) => from <= edge && edge < to).map(({ name }) => name)),
  ])
  return (episode) => {
    let [low, high] = [-1, edges.length]
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if ((edges[middle] as number) <= episode) low = middle
      else high = middle
    }
    return sets[low] ?? []
  }
}
