/** Frames [from, to). */
export type FrameRange = readonly [from: number, to: number]

/** Ascending ranges that neither overlap nor are empty: which frames of an episode are kept. */
export type KeptRanges = readonly FrameRange[]

export const countKept = (ranges: KeptRanges): number => ranges.reduce((sum, [from, to]) => sum + to - from, 0)

/** Each kept frame's number in the source. */
export function listKept(ranges: KeptRanges): Uint32Array {
  const frames = new Uint32Array(countKept(ranges))
  let filled = 0
  for (const [from, to] of ranges) for (let frame = from; frame < to; frame++) frames[filled++] = frame
  return frames
}

/** How many kept frames come before a frame of the source: where it is now, or what follows it. */
export const countBefore = (ranges: KeptRanges, frame: number): number =>
  ranges.reduce((sum, [from, to]) => sum + Math.max(0, Math.min(to, frame) - from), 0)

/** One list after the other: `inner` counts the frames that `outer` keeps. */
export function composeKept(outer: KeptRanges, inner: KeptRanges): FrameRange[] {
  const result: FrameRange[] = []
  let before = 0
  let place = 0
  for (const [from, to] of outer) {
    const end = before + to - from
    while (place < inner.length) {
      const [start, stop] = inner[place] as FrameRange
      if (start >= end) break
      const shift = from - before
      appendRange(result, [Math.max(start, before) + shift, Math.min(stop, end) + shift])
      if (stop > end) break
      place++
    }
    before = end
  }
  return result
}

/** The frames that both keep. */
export function intersectKept(one: KeptRanges, other: KeptRanges): FrameRange[] {
  const result: FrameRange[] = []
  for (const [from, to] of one)
    for (const [start, end] of other)
      if (Math.max(from, start) < Math.min(to, end)) appendRange(result, [Math.max(from, start), Math.min(to, end)])
  return result
}

/** The frames of an episode that lie in none of these. */
export function invertKept(ranges: KeptRanges, length: number): FrameRange[] {
  const result: FrameRange[] = []
  let next = 0
  for (const [from, to] of ranges) {
    if (from > next) result.push([next, from])
    next = Math.max(next, to)
  }
  if (next < length) result.push([next, length])
  return result
}

/** Ranges that meet are one. */
function appendRange(ranges: FrameRange[], [from, to]: FrameRange): void {
  const last = ranges.at(-1)
  if (last?.[1] === from) ranges[ranges.length - 1] = [last[0], to]
  else ranges.push([from, to])
}
