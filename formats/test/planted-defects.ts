import { unwrapStep } from '../src/checks/angle-steps.ts'
import type { FrameRange } from '../src/frame-ranges.ts'
import type { SignalEpisode, SignalSet } from './signal-set.ts'

/** Of known place and size. */
export interface Defect {
  readonly position: number
  /** Undefined where the whole episode is the defect. */
  readonly frames?: FrameRange
  /** What the rule is to measure, where that is exact. */
  readonly value?: number
}

export interface PlantedSet {
  readonly set: SignalSet
  readonly defects: readonly Defect[]
}

/** 0 to 1, the same for the same seed. */
export type Random = () => number

/** mulberry32 */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const between = (random: Random, low: number, high: number): number => low + (high - low) * random()
export const whole = (random: Random, low: number, high: number): number => Math.floor(between(random, low, high + 1))

const isGripper = (name: string): boolean => /grip|finger|aperture/.test(name)
const listJoints = ({ names }: SignalSet): number[] => [...names.keys()].filter((at) => !isGripper(names[at] ?? ''))

/** Every n-th episode, from a random one on, as many as asked for and never more than a quarter: a set is mostly good. */
export function choosePositions({ episodes }: SignalSet, count: number, random: Random): number[] {
  const wanted = Math.min(count, Math.floor(episodes.length / 4))
  const start = whole(random, 0, episodes.length - 1)
  return Array.from(
    { length: wanted },
    (_, at) => (start + Math.floor((at * episodes.length) / wanted)) % episodes.length,
  )
}

export function change(set: SignalSet, position: number, changed: Partial<SignalEpisode>): SignalSet {
  const episodes = set.episodes.map((episode, at) => (at === position ? { ...episode, ...changed } : episode))
  return { ...set, episodes }
}

/** Range over the set of one dimension. */
export function findRange({ episodes, names }: SignalSet, signal: 'state' | 'action', dimension: number) {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const episode of episodes)
    for (let at = dimension; at < episode[signal].length; at += names.length) {
      const value = episode[signal][at] as number
      if (value < low) low = value
      if (value > high) high = value
    }
  return { low, high, range: high - low }
}

/** Between two frames of the state. */
function findLargestStep({ episodes, names }: SignalSet, dimension: number): number {
  let largest = 0
  for (const { state } of episodes)
    for (let at = dimension + names.length; at < state.length; at += names.length)
      largest = Math.max(largest, Math.abs(unwrapStep((state[at] as number) - (state[at - names.length] as number))))
  return largest
}

/** `clean`: the set before anything was planted. */
type Plant = (set: SignalSet, position: number, random: Random, clean: SignalSet) => { set: SignalSet; defect?: Defect }

const add = (rows: Float32Array, at: number, size: number): void => {
  rows[at] = (rows[at] as number) + size
}

const episodeAt = (set: SignalSet, position: number): SignalEpisode => set.episodes[position] as SignalEpisode

export function pickJoint(set: SignalSet, random: Random, signal: 'state' | 'action' = 'state'): number {
  const joints = listJoints(set).filter((joint) => findRange(set, signal, joint).range > 0.02)
  return joints[whole(random, 0, joints.length - 1)] as number
}

const plantGap: Plant = (set, position, random) => {
  const { frames } = episodeAt(set, position)
  const at = whole(random, 5, frames - 8)
  const lost = whole(random, 1, 8)
  const times = Float64Array.from({ length: frames }, (_, frame) => {
    const jitter = (random() - 0.5) * 0.1
    return (frame + (frame > at ? lost : 0) + jitter) / set.fps
  })
  return { set: change(set, position, { times }), defect: { position, frames: [at, at + 2] } }
}

const plantBack: Plant = (set, position, random) => {
  const { frames } = episodeAt(set, position)
  const at = whole(random, 5, frames - 8)
  const times = Float64Array.from({ length: frames }, (_, frame) => (frame === at + 1 ? at - 1 : frame) / set.fps)
  return { set: change(set, position, { times }), defect: { position, frames: [at, at + 2] } }
}

/**
 * A reading that is lost for a frame, or a zero that is another from then on; four times as far as the joint ever moves between two
 * frames, since nobody calls less a jump in a joint whose range is mostly noise.
 */
const plantJump: Plant = (set, position, random, clean) => {
  const { frames, state } = episodeAt(set, position)
  const joint = pickJoint(set, random)
  const { range, low, high } = findRange(clean, 'state', joint)
  const at = whole(random, 5, frames - 8)
  const until = random() < 0.5 ? at + 1 : frames
  const here = state[at * set.names.length + joint] as number
  const size = Math.max(between(random, 0.4, 0.7) * range, 4 * findLargestStep(clean, joint))
  const signed = size * (here - low > high - here ? -1 : 1)
  const changed = state.slice()
  for (let frame = at; frame < until; frame++) add(changed, frame * set.names.length + joint, signed)
  return { set: change(set, position, { state: changed }), defect: { position, frames: [at, at + 1] } }
}

