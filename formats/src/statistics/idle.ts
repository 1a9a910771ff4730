import type { Dataset } from '../dataset.ts'
import type { FrameRange } from '../frame-ranges.ts'
import {
  countFrames,
  type DescribedSignal,
  type DescribeOptions,
  describeSignal,
  type MotionSignal,
} from './motion-signal.ts'
import { countDriftFrames, type EpisodeTraces, traceEpisode } from './motion-traces.ts'
import { findExactQuantiles } from './quantiles.ts'

/** What is motion in a dataset, and how much of it is usual. Plain data: found once, stored, used for any episode. */
export interface MotionScale extends DescribedSignal {
  /** The median step of the frames in which the arm moves. */
  readonly usualStep: number
}

export interface IdleOptions {
  /** The share of the usual step under which the arm stands still. */
  readonly threshold?: number
  /** Shorter rests are part of any motion. */
  readonly minIdleFrames?: number
}

/** Steps of at least this share of the fast ones are motion; the usual step is their median, however long the set stands still. */
const movingShare = 0.1
const fastQuantile = 0.95
const idleThreshold = 0.15
/** Noise may raise the threshold, up to here. */
const maxIdleThreshold = 0.4
const noiseFactor = 2.5
const minIdleSeconds = 0.5
/** A twitch that is no longer than this and no faster than three times the threshold does not end a rest. */
const twitchSeconds = 0.25
const twitchFactor = 3
/** At its ends a rest is cut to the frames that are as calm as its middle. What has arrived may settle; what starts has started. */
const edgeFactor = 4
const settledShare = 0.01
const startedShare = 0.001

/** By the state, or the action where there is none, unless one is named; undefined when the dataset does not have it. */
export async function findMotionScale(
  dataset: Dataset,
  options: DescribeOptions = {},
): Promise<MotionScale | undefined> {
  const { abort } = options
  const described = await describeSignal(dataset, options)
  if (!described) return undefined
  if (described.state !== 'moves') return { ...described, usualStep: 0 }
  const findQuantile = async (least: number, probability: number): Promise<number> => {
    const readDrifts = async function* () {
      for (let position = 0; position < dataset.episodeCount; position++) {
        const { drifts } = await traceEpisode(dataset.getEpisode(position), described.signal, dataset.fps, abort)
        yield drifts.filter((drift) => drift >= least)
      }
    }
    return (await findExactQuantiles(readDrifts, 1, [probability]))[0]?.[0] ?? 0
  }
  const fastStep = await findQuantile(0, fastQuantile)
  return { ...described, usualStep: await findQuantile(fastStep * movingShare, 0.5) }
}

/** What rests are found in, whatever the threshold: worth keeping while thresholds are tried. */
export type RestTraces = Pick<EpisodeTraces, 'frames' | 'steps' | 'drifts' | 'driftFrames' | 'gripping'>

/** Where an episode stands still, for trims and checks: the frames that can go without losing motion. */
export async function listIdleRuns(
  dataset: Dataset,
  position: number,
  scale: MotionScale,
  options?: IdleOptions,
  trace = traceRests,
): Promise<FrameRange[]> {
  const { length } = dataset.getEpisode(position)
  if (scale.state !== 'moves') return scale.state === 'still' && length > 0 ? [[0, length]] : []
  return findIdleRuns(await trace(dataset, position, scale), scale, dataset.fps, options)
}

export async function traceRests(dataset: Dataset, position: number, { signal }: MotionScale): Promise<RestTraces> {
  const { frames, steps, drifts, driftFrames, gripping } = await traceEpisode(
    dataset.getEpisode(position),
    signal,
    dataset.fps,
  )
  return { frames, steps, drifts, driftFrames, gripping }
}

/**
 * Frame i is idle when the arm does not move from it to the next one and no gripper is being moved; the last frame of an episode is as
 * the one before it. So the frames of a run divided by the rate are the seconds that it lasts, and the frame after a run is the first
 * from which something moves.
 */
