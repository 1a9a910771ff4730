import { findMedian } from '../../statistics/usual.ts'

export interface AlignedEpisode {
  readonly position: number
  /** Frames by which it is later than the set. */
  readonly shift: number
  /** How well its curve lies on the set's, moved by the shift: 0 to 1. */
  readonly confidence: number
}

interface Found {
  readonly shift: number
  readonly fit: number
}

const rounds = 3
/** Under this nothing follows anything. */
const leastStrength = 0.08

/**
 * The set's own delay, and what each episode differs from it. A curve's highest point moves with how the arm happened to move; the
 * shift at which the whole curve lies on the set's does not. An episode is said to differ only if its curve fits there better than
 * where the set's lies, by `margin` of a correlation.
 */
export function alignCurves(
  curves: ReadonlyMap<number, Float64Array>,
  reach: number,
  margin: number,
): { delay: number; aligned: AlignedEpisode[] } {
  const positions = [...curves.keys()]
  const list = [...curves.values()]
  let found: Found[] = list.map(() => ({ shift: 0, fit: 0 }))
  let usual = new Float64Array(2 * reach + 1)
  for (let round = 0; round < rounds; round++) {
    usual = drawUsual(list, found, reach)
    found = list.map((curve) => findShift(curve, usual, reach, margin))
  }
  let delay = 0
  for (let at = 0; at < usual.length; at++)
    if ((usual[at] as number) > (usual[delay + reach] as number)) delay = at - reach
  const aligned = positions.map((position, index) => {
    const { shift, fit } = found[index] as Found
    const strength = Math.max(...(list[index] as Float64Array))
    return { position, shift, confidence: strength < leastStrength ? 0 : Math.min(1, Math.max(0, fit)) }
  })
  return { delay, aligned }
}

/** The median of the curves, each moved to where the set's lies. */
function drawUsual(curves: readonly Float64Array[], found: readonly Found[], reach: number): Float64Array<ArrayBuffer> {
  return Float64Array.from({ length: 2 * reach + 1 }, (_, at) => {
    const values = curves.flatMap((curve, index) => curve[at + (found[index] as Found).shift] ?? [])
    return findMedian(Float64Array.from(values))
  })
}

function findShift(curve: Float64Array, usual: Float64Array, reach: number, margin: number): Found {
  const fits = new Map<number, number>()
  for (let shift = -reach >> 1; shift <= reach >> 1; shift++) fits.set(shift, fitAt(curve, usual, shift))
  const [shift, fit] = [...fits].reduce((best, next) => (next[1] > best[1] ? next : best))
  return fit > (fits.get(0) as number) + margin ? { shift, fit } : { shift: 0, fit: fits.get(0) as number }
}

/** Pearson's correlation of what overlaps. */
function fitAt(curve: Float64Array, usual: Float64Array, shift: number): number {
  const from = Math.max(0, -shift)
  const to = Math.min(usual.length, usual.length - shift)
  let [x, y, xx, yy, xy] = [0, 0, 0, 0, 0]
  for (let at = from; at < to; at++) {
    const [a, b] = [usual[at] as number, curve[at + shift] as number]
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
