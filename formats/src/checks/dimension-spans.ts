import { unwrapStep } from './angle-steps.ts'

/** What one pass over an episode tells of each dimension: most rules then know that they need not look at it frame by frame. */
export interface DimensionSpans {
  readonly min: Float64Array
  readonly max: Float64Array
  /** The longest step from a frame to the next. */
  readonly fastest: Float64Array
  /** The most steps in a row that change nothing. */
  readonly longestSame: Uint32Array
}

export function measureSpans(rows: Float64Array, width: number): DimensionSpans {
  const spans = {
    min: new Float64Array(width).fill(Number.POSITIVE_INFINITY),
    max: new Float64Array(width).fill(Number.NEGATIVE_INFINITY),
    fastest: new Float64Array(width),
    longestSame: new Uint32Array(width),
  }
  for (let dimension = 0; dimension < width && dimension < rows.length; dimension++) {
    let last = rows[dimension] as number
    let [min, max, fastest, same, longestSame] = [last, last, 0, 0, 0]
    for (let at = dimension + width; at < rows.length; at += width) {
      const value = rows[at] as number
      if (value < min) min = value
      else if (value > max) max = value
      const step = Math.abs(unwrapStep(value - last))
      if (step > fastest) fastest = step
      same = value === last ? same + 1 : 0
      if (same > longestSame) longestSame = same
      last = value
    }
    spans.min[dimension] = min
    spans.max[dimension] = max
    spans.fastest[dimension] = fastest
    spans.longestSame[dimension] = longestSame
  }
  return spans
}
