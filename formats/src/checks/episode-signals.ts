import type { Dataset, Episode } from '../dataset.ts'
import { type ColumnFeature, isColumn, isNumericDtype, type NumericArray } from '../feature.ts'
import type { Findings } from '../finding.ts'
import type { FrameRange } from '../frame-ranges.ts'
import { viewAsDoubles } from '../statistics/doubles.ts'
import { findIdleRuns } from '../statistics/idle.ts'
import { scoreEpisode } from '../statistics/motion.ts'
import { type EpisodeTraces, traceEpisode } from '../statistics/motion-traces.ts'
import { type DimensionSpans, measureSpans } from './dimension-spans.ts'
import type { SetFacts, SignalFacts } from './set-facts.ts'

/** One episode as the rules see it. Rows are row-major; a value that is no number is the one before it. */
export interface EpisodeSignals {
  readonly position: number
  /** As many as are looked at: all of them, unless the episode would not fit into memory. */
  readonly frames: number
  readonly state: Float64Array | undefined
  readonly action: Float64Array | undefined
  readonly stateSpans: DimensionSpans | undefined
  readonly actionSpans: DimensionSpans | undefined
  /** The recorder's own clock, where it is not the grid. */
  readonly times: Float64Array | undefined
  /** How the arm moves; undefined where nothing moves in the whole set. */
  readonly traces: EpisodeTraces | undefined
  /** What Insights says of it. */
  readonly scores: ReturnType<typeof scoreEpisode> | undefined
  /** Where it stands still, by the measure of Insights and trims. */
  readonly idle: readonly FrameRange[]
  /** By feature: the frames with values that are no numbers. */
  readonly notFinite: ReadonlyMap<string, readonly FrameRange[]>
}

/** Rows of one of the two, as its facts name it. */
export const takeSignal = (
  { state, action, stateSpans, actionSpans }: EpisodeSignals,
  facts: Pick<SignalFacts, 'role'> | undefined,
): { rows: Float64Array | undefined; spans: DimensionSpans | undefined } =>
  facts?.role === 'action' ? { rows: action, spans: actionSpans } : { rows: state, spans: stateSpans }

/**
 * Rows of state, action and clock, in memory that the next episode uses again: memory outside V8's heap makes it collect, and it took
 * longer to collect than to look.
 */
export class HeldRows {
  readonly #byName = new Map<string, Float64Array>()

  take(name: string, length: number): Float64Array {
    const known = this.#byName.get(name)
    const kept = known && known.length >= length ? known : new Float64Array(length)
    this.#byName.set(name, kept)
    return kept.subarray(0, length).fill(0)
  }
}

/** 128 MB. */
const mostValues = 16_000_000
const clockColumn = 'observation.source_timestamp'

export interface ReadRequest {
  readonly episode: Episode
  readonly position: number
  /** The columns of numbers. */
  readonly columns: readonly ColumnFeature[]
  readonly set: SetFacts
  /** What was read of the episode before is gone. */
  readonly rows: HeldRows
  /** Of state and action, held at once. */
  readonly maxValues: number | undefined
  readonly signal: AbortSignal | undefined
}

/** What is read of a dataset for it. */
export const listNumeric = ({ features }: Dataset): ColumnFeature[] =>
  features.filter(isColumn).filter(({ dtype }) => isNumericDtype(dtype))

/** Says so where an episode was too long to be looked at as a whole. */
export function reportPart({ frames }: EpisodeSignals, { sourceIndex, length }: Episode, findings: Findings): void {
  if (frames < length)
    findings.add(
      'episode-checked-in-part',
      `Episode ${sourceIndex}: the rules have looked at the numbers of its first ${frames} of ${length} frames.`,
      sourceIndex,
    )
}

