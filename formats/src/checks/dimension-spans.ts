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
  for (let dimension = 0; dimension < width && dimension < rows.length; dimension++)
    measureDimension(rows, width, dimension, spans)
  return spans
}

function measureDimension(rows: Float64Array, width: number, dimension: number, spans: DimensionSpans): void {
  let last = rows[dimension] as number
  let min = last
  let max = last
  let fastest = 0
  let same = 0
  let longestSame = 0
  for (let at = dimension + width; at < rows.length; at += width) {
    const value = rows[at] as number
    if (value < min) min = value
    else if (value > max) max = value
    if (value === last) {
      same++
      if (same > longestSame) longestSame = same
    } else {
      same = 0
      const step = Math.abs(unwrapStep(value - last))
      if (step > fastest) fastest = step
      last = value
    }
  }
  spans.min[dimension] = min
  spans.max[dimension] = max
  spans.fastest[dimension] = fastest
  spans.longestSame[dimension] = longestSame
}
