import { isObject, type JsonObject, type JsonValue } from '../json.ts'

/** One dimension of a feature on both sides. */
export interface MovedDimension {
  feature: string
  dimension: number
  /** Largest distance between the two distributions, 0 to 1, as far as their quantiles tell; null where they lack some. */
  ks: number | null
  /** How far the mean moved, in standard deviations of both together; null where neither side moves at all and the means differ. */
  shiftSigmas: number | null
  from: DimensionFigures
  to: DimensionFigures
}

export interface DimensionFigures {
  mean: number
  std: number
  min: number
  max: number
}

const levels = [
  ['q01', 0.01],
  ['q10', 0.1],
  ['q50', 0.5],
  ['q90', 0.9],
  ['q99', 0.99],
] as const

/**
 * What two meta/stats.json say of features that both have, dimension by dimension, the most moved first. `renamed` gives the newer name
 * of an older one. Means and deviations are those of every row; the distance between distributions is read from minimum, five quantiles
 * and maximum, with straight lines between them, so it is an estimate.
 */
export function compareStatistics(
  from: JsonObject,
  to: JsonObject,
  features: readonly { from: string; to: string }[],
): MovedDimension[] {
  const moved: MovedDimension[] = []
  for (const names of features) {
    const [one, other] = [readFeature(from[names.from]), readFeature(to[names.to])]
    if (!one || !other || one.mean.length !== other.mean.length) continue
    for (let dimension = 0; dimension < one.mean.length; dimension++) {
      const [before, after] = [figuresAt(one, dimension), figuresAt(other, dimension)]
      moved.push({
        feature: names.to,
        dimension,
        ks: measureDistance(one, other, dimension),
        shiftSigmas: measureShift(before, after),
        from: before,
        to: after,
      })
    }
  }
  return moved.sort((one, other) => rank(other) - rank(one))
}

const rank = ({ ks, shiftSigmas }: MovedDimension): number =>
  Math.max(ks ?? 0, Math.min(1, shiftSigmas === null ? 1 : Math.abs(shiftSigmas)))

/** Columns of numbers by the name of the statistic; a camera's are one a channel. */
type FeatureStatistics = Record<'mean' | 'std' | 'min' | 'max', number[]> & Record<string, number[]>

function readFeature(stored: JsonValue | undefined): FeatureStatistics | undefined {
  if (!isObject(stored)) return undefined
  const lists = Object.fromEntries(
    Object.entries(stored).flatMap(([name, value]) => {
      const list = [value].flat(9)
      return list.every((entry) => typeof entry === 'number') ? [[name, list as number[]]] : []
    }),
  )
  const count = lists.mean?.length ?? 0
  const isWhole = count > 0 && ['std', 'min', 'max'].every((name) => lists[name]?.length === count)
  return isWhole ? (lists as FeatureStatistics) : undefined
}

const figuresAt = ({ mean, std, min, max }: FeatureStatistics, dimension: number): DimensionFigures => ({
  mean: mean[dimension] as number,
  std: std[dimension] as number,
  min: min[dimension] as number,
  max: max[dimension] as number,
})

function measureShift(from: DimensionFigures, to: DimensionFigures): number | null {
  const moved = to.mean - from.mean
  if (moved === 0) return 0
  const sigma = Math.sqrt((from.std ** 2 + to.std ** 2) / 2)
  return sigma > 0 ? moved / sigma : null
}

function measureDistance(one: FeatureStatistics, other: FeatureStatistics, dimension: number): number | null {
  const [some, others] = [listPoints(one, dimension), listPoints(other, dimension)]
  if (!some || !others) return null
  // Both are straight between their points, so the largest distance is at one of them, from the left or from the right.
  let largest = 0
  for (const { value } of [...some, ...others])
    for (const side of ['below', 'up-to'] as const)
      largest = Math.max(largest, Math.abs(shareAt(some, value, side) - shareAt(others, value, side)))
  return largest
}

interface Point {
  value: number
  share: number
}

function listPoints(statistics: FeatureStatistics, dimension: number): Point[] | undefined {
  const points = [{ value: statistics.min[dimension] as number, share: 0 }]
  for (const [name, share] of levels) {
    const value = statistics[name]?.[dimension]
    if (value === undefined) return undefined
    points.push({ value, share })
  }
  return [...points, { value: statistics.max[dimension] as number, share: 1 }]
}

/** Which share of the values lies below one, or is at most it. A value that several quantiles have is a step. */
function shareAt(points: readonly Point[], value: number, side: 'below' | 'up-to'): number {
  const after = points.findIndex((point) => (side === 'below' ? point.value >= value : point.value > value))
  if (after < 0) return 1
  const [left, right] = [points[after - 1], points[after] as Point]
  if (!left) return 0
  if (right.value === left.value) return left.share
  return left.share + ((value - left.value) / (right.value - left.value)) * (right.share - left.share)
}
