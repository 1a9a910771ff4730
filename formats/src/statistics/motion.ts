import type { Dataset } from '../dataset.ts'
import type { FrameRange } from '../frame-ranges.ts'
import { findIdleRuns, findMotionScale, keepLong, type MotionScale } from './idle.ts'
import type { RowsWatcher } from './motion-signal.ts'
import { type EpisodeTraces, traceEpisode } from './motion-traces.ts'

/** How each episode moves, over every frame of every episode. By episode position unless said otherwise. */
export interface MotionScores {
  readonly scale: MotionScale
  /** Mean length of the step, each dimension divided by its range over the dataset. */
  readonly motion: Float64Array
  /** Mean length of the second difference. */
  readonly variance: Float64Array
  /** Seconds in rests of at least half a second, and in the longest rest of any length. */
  readonly stillSeconds: Float64Array
  readonly longestStillSeconds: Float64Array
  /** Mean step of the arm outside its longest rest. */
  readonly pace: Float64Array
  /** Mean jolt of the arm while it moves, without the highest fiftieth: a tremor, not a bump. */
  readonly shake: Float64Array
  /** `CURVE_POINTS` each: mean step in that part of the episode, 255 at `curveTop` and above. */
  readonly curves: Uint8Array
  readonly curveTop: number
}

export const curvePoints = 24
const bumpShare = 0.02

/** Somebody who looks at the same rows on the way, so that they are read and measured once for both. */
export interface MotionWatcher extends RowsWatcher {
  open(dataset: Dataset): void
  /** After the first reading; episodes follow. Not called where there is nothing to score. */
  begin(scale: MotionScale): Promise<void>
  /** Each episode, in order. What was measured of it, where that is all of it. */
  look(position: number): Promise<MeasuredEpisode | undefined>
}

export interface MeasuredEpisode {
  readonly traces: EpisodeTraces
  readonly scores: ReturnType<typeof scoreEpisode>
}

/** Undefined when there is no signal, or all of it are switches. */
export async function scoreMotion(
  dataset: Dataset,
  abort?: AbortSignal,
  watcher?: MotionWatcher,
): Promise<MotionScores | undefined> {
  watcher?.open(dataset)
  const scale = await findMotionScale(dataset, { abort, watcher })
  if (!scale || scale.state === 'switches') return undefined
  await watcher?.begin(scale)
  const create = () => new Float64Array(dataset.episodeCount)
  const scores = {
    motion: create(),
    variance: create(),
    stillSeconds: create(),
    longestStillSeconds: create(),
    pace: create(),
    shake: create(),
  }
  const parts = new Float32Array(dataset.episodeCount * curvePoints)
  for (let position = 0; position < dataset.episodeCount; position++) {
    const measured = await watcher?.look(position)
    const traces =
      measured?.traces ?? (await traceEpisode(dataset.getEpisode(position), scale.signal, dataset.fps, abort))
    const scored = measured?.scores ?? scoreEpisode(traces, scale, dataset.fps)
    for (const [name, value] of Object.entries(scored)) scores[name as keyof typeof scored][position] = value
    drawParts(parts.subarray(position * curvePoints, (position + 1) * curvePoints), traces.lengths)
  }
  return { scale, ...scores, ...scaleCurves(parts) }
}

/** Where an episode rests, for however short, and for long enough to count. */
export interface EpisodeRests {
  readonly rests: readonly FrameRange[]
  readonly runs: readonly FrameRange[]
}

export function findRests(traces: EpisodeTraces, scale: MotionScale, fps: number): EpisodeRests {
  const whole: FrameRange[] = [[0, traces.frames]]
  if (scale.state === 'still') return { rests: whole, runs: whole }
  const rests = findIdleRuns(traces, scale, fps, { minIdleFrames: 1 })
  return { rests, runs: keepLong(rests, fps) }
}

/** The six scores of one episode. */
export function scoreEpisode(
  traces: EpisodeTraces,
  scale: MotionScale,
  fps: number,
  { rests, runs } = findRests(traces, scale, fps),
) {
  const { lengths, bends, drifts, driftFrames, jolts, joltFrames, frames } = traces
  const longest = rests.reduce((best, run) => (run[1] - run[0] > best[1] - best[0] ? run : best), [0, 0] as FrameRange)
  const moving = takeOutside(jolts, 3 * joltFrames, runs, frames).sort()
  return {
    motion: findMean(lengths),
    variance: findMean(bends),
    stillSeconds: runs.reduce((sum, [from, to]) => sum + to - from, 0) / fps,
    longestStillSeconds: (longest[1] - longest[0]) / fps,
    pace: findMean(takeOutside(drifts, driftFrames, [longest], frames)),
    shake: findMean(moving.subarray(0, Math.ceil(moving.length * (1 - bumpShare)))),
  }
}

/** Values over windows of `span` frames that do not both begin and end in a range. */
function takeOutside(values: Float64Array, span: number, ranges: readonly FrameRange[], frames: number): Float64Array {
  const isInside = new Uint8Array(frames)
  for (const [from, to] of ranges) isInside.fill(1, from, to)
  const outside = new Float64Array(values.length)
  let count = 0
  for (let frame = 0; frame < values.length; frame++)
    if (!isInside[frame] || !isInside[frame + span]) outside[count++] = values[frame] as number
  return outside.subarray(0, count)
}

function findMean(values: Float64Array): number {
  let sum = 0
  for (let at = 0; at < values.length; at++) sum += values[at] as number
  return sum / Math.max(1, values.length)
}

/** The mean step of each part of an episode; a part without a step repeats the one before. */
function drawParts(parts: Float32Array, lengths: Float64Array): void {
  const counts = new Uint32Array(curvePoints)
  const partsPerStep = curvePoints / Math.max(1, lengths.length)
  for (const [frame, length] of lengths.entries()) {
    const part = Math.min(curvePoints - 1, Math.floor(frame * partsPerStep))
    parts[part] = (parts[part] as number) + length
    counts[part] = (counts[part] as number) + 1
  }
  for (const [part, count] of counts.entries())
    parts[part] = count > 0 ? (parts[part] as number) / count : part > 0 ? (parts[part - 1] as number) : 0
}

/** One scale for all, so that rows can be compared; the highest half percent may reach above it. */
function scaleCurves(parts: Float32Array): { curves: Uint8Array; curveTop: number } {
  const sorted = parts.toSorted()
  const curveTop = sorted[Math.floor((sorted.length - 1) * 0.995)] || sorted.at(-1) || 0
  const curves = new Uint8Array(parts.length)
  if (curveTop > 0)
    for (let at = 0; at < parts.length; at++)
      curves[at] = Math.min(255, Math.round(((parts[at] as number) / curveTop) * 255))
  return { curves, curveTop }
}