export async function readSignals({
  episode,
  position,
  columns,
  set,
  rows: heldRows,
  maxValues = mostValues,
  signal,
}: ReadRequest): Promise<EpisodeSignals> {
  const width = Math.max(1, (set.state?.width ?? 0) + (set.action?.width ?? 0))
  const frames = Math.min(episode.length, Math.max(1, Math.floor(maxValues / width)))
  const held = new Map<string, Float64Array>()
  for (const facts of [set.state, set.action])
    if (facts) held.set(facts.name, heldRows.take(facts.name, frames * facts.width))
  if (columns.some(({ name }) => name === clockColumn)) held.set(clockColumn, heldRows.take(clockColumn, frames))
  const bad = new Map<string, FrameRange[]>()
  const request = { columns: columns.map(({ name }) => name), endFrame: frames, ...(signal && { signal }) }
  for await (const block of episode.readBlocks(request)) {
    for (const { name, dtype } of columns) {
      const into = held.get(name)
      if (!into && !dtype.startsWith('float')) continue
      const values = viewAsDoubles(block.columns.get(name) as NumericArray)
      const perFrame = values.length / block.frameCount
      if (dtype.startsWith('float') && !isAllFinite(values))
        markNotFinite(bad, name, values, perFrame, block.startFrame)
      into?.set(values, block.startFrame * perFrame)
    }
  }
  for (const facts of [set.state, set.action]) {
    const rows = facts && held.get(facts.name)
    if (rows && bad.has(facts.name)) holdGaps(rows, facts.width)
  }
  const [state, action] = [set.state, set.action].map((facts) => facts && held.get(facts.name))
  const traces = set.scale?.state === 'moves' ? await traceHeld(episode, frames, held, set) : undefined
  const isStill = set.scale?.state === 'still' && frames > 0
  const idle = set.scale && traces ? findIdleRuns(traces, set.scale, set.fps) : isStill ? [[0, frames] as const] : []
  const scores = set.scale && traces && scoreEpisode(traces, set.scale, set.fps)
  const stateSpans = state && set.state && measureSpans(state, set.state.width)
  const actionSpans = action && set.action && measureSpans(action, set.action.width)
  return {
    position,
    frames,
    state,
    action,
    stateSpans,
    actionSpans,
    times: held.get(clockColumn),
    traces,
    scores,
    idle,
    notFinite: bad,
  }
}

/** The measure of motion reads an episode; it gets the rows that are held already. */
function traceHeld(
  episode: Episode,
  frames: number,
  held: ReadonlyMap<string, Float64Array>,
  { scale, fps }: SetFacts,
): Promise<EpisodeTraces> {
  const readBlocks = async function* () {
    if (frames > 0) yield { startFrame: 0, frameCount: frames, columns: held }
  }
  if (!scale) throw new TypeError('A set without a signal has no traces.')
  return traceEpisode({ ...episode, length: frames, readBlocks }, scale.signal, fps)
}

/** Nothing that is no number gives 0 when multiplied by it, and a sum tells of one without a question about each. */
function isAllFinite(values: Float64Array): boolean {
  let sum = 0
  for (let at = 0; at < values.length; at++) sum += (values[at] as number) * 0
  return sum === 0
}

function markNotFinite(
  bad: Map<string, FrameRange[]>,
  name: string,
  values: Float64Array,
  perFrame: number,
  startFrame: number,
): void {
  for (let at = 0; at < values.length; at++) {
    if (Number.isFinite(values[at])) continue
    const frame = startFrame + Math.floor(at / perFrame)
    const runs = bad.get(name) ?? []
    const last = runs.at(-1)
    if (last && frame <= last[1]) runs[runs.length - 1] = [last[0], Math.max(last[1], frame + 1)]
    else runs.push([frame, frame + 1])
    bad.set(name, runs)
  }
}

/** In place; what has nothing before it takes the next number, and 0 where there is none. */
function holdGaps(rows: Float64Array, width: number): void {
  for (let dimension = 0; dimension < width; dimension++) {
    let last = 0
    for (let at = dimension; at < rows.length; at += width)
      if (Number.isFinite(rows[at])) {
        last = rows[at] as number
        break
      }
    for (let at = dimension; at < rows.length; at += width) {
      if (Number.isFinite(rows[at])) last = rows[at] as number
      else rows[at] = last
    }
  }
}
