import type { MotionPaths } from '@nmp/formats/checks/motion-paths'

const episodesAPart = 1000

/** As they are kept: 32-bit floats, little-endian. */
export const writePoints = (points: Float32Array): Buffer =>
  Buffer.from(points.buffer, points.byteOffset, points.byteLength)

/** Copied, as floats have to lie at a multiple of four bytes. */
export const readPoints = (bytes: Buffer): Float32Array => new Float32Array(Uint8Array.from(bytes).buffer)

/** The same in JSON, for one process to hand to another. */
export type WrittenPaths = Omit<MotionPaths, 'points'> & { points: string }

export const packPaths = ({ points, ...paths }: MotionPaths): WrittenPaths => ({
  ...paths,
  points: writePoints(points).toString('base64'),
})

export const unpackPaths = ({ points, ...paths }: WrittenPaths): MotionPaths => ({
  ...paths,
  points: readPoints(Buffer.from(points, 'base64')),
})

/** So that what is compared is never held as a whole. */
export function* splitPaths({ points, ...paths }: MotionPaths): Generator<MotionPaths & { firstPlace: number }> {
  const size = points.length / Math.max(1, paths.episodes.length)
  for (let firstPlace = 0; firstPlace < paths.episodes.length; firstPlace += episodesAPart) {
    const end = firstPlace + episodesAPart
    yield {
      ...paths,
      firstPlace,
      episodes: paths.episodes.slice(firstPlace, end),
      lengths: paths.lengths.slice(firstPlace, end),
      points: points.subarray(firstPlace * size, end * size),
    }
  }
}

/** Of one revision. */
export function joinParts(parts: readonly MotionPaths[]): MotionPaths | undefined {
  const [first] = parts
  if (!first) return undefined
  const points = new Float32Array(parts.reduce((sum, part) => sum + part.points.length, 0))
  let from = 0
  for (const part of parts) {
    points.set(part.points, from)
    from += part.points.length
  }
  return {
    ...first,
    episodes: parts.flatMap(({ episodes }) => episodes),
    lengths: parts.flatMap(({ lengths }) => lengths),
    points,
  }
}
