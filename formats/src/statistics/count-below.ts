/** Of sorted numbers; with those that are equal where it says so. */
export function countBelow(sorted: Float64Array | Uint32Array, value: number, withEqual = false): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const here = sorted[middle] as number
    if (here < value || (withEqual && here === value)) low = middle + 1
    else high = middle
  }
  return low
}
