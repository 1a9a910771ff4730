/** A normal value is farther from the median than this many deviations once in eighty; small sets need more, since their deviation is a guess. */
const farDeviations = 2.5
const smallSet = 5
const deviationPerDistance = 1.4826

/** By the median distance from the median: a few odd values do not move it. */
export function findUsual(values: Float64Array): { median: number; far: number } {
  const median = findMedian(values)
  const distance = findMedian(values.map((value) => Math.abs(value - median)))
  const deviations = farDeviations * (1 + smallSet / values.length)
  return { median, far: deviations * deviationPerDistance * distance * (values.length / (values.length - 0.8)) }
}

export function findMedian(values: Float64Array): number {
  if (values.length === 0) return 0
  const sorted = values.toSorted()
  const middle = sorted.length >> 1
  if (sorted.length % 2 === 1) return sorted[middle] as number
  return ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}
