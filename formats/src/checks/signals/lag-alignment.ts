import { findMedian } from '../../statistics/usual.ts'

export interface AlignedEpisode {
  readonly position: number
  /** Frames by which it is later than the set. */
  readonly shift: number
  /** Where its own curve is highest, to a tenth of a frame: moved by so many frames, an episode's moves by as many. */
  readonly peak: number
  /** How well its curve lies on the set's, moved by the shift: 0 to 1. */
  readonly confidence: number
}

interface Found {
  readonly shift: number
  /** The same, with its fraction. */
  readonly exact: number
  readonly fit: number
}

const rounds = 3
/** Under this nothing follows anything. */
const leastStrength = 0.08

/**
 * The set's own delay, and what each episode differs from it. A curve's highest point moves with how the arm happened to move; the
 * shift at which the whole curve lies on the set's does so less. An episode is said to differ only if its curve fits there better than
 * where the set's lies, by `margin` of a correlation. `strength`: how high the set's curve is at its delay, 0 to 1.
 */
export function alignCurves(
  curves: ReadonlyMap<number, Float64Array>,
  reach: number,
  margin: number,
): { delay: number; strength: number; aligned: AlignedEpisode[] } {
  const positions = [...curves.keys()]
  const list = [...curves.values()]
  let found: Found[] = list.map(() => ({ shift: 0, exact: 0, fit: 0 }))
  let usual = new Float64Array(2 * reach + 1)
  for (let round = 0; round < rounds; round++) {
    usual = drawUsual(list, found, reach)
    found = list.map((curve) => findShift(curve, usual, reach, margin))
  }
  // Shifted episodes draw the set's curve towards them: most of the others are not to be called shifted for that.
  const home = Math.round(findMedian(Float64Array.from(found, ({ exact }) => exact)))
  if (home !== 0) found = list.map((curve) => findShift(curve, usual, reach, margin, home))
  let delay = 0
  for (let at = 0; at < usual.length; at++)
    if ((usual[at] as number) > (usual[delay + reach] as number)) delay = at - reach
  const middle = findMedian(Float64Array.from(found, ({ exact }) => exact))
  const aligned = positions.map((position, index) => {
    const { shift, exact, fit } = found[index] as Found
    const strength = Math.max(...(list[index] as Float64Array))
    return {
      position,
      // Half a frame from most of the others is no frame.
      shift: Math.abs(exact - middle) < 0.5 ? 0 : shift,
      peak: Math.round(10 * (findPeak(list[index] as Float64Array) - reach)) / 10,
      confidence: strength < leastStrength ? 0 : Math.min(1, Math.max(0, fit)),
    }
  })
  const strength = Math.min(1, Math.max(0, usual[delay + reach] as number))
  return { delay: delay + home, strength, aligned }
}

function findPeak(curve: Float64Array): number {
  let highest = 0
  for (let at = 0; at < curve.length; at++) if ((curve[at] as number) > (curve[highest] as number)) highest = at
  return highest + refinePeak(curve, highest)
}

/** Where the parabola through a highest point and its neighbours is highest: half a frame to either side at most. */
function refinePeak(curve: Float64Array, at: number): number {
  const [before, here, after] = [curve[at - 1], curve[at] as number, curve[at + 1]]
  if (before === undefined || after === undefined) return 0
  const bend = before - 2 * here + after
  return bend < 0 ? (before - after) / bend / 2 : 0
}

/**
 * The median of the curves, each moved to where the set's lies. Those that are not shifted are enough where they are the most: the
 * others fit to a frame only.
 */
function drawUsual(curves: readonly Float64Array[], found: readonly Found[], reach: number): Float64Array<ArrayBuffer> {
  const still = found.filter(({ shift }) => shift === 0).length
  const usesAll = still <= curves.length / 2
  const usual = new Float64Array(2 * reach + 1)
  const values = new Float64Array(curves.length)
  for (let at = 0; at < usual.length; at++) {
    let count = 0
    for (let index = 0; index < curves.length; index++) {
      const { shift } = found[index] as Found
      const curve = curves[index] as Float64Array
      const place = at + shift
      if ((usesAll || shift === 0) && place >= 0 && place < curve.length) values[count++] = curve[place] as number
    }
    usual[at] = findMedian(values.subarray(0, count))
  }
  return usual
}

/** `home`: where the set lies, in frames after its curve. */
function findShift(curve: Float64Array, usual: Float64Array, reach: number, margin: number, home = 0): Found {
  const most = reach >> 1
  const fits = new Float64Array(2 * most + 1)
  for (let at = 0; at < fits.length; at++) fits[at] = fitAt(curve, usual, at - most)
  let best = most + home
  for (let at = 0; at < fits.length; at++) if ((fits[at] as number) > (fits[best] as number)) best = at
  const [fit, unmoved] = [fits[best] as number, fits[most + home] as number]
  const shift = best - most - home
  const exact = shift + refinePeak(fits, best)
  return fit > unmoved + margin ? { shift, exact, fit } : { shift: 0, exact, fit: unmoved }
}

/** Pearson's correlation of what overlaps. */
function fitAt(curve: Float64Array, usual: Float64Array, shift: number): number {
  const from = Math.max(0, -shift)
  const to = Math.min(usual.length, usual.length - shift)
  let x = 0
  let y = 0
  let xx = 0
  let yy = 0
  let xy = 0
  for (let at = from; at < to; at++) {
    const a = usual[at] as number
    const b = curve[at + shift] as number
    x += a
    y += b
    xx += a * a
    yy += b * b
    xy += a * b
  }
  const count = to - from
  const spread = Math.sqrt((xx - (x * x) / count) * (yy - (y * y) / count))
  return spread > 0 ? (xy - (x * y) / count) / spread : 0
}
