import { medianOf } from '../insights/bins.ts'
import type { Insights } from './insights-query.ts'

export interface Outliers {
  /** Least first. */
  lowMotion: number[]
  /** Most first. */
  highVariance: number[]
}

/** Three standard deviations, by the median distance from the median: a few odd episodes do not move the bound. */
const farDeviations = 3
const deviationPerDistance = 1.4826
/** Of its time; less is a pause as any episode has. */
const leastStill = 0.1

const known = new WeakMap<Insights, Outliers>()

/** Who differs from all the others. Ranks alone always name somebody, also where all are alike. */
export function findOutliers(insights: Insights, fps: number): Outliers {
  const before = known.get(insights)
  if (before) return before
  const found = insights.supportsMotion ? search(insights, fps) : { lowMotion: [], highVariance: [] }
  known.set(insights, found)
  return found
}

function search({ motion, variance, lengthFrames, stillSeconds }: Insights, fps: number): Outliers {
  const usual = findBounds(motion)
  const still = stillSeconds.map((seconds, index) => (seconds * fps) / Math.max(1, lengthFrames[index] ?? 1))
  const mostStill = Math.max(leastStill, findBounds(still).high)
  const lowMotion = motion.flatMap((value, index) =>
    value < usual.low || (value < usual.median && (still[index] ?? 0) > mostStill) ? [index] : [],
  )
  const { high } = findBounds(variance)
  const highVariance = variance.flatMap((value, index) => (value > high ? [index] : []))
  return {
    lowMotion: lowMotion.sort((a, b) => (motion[a] ?? 0) - (motion[b] ?? 0)),
    highVariance: highVariance.sort((a, b) => (variance[b] ?? 0) - (variance[a] ?? 0)),
  }
}

function findBounds(values: readonly number[]): { median: number; low: number; high: number } {
  const median = medianOf(values)
  const reach = farDeviations * deviationPerDistance * medianOf(values.map((value) => Math.abs(value - median)))
  return { median, low: median - reach, high: median + reach }
}
