import { formatCount } from '../../parts/formats.ts'

/** From and to which distance the colours go. */
export interface DepthSpan {
  near: number
  far: number
}

/** Red, green and blue of viridis as polynomials of the sixth degree: it grows lighter evenly, also for who does not see red or green. */
const viridis = [
  [0.2777273272, 0.1050930431, -0.3308618287, -4.634230499, 6.2282699363, 4.7763849977, -5.4354558559],
  [0.0054073445, 1.4046135299, 0.2148475595, -5.7991009734, 14.1799333668, -13.7451453777, 4.6458526122],
  [0.3340998053, 1.3845901626, 0.095095163, -19.3324409563, 56.6905526007, -65.3530326334, 26.3124352496],
] as const

const tableSize = 256

/** Near is dark. */
export const depthColours: readonly (readonly [number, number, number])[] = Array.from(
  { length: tableSize },
  (_, index) => viridis.map((factors) => toByte(factors, index / (tableSize - 1))) as [number, number, number],
)

function toByte(factors: readonly number[], at: number): number {
  const share = factors.reduceRight((sum, factor) => sum * at + factor, 0)
  return Math.round(Math.min(1, Math.max(0, share)) * 255)
}

/** Nearest and farthest that was measured; undefined where nothing was. */
export function findSpan(millimetres: Uint16Array): DepthSpan | undefined {
  let [near, far] = [Number.POSITIVE_INFINITY, 0]
  for (const value of millimetres) {
    if (value === 0) continue
    if (value < near) near = value
    if (value > far) far = value
  }
  return far > 0 ? { near, far } : undefined
}

/** As pixels of a canvas; where nothing was measured nothing is painted. */
export function paintDepth(millimetres: Uint16Array, { near, far }: DepthSpan): Uint8ClampedArray<ArrayBuffer> {
  const pixels = new Uint8ClampedArray(millimetres.length * 4)
  const scale = far > near ? (tableSize - 1) / (far - near) : 0
  for (let at = 0; at < millimetres.length; at++) {
    const value = millimetres[at] as number
    if (value === 0) continue
    const place = Math.round((Math.min(far, Math.max(near, value)) - near) * scale)
    const [red, green, blue] = depthColours[place] ?? [0, 0, 0]
    pixels[at * 4] = red
    pixels[at * 4 + 1] = green
    pixels[at * 4 + 2] = blue
    pixels[at * 4 + 3] = 255
  }
  return pixels
}

const metre = 1000

/** For the ends of a scale: millimetres up to a metre, then metres. */
export const formatDistance = (millimetres: number): string =>
  millimetres < metre ? `${millimetres} mm` : `${(millimetres / metre).toFixed(2)} m`

/** What was measured at a place, in words: the end of a camera's range stands for all that lies beyond. */
export function nameDistance(millimetres: number, far: number | null): string {
  if (millimetres === 0) return 'no measurement'
  return `${formatCount(millimetres)} mm${far !== null && millimetres >= far ? ' or more' : ''}`
}