const plantNan: Plant = (set, position, random) => {
  const { frames, state } = episodeAt(set, position)
  const from = whole(random, 0, frames - 6)
  const to = from + whole(random, 1, 5)
  const joint = pickJoint(set, random)
  const changed = state.slice()
  for (let frame = from; frame < to; frame++) changed[frame * set.names.length + joint] = Number.NaN
  return { set: change(set, position, { state: changed }), defect: { position, frames: [from, to] } }
}

/** The state's reading stops while the command covers a fifth of its range or more. */
const plantStuck: Plant = (set, position, random) => {
  const { frames, state, action } = episodeAt(set, position)
  const width = set.names.length
  const span = Math.round(between(random, 1, 1.6) * set.fps)
  const spots: [joint: number, from: number][] = []
  for (const joint of listJoints(set)) {
    const { range } = findRange(set, 'action', joint)
    for (let from = 2; from + span < frames - 2; from++) {
      const settled = from + span - Math.ceil(0.3 * set.fps)
      const moved = Math.abs((action[settled * width + joint] as number) - (action[from * width + joint] as number))
      if (range > 0.02 && moved > 0.2 * range) spots.push([joint, from])
    }
  }
  const spot = spots[whole(random, 0, spots.length - 1)]
  if (!spot) return { set }
  const [joint, from] = spot
  const changed = state.slice()
  for (let frame = from; frame < from + span; frame++)
    changed[frame * width + joint] = state[from * width + joint] as number
  return { set: change(set, position, { state: changed }), defect: { position, frames: [from, from + span] } }
}

/** In state and action alike: the hand really does it. */
const plantChatter: Plant = (set, position, random) => {
  const { frames, state, action } = episodeAt(set, position)
  const width = set.names.length
  const gripper = set.names.findIndex(isGripper)
  if (gripper < 0) return { set }
  const half = Math.max(1, Math.round(set.fps / between(random, 3, 4.5) / 2))
  const turns = whole(random, 8, 12)
  const from = whole(random, 5, frames - turns * half - 8)
  const changed = { state: state.slice(), action: action.slice() }
  for (const signal of ['state', 'action'] as const) {
    const { low, high } = findRange(set, signal, gripper)
    for (let frame = from; frame < from + turns * half; frame++)
      changed[signal][frame * width + gripper] = Math.floor((frame - from) / half) % 2 === 0 ? high : low
  }
  return { set: change(set, position, changed), defect: { position, frames: [from, from + turns * half] } }
}

const shifts = [-5, -4, -3, -2, -1, 1, 2, 3, 4, 5]

/** The action is that many frames late; before the first and after the last it stays as it is. */
const plantLag: Plant = (set, position, random) => {
  const late = shifts[whole(random, 0, shifts.length - 1)] as number
  const { frames, action } = episodeAt(set, position)
  const width = set.names.length
  const changed = action.slice()
  for (let frame = 0; frame < frames; frame++) {
    const from = Math.min(frames - 1, Math.max(0, frame - late)) * width
    changed.set(action.subarray(from, from + width), frame * width)
  }
  return { set: change(set, position, { action: changed }), defect: { position, value: -late } }
}

/** A joint whose zero is wrong for a while; it drifts there, so that nothing jumps. */
const plantOffset: Plant = (set, position, random) => {
  const { frames, state } = episodeAt(set, position)
  const joint = pickJoint(set, random)
  const { range } = findRange(set, 'state', joint)
  const ramp = Math.ceil(0.3 * set.fps)
  const span = Math.round(between(random, 1, 2) * set.fps)
  const from = whole(random, ramp, Math.max(ramp, frames - span - ramp))
  const size = between(random, 0.25, 0.4) * range * (random() < 0.5 ? -1 : 1)
  const changed = state.slice()
  for (let frame = from - ramp; frame < Math.min(frames, from + span + ramp); frame++) {
    const share = Math.min(1, (frame - from + ramp) / ramp, (from + span + ramp - frame) / ramp)
    add(changed, frame * set.names.length + joint, size * share)
  }
  return { set: change(set, position, { state: changed }), defect: { position, frames: [from, from + span] } }
}

/** The demonstration is there twice, one after the other; or it ends after a quarter of it. */
const plantPath: Plant = (set, position, random) => {
  const { frames, state, action } = episodeAt(set, position)
  const width = set.names.length
  if (random() < 0.5) {
    const kept = Math.round(frames * between(random, 0.12, 0.2))
    const cut = { frames: kept, state: state.slice(0, kept * width), action: action.slice(0, kept * width) }
    return { set: change(set, position, cut), defect: { position } }
  }
  const repeat = (rows: Float32Array): Float32Array => Float32Array.from([...rows, ...rows, ...rows, ...rows])
  const long = { frames: frames * 4, state: repeat(state), action: repeat(action) }
  return { set: change(set, position, long), defect: { position } }
}

