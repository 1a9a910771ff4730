import type { FrameRange, KeptRanges } from '@nmp/formats/frame-ranges'
import { allFrames, findFrames, type KeptFrames } from './kept-frames.ts'

/** Which frames some episodes have, in arrays that a thread can be given; the episodes are numbered anew, in their order. */
export interface PackedFrames {
  /** How many ranges each has; none for an episode with all its frames. */
  counts: Uint32Array
  /** From and to of every range. */
  bounds: Uint32Array
}

export function packFrames(frames: KeptFrames, episodes: Uint32Array): PackedFrames | null {
  if (frames.size === 0) return null
  const counts = new Uint32Array(episodes.length)
  const bounds: number[] = []
  for (const [place, episode] of episodes.entries()) {
    const ranges = frames.get(episode) ?? []
    counts[place] = ranges.length
    for (const [from, to] of ranges) bounds.push(from, to)
  }
  return { counts, bounds: Uint32Array.from(bounds) }
}

export function unpackFrames(packed: PackedFrames | null): KeptFrames {
  if (!packed) return allFrames
  const { counts, bounds } = packed
  const starts = new Uint32Array(counts.length)
  for (let place = 1; place < counts.length; place++)
    starts[place] = (starts[place - 1] as number) + (counts[place - 1] as number)
  return findFrames(counts.length, (place): KeptRanges | undefined => {
    const count = counts[place] ?? 0
    if (count === 0) return undefined
    const first = starts[place] as number
    const at = (range: number): FrameRange => [bounds[2 * range] as number, bounds[2 * range + 1] as number]
    return Array.from({ length: count }, (_, range) => at(first + range))
  })
}