export function findIdleRuns(
  traces: RestTraces,
  { signal, usualStep }: Pick<MotionScale, 'signal' | 'usualStep'>,
  fps: number,
  { threshold, minIdleFrames = countFrames(minIdleSeconds, fps) }: IdleOptions = {},
): FrameRange[] {
  const idleStep = threshold === undefined ? findIdleStep(signal, usualStep, traces.driftFrames) : threshold * usualStep
  const runs: FrameRange[] = []
  for (const [from, to] of joinRests(listRests(traces, idleStep), traces, idleStep, countFrames(twitchSeconds, fps))) {
    const [start, end] = cutEdges(traces.steps, from, to, usualStep, idleStep)
    const last = end === traces.steps.length ? traces.frames : end
    if (start < end && last - start >= minIdleFrames) runs.push([start, last])
  }
  return runs
}

/** Of all rests those that count where no length is asked for. */
export const keepLong = (rests: readonly FrameRange[], fps: number): FrameRange[] =>
  rests.filter(([from, to]) => to - from >= countFrames(minIdleSeconds, fps))

/** The share of the usual step that is in force where none is asked for: noise raises it. */
export const findUsedThreshold = ({ signal, usualStep }: MotionScale, fps: number): number =>
  usualStep > 0 ? findIdleStep(signal, usualStep, countDriftFrames(fps)) / usualStep : idleThreshold

function findIdleStep({ noiseStep }: MotionSignal, usualStep: number, driftFrames: number): number {
  const ofNoise = (noiseFactor * noiseStep) / driftFrames
  return Math.min(maxIdleThreshold * usualStep, Math.max(idleThreshold * usualStep, ofNoise))
}

/** Steps of which some window around them gets nowhere. */
function listRests({ steps, drifts, driftFrames, gripping }: RestTraces, idleStep: number): FrameRange[] {
  const isCalm = new Uint8Array(steps.length)
  // Of what is calm already only the end is new.
  for (let frame = 0, filled = 0; frame < drifts.length; frame++)
    if ((drifts[frame] as number) < idleStep) {
      isCalm.fill(1, Math.max(frame, filled), frame + driftFrames)
      filled = frame + driftFrames
    }
  const rests: FrameRange[] = []
  for (let from = 0; from < steps.length; from++) {
    let to = from
    while (to < steps.length && isCalm[to] && !gripping[to]) to++
    if (to > from) rests.push([from, to])
    from = to
  }
  return rests
}

function joinRests(
  rests: readonly FrameRange[],
  { steps, gripping }: RestTraces,
  idleStep: number,
  twitchFrames: number,
): FrameRange[] {
  const joined: FrameRange[] = []
  for (const [from, to] of rests) {
    const before = joined.at(-1)
    const isTwitch =
      before !== undefined &&
      from - before[1] <= twitchFrames &&
      steps.subarray(before[1], from).every((step) => step < idleStep * twitchFactor) &&
      gripping.subarray(before[1], from).every((isGripping) => isGripping === 0)
    if (isTwitch) joined[joined.length - 1] = [before[0], to]
    else joined.push([from, to])
  }
  return joined
}

/** Exact to the frame where the rest is exact; within the noise where it is not. */
function cutEdges(
  steps: Float64Array,
  from: number,
  to: number,
  usualStep: number,
  idleStep: number,
): [start: number, end: number] {
  const sorted = steps.slice(from, to).sort()
  const calm = Math.min(2 * idleStep, edgeFactor * (sorted[sorted.length >> 1] as number))
  const settled = Math.max(settledShare * usualStep, calm)
  const started = Math.max(startedShare * usualStep, calm)
  let [start, end] = [from, to]
  while (start < end && (steps[start] as number) > settled) start++
  while (end > start && (steps[end - 1] as number) > started) end--
  return [start, end]
}
