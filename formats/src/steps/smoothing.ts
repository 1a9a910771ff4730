/** Smoothing over frames. Near the ends of an episode the window holds the frames that exist, and no others. */
export type SmoothingMode = 'mean' | 'median' | 'gaussian'

/** Frames `first` to `first + count` of one dimension, smoothed; the others are neighbours. */
export type Smooth = (values: Float64Array, first: number, count: number) => Float64Array

/** The window spans three standard deviations to each side. */
const WINDOW_SIGMAS = 6

export function createSmooth(mode: SmoothingMode, window: number): Smooth {
  const half = window >> 1
  if (mode === 'median') return (values, first, count) => takeMedians(values, first, count, half)
  const sigma = window / WINDOW_SIGMAS
  const weigh = (distance: number) => (mode === 'mean' ? 1 : Math.exp(-0.5 * (distance / sigma) ** 2))
  const weights = Float64Array.from({ length: half + 1 }, (_, distance) => weigh(distance))
  return (values, first, count) => takeMeans(values, first, count, weights)
}

/** Each sum is made anew: a running one would depend on where the reading began. */
function takeMeans(values: Float64Array, first: number, count: number, weights: Float64Array): Float64Array {
  const half = weights.length - 1
  const results = new Float64Array(count)
  for (let row = 0; row < count; row++) {
    const at = first + row
    const end = Math.min(values.length, at + half + 1)
    let sum = 0
    let total = 0
    for (let frame = Math.max(0, at - half); frame < end; frame++) {
      const weight = weights[frame < at ? at - frame : frame - at] as number
      sum += weight * (values[frame] as number)
      total += weight
    }
    results[row] = sum / total
  }
  return results
}

/**
 * Of an even number of frames the mean of the two in the middle; a NaN in the window makes the result NaN, as in numpy. The window
 * stays sorted while it moves: sorting it anew for each frame took fifteen times as long.
 */
function takeMedians(values: Float64Array, first: number, count: number, half: number): Float64Array {
  const sorted = new Float64Array(2 * half + 2)
  let size = 0
  let notNumbers = 0
  const place = (value: number): number => {
    let low = 0
    for (let high = size; low < high; ) {
      const middle = (low + high) >>> 1
      if ((sorted[middle] as number) < value) low = middle + 1
      else high = middle
    }
    return low
  }
  const add = (value: number) => {
    if (Number.isNaN(value)) return void notNumbers++
    const at = place(value)
    sorted.copyWithin(at + 1, at, size++)
    sorted[at] = value
  }
  const remove = (value: number) => {
    if (Number.isNaN(value)) return void notNumbers--
    const at = place(value)
    sorted.copyWithin(at, at + 1, size--)
  }
  const results = new Float64Array(count)
  for (let frame = Math.max(0, first - half); frame < Math.min(values.length, first + half); frame++)
    add(values[frame] as number)
  for (let row = 0; row < count; row++) {
    const at = first + row
    if (at + half < values.length) add(values[at + half] as number)
    if (row > 0 && at - half - 1 >= 0) remove(values[at - half - 1] as number)
    const middle = size >> 1
    const upper = sorted[middle] as number
    const median = size % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2
    results[row] = notNumbers > 0 ? Number.NaN : median
  }
  return results
}
