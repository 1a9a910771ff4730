/** Smoothing over frames. Near the ends of an episode the window holds the frames that exist, and no others. */
export type SmoothingMode = 'mean' | 'median' | 'gaussian'

/** Fills `results` with the frames from `first` on of one dimension, smoothed; the others are neighbours. */
export type Smooth = (values: Float64Array, first: number, results: Float64Array) => void

/** The window spans three standard deviations to each side. */
const windowSigmas = 6

export function createSmooth(mode: SmoothingMode, window: number): Smooth {
  const half = window >> 1
  if (mode === 'median') return (values, first, results) => takeMedians(values, first, results, half)
  const sigma = window / windowSigmas
  const weigh = (distance: number) => (mode === 'mean' ? 1 : Math.exp(-0.5 * (distance / sigma) ** 2))
  const weights = Float64Array.from({ length: half + 1 }, (_, distance) => weigh(distance))
  const isPlain = mode === 'mean'
  return (values, first, results) =>
    isPlain && hasExactSums(values, window)
      ? takeRunningMeans(values, first, results, half)
      : takeMeans(values, first, results, weights)
}

/**
 * Whether every sum of `window` of these values is a double without rounding: all are multiples of a power of two of which no sum
 * needs more than 52 bits. Numbers stored as float32 nearly always are. Then a running sum is what adding anew would give.
 */
function hasExactSums(values: Float64Array, window: number): boolean {
  let largest = 0
  for (let at = 0; at < values.length; at++) {
    const size = Math.abs(values[at] as number)
    // The comparison is false for NaN, which the next loop finds.
    if (size > largest) largest = size
  }
  const bound = 2 ** Math.ceil(Math.log2(Math.max(largest, 1e-280) * window) + 1)
  if (!(bound < 1e290)) return false
  // Adding and taking away rounds to the power of two in question.
  const anchor = 1.5 * bound
  for (let at = 0; at < values.length; at++) {
    const value = values[at] as number
    if (value + anchor - anchor !== value) return false
  }
  return true
}

function takeRunningMeans(values: Float64Array, first: number, results: Float64Array, half: number): void {
  const { length } = values
  let sum = 0
  let size = 0
  for (let at = Math.max(0, first - half); at < Math.min(length, first + half); at++) {
    sum += values[at] as number
    size++
  }
  for (let row = 0; row < results.length; row++) {
    const at = first + row
    if (at + half < length) {
      sum += values[at + half] as number
      size++
    }
    if (row > 0 && at - half > 0) {
      sum -= values[at - half - 1] as number
      size--
    }
    results[row] = sum / size
  }
}

/** Each sum is made anew, from the first frame to the last: a running one would depend on where the reading began. */
function takeMeans(values: Float64Array, first: number, results: Float64Array, weights: Float64Array): void {
  const half = weights.length - 1
  const count = results.length
  const wholeFrom = Math.min(count, Math.max(0, half - first))
  const wholeTo = Math.max(wholeFrom, Math.min(count, values.length - half - first))
  takeEdgeMeans(values, first, results, [0, wholeFrom], weights)
  const left = takeWholeMeans(values, first, results, [wholeFrom, wholeTo], weights)
  takeEdgeMeans(values, first, results, [left, count], weights)
}

/** Windows of which some frames do not exist. */
function takeEdgeMeans(
  values: Float64Array,
  first: number,
  results: Float64Array,
  [fromRow, toRow]: readonly [number, number],
  weights: Float64Array,
): void {
  const half = weights.length - 1
  for (let row = fromRow; row < toRow; row++) {
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
}

/** Whole windows, four at a time: the sums are the same, but the processor need not wait for one addition to begin the next. */
function takeWholeMeans(
  values: Float64Array,
  first: number,
  results: Float64Array,
  [fromRow, toRow]: readonly [number, number],
  weights: Float64Array,
): number {
  const half = weights.length - 1
  const window = 2 * half + 1
  const around = Float64Array.from({ length: window }, (_, place) => weights[Math.abs(place - half)] as number)
  const total = around.reduce((sum, weight) => sum + weight, 0)
  let row = fromRow
  for (; row + 4 <= toRow; row += 4) {
    const start = first + row - half
    let [one, two, three, four] = [0, 0, 0, 0]
    for (let place = 0; place < window; place++) {
      const weight = around[place] as number
      const at = start + place
      one += weight * (values[at] as number)
      two += weight * (values[at + 1] as number)
      three += weight * (values[at + 2] as number)
      four += weight * (values[at + 3] as number)
    }
    results[row] = one / total
    results[row + 1] = two / total
    results[row + 2] = three / total
    results[row + 3] = four / total
  }
  return row
}

/**
 * Of an even number of frames the mean of the two in the middle; a NaN in the window makes the result NaN, as in numpy. The window
 * stays sorted while it moves: sorting it anew for each frame took fifteen times as long.
 */
function takeMedians(values: Float64Array, first: number, results: Float64Array, half: number): void {
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
  for (let frame = Math.max(0, first - half); frame < Math.min(values.length, first + half); frame++)
    add(values[frame] as number)
  for (let row = 0; row < results.length; row++) {
    const at = first + row
    if (at + half < values.length) add(values[at + half] as number)
    if (row > 0 && at - half - 1 >= 0) remove(values[at - half - 1] as number)
    const middle = size >> 1
    const upper = sorted[middle] as number
    const median = size % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2
    results[row] = notNumbers > 0 ? Number.NaN : median
  }
}
