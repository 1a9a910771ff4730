import type { ArmDimension } from '../../statistics/motion-signal.ts'

/** How the arm went through each episode of a set, in few numbers: what near-duplicates are told by, in the set and beyond it. */
export interface MotionPaths {
  /** What it was measured by. */
  readonly role: 'state' | 'action'
  /** Of a row. */
  readonly width: number
  /** Of the row, in the order in which a point has them. */
  readonly dimensions: readonly number[]
  /** By dimension: what values were multiplied with, 1 / range of the set. */
  readonly scales: readonly number[]
  /** The source's own numbers. */
  readonly episodes: readonly number[]
  /** In frames. */
  readonly lengths: readonly number[]
  /** Episode by episode, point by point, dimension by dimension. */
  readonly points: Float32Array
}

export const pointsPerPath = 24
export const maxPathDimensions = 8
const lengthShare = 0.95
/** Of the median distance of two episodes: where all are alike, none is a copy. */
export const pairShare = 0.2
/** Fewer episodes do not tell what is usual between two. */
export const minPaths = 3
const sampledPairs = 2000

/** Of about the same length. */
export const areAlike = (a: number, b: number): boolean => Math.min(a, b) >= lengthShare * Math.max(a, b)
/** The lengths that are like one of so many frames: from, to. */
export const alikeLengths = (frames: number): readonly [number, number] => [frames * lengthShare, frames / lengthShare]

/** The arm at some times of the episode, each dimension divided by its range, or more where it is mostly noise. */
export function drawPath(
  rows: Float64Array,
  frames: number,
  width: number,
  arm: readonly Pick<ArmDimension, 'dimension' | 'scale'>[],
): Float32Array {
  const path = new Float32Array(pointsPerPath * arm.length)
  for (let point = 0; point < pointsPerPath; point++) {
    const place = (point * (frames - 1)) / (pointsPerPath - 1)
    const frame = Math.min(frames - 2, Math.floor(place))
    for (const [index, { dimension, scale }] of arm.entries()) {
      const at = frame * width + dimension
      const [a, b] = [rows[at] as number, rows[at + width] as number]
      path[point * arm.length + index] = (a + (b - a) * (place - frame)) * scale
    }
  }
  return path
}

/** Root of the mean square; Infinity once it is known to be beyond the limit. */
export function measureDistance(a: Float32Array, b: Float32Array, limit: number): number {
  const most = limit * limit * a.length
  let sum = 0
  for (let at = 0; at < a.length; at++) {
    const apart = (a[at] as number) - (b[at] as number)
    sum += apart * apart
    if (sum > most) return Number.POSITIVE_INFINITY
  }
  return Math.sqrt(sum / a.length)
}

/** The median of some pairs, spread evenly over all. */
export function findUsualDistance(paths: readonly Float32Array[]): number {
  const distances = new Float64Array(Math.min(sampledPairs, (paths.length * (paths.length - 1)) / 2))
  for (let pair = 0; pair < distances.length; pair++) {
    const one = pair % paths.length
    const apart = 1 + (Math.floor(pair / paths.length) % (paths.length - 1))
    const other = (one + apart) % paths.length
    const [a, b] = [paths[one] as Float32Array, paths[other] as Float32Array]
    distances[pair] = measureDistance(a, b, Number.POSITIVE_INFINITY)
  }
  return distances.sort()[distances.length >> 1] ?? 0
}
