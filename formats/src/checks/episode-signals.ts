import type { Block, Dataset, Episode } from '../dataset.ts'
import { type ColumnFeature, isColumn, isNumericDtype, type NumericArray } from '../feature.ts'
import type { Findings } from '../finding.ts'
import type { FrameRange } from '../frame-ranges.ts'
import { isAllFinite, viewAsDoubles } from '../statistics/doubles.ts'
import { findRests, scoreEpisode } from '../statistics/motion.ts'
import { type EpisodeTraces, traceRows } from '../statistics/motion-traces.ts'
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
  const read = columns.filter(({ name, dtype }) => held.has(name) || dtype.startsWith('float'))
  const request = { columns: read.map(({ name }) => name), endFrame: frames, ...(signal && { signal }) }
  for await (const block of episode.readBlocks(request)) {
    for (const { name, dtype } of read) {
      const values = takeDoubles(block, name, held.get(name))
      if (dtype.startsWith('float') && !isAllFinite(values)) markNotFinite(bad, name, values, block)
    }
  }
  for (const facts of [set.state, set.action]) {
    const rows = facts && held.get(facts.name)
    if (rows && bad.has(facts.name)) holdGaps(rows, facts.width)
  }
  const [state, action] = [set.state, set.action].map((facts) => facts && held.get(facts.name))
  const { scale, fps } = set
  const signalRows = scale?.state === 'moves' ? held.get(scale.signal.name) : undefined
  const traces = scale && signalRows && traceRows(signalRows, action, frames, scale.signal, fps)
  const rests = scale && traces && findRests(traces, scale, fps)
  const idle = rests?.runs ?? (scale?.state === 'still' && frames > 0 ? [[0, frames] as const] : [])
  const scores = scale && traces && scoreEpisode(traces, scale, fps, rests)
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

/** Of a block, as doubles: where they are held, straight into their place. */
function takeDoubles({ columns, startFrame, frameCount }: Block, name: string, into: Float64Array | undefined) {
  const values = columns.get(name) as NumericArray
  if (!into || values instanceof BigInt64Array || values instanceof BigUint64Array) {
    const doubles = viewAsDoubles(values)
    into?.set(doubles, (startFrame * values.length) / frameCount)
    return doubles
  }
  const start = (startFrame * values.length) / frameCount
  into.set(values, start)
  return into.subarray(start, start + values.length)
}

function markNotFinite(
  bad: Map<string, FrameRange[]>,
  name: string,
  values: Float64Array,
  { startFrame, frameCount }: Block,
): void {
  const perFrame = values.length / frameCount
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
