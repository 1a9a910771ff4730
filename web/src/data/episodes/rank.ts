import { formatOrdinal } from '../../parts/formats.ts'

/** A percentile of fewer than these says more than is known. */
const fewEpisodes = 20

const sorted = new WeakMap<readonly number[], Float64Array>()

/** How many of the episodes have less; sorted once per list. */
function countBelow(values: readonly number[], value: number): number {
  const order = sorted.get(values) ?? Float64Array.from(values).sort()
  sorted.set(values, order)
  let low = 0
  let high = order.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((order[middle] ?? 0) < value) low = middle + 1
    else high = middle
  }
  return low
}

/** Of a hundred episodes, how many have less. */
export const rankOf = (values: readonly number[], value: number): number =>
  Math.round((countBelow(values, value) / Math.max(1, values.length)) * 100)

/** Where something stands among all: a percentile, and of few its place in words. */
export function namePlace(percentile: number, total: number): string {
  if (total >= fewEpisodes) return `percentile ${Math.round(percentile)}`
  return total < 2 ? 'the only one' : nameSmallPlace(Math.round((percentile / 100) * (total - 1)), total)
}

const nameSmallPlace = (below: number, total: number): string =>
  below === 0 ? 'lowest' : below >= total - 1 ? 'highest' : `${formatOrdinal(below + 1)} of ${total}`

/** The same of a value, in a column that `placeUnit` heads. */
export const placeOf = (values: readonly number[], value: number): string =>
  values.length >= fewEpisodes
    ? formatOrdinal(rankOf(values, value))
    : nameSmallPlace(countBelow(values, value), values.length).replace(/ of .*/, '')

export const placeUnit = (total: number): string => (total >= fewEpisodes ? 'percentile' : 'from the lowest')
