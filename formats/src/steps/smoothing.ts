/** Smoothing over frames. Near the ends of an episode the window holds the frames that exist, and no others. */
export type SmoothingMode = 'mean' | 'median' | 'gaussian'

/** The window spans three standard deviations to each side. */
const WINDOW_SIGMAS = 6

/** The result of frame `at` from the frames `from` to `to` (exclusive) of one dimension. */
type Smooth = (values: Float64Array, from: number, to: number, at: number) => number

export function createSmooth(mode: SmoothingMode, window: number): Smooth {
  if (mode === 'mean') return takeMean
  if (mode === 'median') return takeMedian
  const sigma = window / WINDOW_SIGMAS
  const weights = Float64Array.from({ length: (window >> 1) + 1 }, (_, distance) =>
    Math.exp(-0.5 * (distance / sigma) ** 2),
  )
  return (values, from, to, at) => {
    let sum = 0
    let total = 0
    for (let frame = from; frame < to; frame++) {
      const weight = weights[Math.abs(frame - at)] as number
      sum += weight * (values[frame] as number)
      total += weight
    }
    return sum / total
  }
}

function takeMean(values: Float64Array, from: number, to: number): number {
  let sum = 0
  for (let frame = from; frame < to; frame++) sum += values[frame] as number
  return sum / (to - from)
}

/** Of an even number of frames the mean of the two in the middle; a NaN in the window makes the result NaN, as in numpy. */
function takeMedian(values: Float64Array, from: number, to: number): number {
  const sorted = values.slice(from, to).sort()
  if (Number.isNaN(sorted.at(-1))) return Number.NaN
  const middle = sorted.length >> 1
  const upper = sorted[middle] as number
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2
}
