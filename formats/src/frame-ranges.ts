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

/** The same for many frames of one list, however many ranges a lower rate has left. */
export function createCountBefore(ranges: KeptRanges): (frame: number) => number {
  const before = new Uint32Array(ranges.length)
  for (let place = 1; place < ranges.length; place++) {
    const [from, to] = ranges[place - 1] as FrameRange
    before[place] = (before[place - 1] as number) + to - from
  }
  return (frame) => {
    let [low, high] = [0, ranges.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ranges[middle] as FrameRange)[0] < frame) low = middle + 1
      else high = middle
    }
    const last = ranges[low - 1]
    return last ? (before[low - 1] as number) + Math.min(last[1], frame) - last[0] : 0
  }
}

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

/** Which frame of `fps` a lower rate takes at its n-th time: the nearest, the earlier of two. */
const pickFrame = (place: number, fps: number, rate: number): number =>
  Math.max(0, Math.ceil((place * fps) / rate - 0.5 - 1e-9))

/** How many frames an episode has at a lower rate. */
export function countAtRate(length: number, fps: number, rate: number): number {
  let count = Math.max(0, Math.floor(((length - 0.5) * rate) / fps))
  while (pickFrame(count, fps, rate) < length) count++
  return count
}

/** The frames that a lower rate takes: the first, and for each of its times the nearest. */
export function pickAtRate(length: number, fps: number, rate: number): FrameRange[] {
  const picked: FrameRange[] = []
  for (let place = 0; ; place++) {
    const frame = pickFrame(place, fps, rate)
    if (frame >= length) return picked
    appendRange(picked, [frame, frame + 1])
  }
}

/** Ranges of the source in numbers of the frames that `outer` keeps of it, all of which they lie in. */
export function countWithin(outer: KeptRanges, inner: KeptRanges): FrameRange[] {
  const result: FrameRange[] = []
  let [place, before] = [0, 0]
  /** Ascending calls only. */
  const count = (frame: number): number => {
    for (let range = outer[place]; range && range[1] <= frame; range = outer[++place]) before += range[1] - range[0]
    return before + Math.max(0, frame - (outer[place]?.[0] ?? frame))
  }
  for (const [from, to] of inner) appendRange(result, [count(from), count(to)])
  return result
}
