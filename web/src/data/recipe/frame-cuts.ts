import type { Recipe } from './recipe-draft.ts'

/** Frames [from, to). */
export type FrameRange = readonly [from: number, to: number]
export type Trim = NonNullable<Recipe['trim']>
export type IdleRule = NonNullable<Trim['idle']>
type Split = NonNullable<Recipe['split']>[string]
/** What a recipe says of single frames of episodes. */
export type FrameCuts = Pick<Recipe, 'trim' | 'split'>

const noTrim: Trim = { ranges: null, inside: null, idle: null }
/** Every key of the rule, unset: the still start goes. */
export const defaultIdle: IdleRule = {
  from: null,
  inside: null,
  signal: null,
  min_idle_frames: null,
  keep_frames: null,
  threshold: null,
}

export const countFrames = (ranges: readonly FrameRange[]): number =>
  ranges.reduce((sum, [from, to]) => sum + to - from, 0)

/** Frames of an episode that lie in none of these. */
export function listGone(kept: readonly FrameRange[], length: number): FrameRange[] {
  const gone: FrameRange[] = []
  let next = 0
  for (const [from, to] of kept) {
    if (from > next) gone.push([next, from])
    next = to
  }
  if (next < length) gone.push([next, length])
  return gone
}

export const intersect = (one: readonly FrameRange[], other: readonly FrameRange[]): FrameRange[] =>
  one.flatMap(([from, to]) =>
    other.flatMap(([start, end]): FrameRange[] =>
      Math.max(from, start) < Math.min(to, end) ? [[Math.max(from, start), Math.min(to, end)]] : [],
    ),
  )

/** The ranges that the recipe names for an episode. */
export const listNamed = ({ trim }: FrameCuts, episode: number): FrameRange[] | undefined =>
  trim?.ranges?.[episode]?.map(([from = 0, to = 0]): FrameRange => [from, to])

export const listSplits = ({ split }: FrameCuts, episode: number): readonly number[] => split?.[episode]?.at ?? []

/** A change of one part of `trim`; what asks for nothing is left out of the recipe. */
export function changeTrim(trim: Recipe['trim'], change: Partial<Trim>): Recipe['trim'] {
  const next = { ...noTrim, ...trim, ...change }
  if (next.ranges && Object.keys(next.ranges).length === 0) next.ranges = null
  if (!next.ranges) next.inside = null
  return next.ranges || next.idle ? next : null
}

const without = <T>(entries: Record<string, T> | null, key: number): Record<string, T> | null => {
  const { [key]: _, ...others } = entries ?? {}
  return Object.keys(others).length > 0 ? others : null
}

interface CutEpisode {
  index: number
  length: number
  /** What the recipe keeps of it so far, by ranges or by the rule for still frames. */
  kept: readonly FrameRange[]
}

/** Nothing but these frames, of what is kept; or these where all of them were cut before. */
export function keepOnly(cuts: FrameCuts, episode: CutEpisode, range: FrameRange): FrameCuts {
  const left = intersect(episode.kept, [range])
  return setKept(cuts, episode, left.length > 0 ? left : [range])
}

/** Without these frames; undefined where none would be left. */
export function cutOut(cuts: FrameCuts, episode: CutEpisode, [from, to]: FrameRange): FrameCuts | undefined {
  const left = intersect(episode.kept, listGone([[from, to]], episode.length))
  return left.length > 0 ? setKept(cuts, episode, left) : undefined
}

function setKept(cuts: FrameCuts, { index, length }: CutEpisode, kept: readonly FrameRange[]): FrameCuts {
  const isWhole = countFrames(kept) === length
  // Under the rule for still frames a whole episode is said to be whole: what a person names comes before the rule.
  const ranges =
    isWhole && !cuts.trim?.idle
      ? without(cuts.trim?.ranges ?? null, index)
      : { ...cuts.trim?.ranges, [index]: kept.map(([from, to]) => [from, to]) }
  const inside = cuts.trim?.inside ?? (cuts.trim?.ranges ? null : (cuts.trim?.idle?.inside ?? null))
  return {
    trim: changeTrim(cuts.trim, { ranges, inside }),
    split: setSplit(cuts.split, index, pruneSplit(cuts.split?.[index], kept, length)),
  }
}

const setSplit = (split: Recipe['split'], index: number, own: Split | undefined): Recipe['split'] =>
  own ? { ...split, [index]: own } : without(split, index)

/** A part of which no frame is left is none. */
function pruneSplit(split: Split | undefined, kept: readonly FrameRange[], length: number): Split | undefined {
  if (!split) return undefined
  const bounds = [0, ...split.at, length]
  const parts = bounds.slice(0, -1).map((from, place) => ({ from, to: bounds[place + 1] ?? length, place }))
  const left = parts.filter(({ from, to }) => intersect(kept, [[from, to]]).length > 0)
  if (left.length < 2) return undefined
  return {
    at: left.slice(1).map(({ from }) => from),
    tasks: split.tasks && left.map(({ place }) => split.tasks?.[place] ?? ''),
  }
}

/** A split of which some parts have a text and some have none: the recipe cannot be made so. */
export const findUnnamedSplit = ({ split }: FrameCuts): string | undefined =>
  Object.entries(split ?? {}).find(([, { tasks }]) => tasks?.some((text) => text === ''))?.[0]

/** A new part begins at this frame, or no longer does; undefined where a part would have no frame. */
export function toggleSplit(cuts: FrameCuts, episode: CutEpisode, frame: number): FrameCuts | undefined {
  const { index, length, kept } = episode
  const own = cuts.split?.[index] ?? { at: [], tasks: null }
  const isThere = own.at.includes(frame)
  const at = isThere ? own.at.filter((one) => one !== frame) : [...own.at, frame].sort((a, b) => a - b)
  const place = isThere ? own.at.indexOf(frame) : at.indexOf(frame)
  // Both halves of a part have its text; of two that are joined it is the first one's.
  const tasks = own.tasks && [...own.tasks]
  if (isThere) tasks?.splice(place + 1, 1)
  else tasks?.splice(place, 0, tasks[place] ?? '')
  const next = at.length > 0 ? { at, tasks } : undefined
  if (next && pruneSplit(next, kept, length)?.at.length !== at.length) return undefined
  return { trim: cuts.trim, split: setSplit(cuts.split, index, next) }
}

/** Nothing is said of the episode any more. */
export const clearEpisode = (cuts: FrameCuts, index: number): FrameCuts => ({
  trim: changeTrim(cuts.trim, { ranges: without(cuts.trim?.ranges ?? null, index) }),
  split: without(cuts.split, index),
})
