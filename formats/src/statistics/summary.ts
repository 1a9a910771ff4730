import { interpolate } from './quantiles.ts'

/**
 * The distribution of one dimension of one episode in at most 128 groups of neighbouring values. Any set of summaries can be
 * merged, and every quantile of the merged set comes with a bracket that surely holds it. Up to 128 values, or 128 distinct
 * ones, nothing is lost and the bracket is a point.
 */
export interface Summary {
  /** Least value of each group, ascending. */
  readonly first: Float64Array
  /** Greatest value of each group. */
  readonly last: Float64Array
  readonly count: Float64Array
}

export interface BracketedQuantile {
  readonly value: number
  readonly low: number
  readonly high: number
  readonly isExact: boolean
}

const tailGroups = 32
const tail = 0.05
const middleGroups = 64
const maxGroups = 2 * tailGroups + middleGroups

/** Tails are cut finer (0.16 % of the values) than the middle (1.4 %): normalisation asks for q01 and q99. */
export function summarize(sorted: Float64Array): Summary {
  const distinct = countDistinct(sorted)
  if (distinct) return distinct
  const edges = new Set([0])
  for (let group = 1; group <= tailGroups; group++) edges.add(Math.round((sorted.length * tail * group) / tailGroups))
  for (let group = 1; group <= middleGroups; group++)
    edges.add(Math.round(sorted.length * (tail + ((1 - 2 * tail) * group) / middleGroups)))
  for (let group = 1; group <= tailGroups; group++)
    edges.add(Math.round(sorted.length * (1 - tail + (tail * group) / tailGroups)))
  const bounds = [...edges].sort((a, b) => a - b)
  const starts = bounds.slice(0, -1)
  return {
    first: Float64Array.from(starts, (start) => sorted[start] as number),
    last: Float64Array.from(starts, (_, group) => sorted[(bounds[group + 1] as number) - 1] as number),
    count: Float64Array.from(starts, (start, group) => (bounds[group + 1] as number) - start),
  }
}

function countDistinct(sorted: Float64Array): Summary | undefined {
  const values: number[] = []
  const starts: number[] = []
  for (let at = 0; at < sorted.length; at++) {
    const value = sorted[at] as number
    if (at > 0 && value === sorted[at - 1]) continue
    if (values.length === maxGroups) return undefined
    values.push(value)
    starts.push(at)
  }
  const distinct = Float64Array.from(values)
  return {
    first: distinct,
    last: distinct,
    count: Float64Array.from(starts, (start, group) => (starts[group + 1] ?? sorted.length) - start),
  }
}

/** Quantiles of all values behind the summaries together, in O(n log n) of their groups. */
export function mergeQuantiles(summaries: readonly Summary[], probabilities: readonly number[]): BracketedQuantile[] {
  const total = summaries.reduce((sum, { count }) => sum + count.reduce((a, b) => a + b, 0), 0)
  const lowest = createRanking(summaries, ({ first }) => first)
  const highest = createRanking(summaries, ({ last }) => last)
  return probabilities.map((probability) => {
    const low = interpolate(total, probability, lowest)
    const high = interpolate(total, probability, highest)
    return { value: (low + high) / 2, low, high, isExact: low === high }
  })
}

/** The value of a rank if every group's values were its least (or greatest) one: a bound from below (or above). */
function createRanking(
  summaries: readonly Summary[],
  pick: (summary: Summary) => Float64Array,
): (rank: number) => number {
  const size = summaries.reduce((sum, { count }) => sum + count.length, 0)
  const values = new Float64Array(size)
  const weights = new Float64Array(size)
  let filled = 0
  for (const summary of summaries) {
    values.set(pick(summary), filled)
    weights.set(summary.count, filled)
    filled += summary.count.length
  }
  const order = Uint32Array.from(values.keys()).sort((a, b) => (values[a] as number) - (values[b] as number))
  const reached = new Float64Array(size)
  let sum = 0
  for (const [place, index] of order.entries()) {
    sum += weights[index] as number
    reached[place] = sum
  }
  return (rank) => {
    let low = 0
    for (let high = size - 1; low < high; ) {
      const middle = (low + high) >>> 1
      if ((reached[middle] as number) > rank) high = middle
      else low = middle + 1
    }
    return values[order[low] ?? 0] ?? 0
  }
}
