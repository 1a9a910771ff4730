const sorted = new WeakMap<readonly number[], Float64Array>()

/** Of a hundred episodes, how many have less; sorted once per list. */
export function rankOf(values: readonly number[], value: number): number {
  const order = sorted.get(values) ?? Float64Array.from(values).sort()
  sorted.set(values, order)
  let low = 0
  let high = order.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((order[middle] ?? 0) < value) low = middle + 1
    else high = middle
  }
  return Math.round((low / Math.max(1, order.length)) * 100)
}