/** Left running, or cut off early. */
const plantLength: Plant = (set, position, random) => {
  if (random() < 0.5) return plantPath(set, position, () => 0.2, set)
  const { frames, state, action } = episodeAt(set, position)
  const width = set.names.length
  const longest = set.episodes.reduce((most, episode) => Math.max(most, episode.frames), 0)
  const spare = Math.round(longest * between(random, 4, 6))
  const extend = (rows: Float32Array): Float32Array => {
    const long = new Float32Array(rows.length + spare * width)
    long.set(rows)
    for (let at = 0; at < spare; at++) long.set(rows.subarray(rows.length - width), rows.length + at * width)
    return long
  }
  const long = { frames: frames + spare, state: extend(state), action: extend(action) }
  return { set: change(set, position, long), defect: { position } }
}

const plantCopy: Plant = (set, position, random) => {
  const of = (position + whole(random, 1, 2)) % set.episodes.length
  return { set: change(set, position, episodeAt(set, of)), defect: { position: Math.max(of, position) } }
}

/** Another converter, a little noise, a frame less at either end. */
export function copyNearly(
  set: SignalSet,
  { frames, state, action, task }: SignalEpisode,
  random: Random,
): SignalEpisode {
  const width = set.names.length
  const lost = random() < 0.5 ? 1 : 0
  const noisy = (rows: Float32Array, signal: 'state' | 'action'): Float32Array => {
    const ranges = set.names.map((_, dimension) => findRange(set, signal, dimension).range)
    return rows
      .slice(lost * width)
      .map((value, at) => value + (random() - 0.5) * 0.004 * (ranges[at % width] as number))
  }
  return { frames: frames - lost, state: noisy(state, 'state'), action: noisy(action, 'action'), task }
}

const plantNearCopy: Plant = (set, position, random) => {
  const of = (position + whole(random, 1, 2)) % set.episodes.length
  const copy = copyNearly(set, episodeAt(set, of), random)
  return { set: change(set, position, copy), defect: { position: Math.max(of, position) } }
}

const plants: Readonly<Record<string, Plant>> = {
  'non-finite': plantNan,
  'time-gap': plantGap,
  'time-order': plantBack,
  jump: plantJump,
  'dead-dimension': plantStuck,
  'gripper-chatter': plantChatter,
  lag: plantLag,
  'command-error': plantOffset,
  'path-length': plantPath,
  'length-far': plantLength,
  duplicate: plantCopy,
  'near-duplicate': plantNearCopy,
}

/**
 * A clip of one joint of the whole set, as a sensor or controller does it; a defect wherever that lasts a fifth of a second. The
 * limit is one that two episodes or more run into: the highest value of a single one is nobody's limit.
 */
function plantSaturation(set: SignalSet, random: Random): PlantedSet {
  const joint = pickJoint(set, random)
  const width = set.names.length
  const isUpper = random() < 0.5
  const peaks = set.episodes.map(({ state }) => {
    const values = state.filter((_, at) => at % width === joint).toSorted()
    return isUpper ? (values.at(-1) as number) : -(values[0] as number)
  })
  const { range } = findRange(set, 'state', joint)
  const high = peaks.toSorted()[Math.floor(peaks.length * 0.8)] as number
  for (let share = 0.04; ; share += 0.02) {
    const planted = clipJoint(set, { joint, isUpper, limit: high - share * range })
    if (share > 0.3 || new Set(planted.defects.map(({ position }) => position)).size >= 2) return planted
  }
}

/** `limit`: of the values, or of their opposites where it is the lower one. */
function clipJoint(
  set: SignalSet,
  { joint, isUpper, limit }: { joint: number; isUpper: boolean; limit: number },
): PlantedSet {
  const leastFrames = Math.max(3, Math.ceil(0.2 * set.fps))
  const width = set.names.length
  const clip = (value: number): number => (isUpper ? Math.min(value, limit) : Math.max(value, -limit))
  const defects: Defect[] = []
  const episodes = set.episodes.map((episode, position) => {
    const state = episode.state.map((value, at) => (at % width === joint ? clip(value) : value))
    let from = -1
    for (let frame = 0; frame <= episode.frames; frame++) {
      const value = episode.state[frame * width + joint] as number
      const isClipped = frame < episode.frames && (isUpper ? value >= limit : value <= -limit)
      if (isClipped && from < 0) from = frame
      if (isClipped || from < 0) continue
      // What lasts to the end cannot be told from a rest.
      const isInside = from >= 2 && frame + 1 < episode.frames
      if (frame - from >= leastFrames && isInside) defects.push({ position, frames: [from, frame] })
      from = -1
    }
    return { ...episode, state }
  })
  return { set: { ...set, episodes }, defects }
}

export const plantedRules = [...Object.keys(plants), 'saturation']

/** Puts up to `count` defects that the rule is to find into a set, each into an episode of its own. */
export function plantDefects(set: SignalSet, rule: string, count: number, random: Random): PlantedSet {
  if (rule === 'saturation') return plantSaturation(set, random)
  const plant = plants[rule]
  if (!plant) throw new Error(`nothing is known to plant for ${rule}`)
  const defects: Defect[] = []
  let planted = set
  for (const position of choosePositions(set, count, random)) {
    const { set: changed, defect } = plant(planted, position, random, set)
    planted = changed
    if (defect) defects.push(defect)
  }
  return { set: planted, defects }
}
