import { type FrameRange, intersectKept, invertKept, type KeptRanges } from '../frame-ranges.ts'
import type { CutPart } from './cut.ts'

/** `split`: each kept range is an episode. `drop`: they are joined into one. */
export type InsideMode = 'split' | 'drop'

export interface SplitSettings {
  /** Frames at which a new part begins. */
  readonly at: readonly number[]
  /** One for each part. */
  readonly tasks?: readonly string[] | null
}

export interface EpisodeCuts {
  readonly length: number
  /** Kept frames; all when omitted. */
  readonly ranges?: KeptRanges | undefined
  readonly inside: InsideMode
  readonly split?: SplitSettings | undefined
}

/** What becomes of one episode. A part that would have no frame is in the list, so that who asked for it can be told. */
export function planParts({ length, ranges, inside, split }: EpisodeCuts): CutPart[] {
  const kept: KeptRanges = ranges ?? [[0, length]]
  const bounds = [0, ...(split?.at ?? []), length]
  const parts: CutPart[] = []
  for (const [place, from] of bounds.slice(0, -1).entries()) {
    const own = intersectKept(kept, [[from, bounds[place + 1] as number]])
    const task = split?.tasks?.[place]
    const named = task === undefined ? {} : { task }
    if (inside === 'split' && own.length > 0) for (const range of own) parts.push({ ranges: [range], ...named })
    else parts.push({ ranges: own, ...named })
  }
  return parts
}

/** Where the still frames are taken away. */
export type IdleFrom = 'start' | 'end' | 'both' | 'anywhere'

export interface IdleCut {
  readonly from: IdleFrom
  /** Still frames that stay beside what moves. */
  readonly keepFrames: number
}

/**
 * What is left of an episode without the rests in it. Kept frames begin at an even one, so at most one still frame more is kept:
 * LeRobot writes a keyframe every second frame, and what begins at one is copied without encoding a frame.
 */
export function cutIdle(runs: readonly FrameRange[], length: number, { from, keepFrames }: IdleCut): FrameRange[] {
  const cut: FrameRange[] = []
  for (const [start, end] of runs) {
    const isStart = start === 0
    const isEnd = end === length
    if (from === 'start' && !isStart) continue
    if (from === 'end' && !isEnd) continue
    if (from === 'both' && !isStart && !isEnd) continue
    const first = isStart ? 0 : start + keepFrames
    const next = isEnd ? length : end - keepFrames
    const last = isEnd ? length : next - (next % 2)
    if (first < last) cut.push([first, last])
  }
  return invertKept(cut, length)
}
