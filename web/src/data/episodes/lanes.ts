import type { Manifest } from '../dataset.ts'
import type { EpisodeRows } from './episode-rows.ts'
import { mostLines, type PlottedColumn } from './plotted-columns.ts'

/** One line of the timeline: a dimension of the state over that of the action it belongs to, or one of another column. */
export interface LaneSpec {
  key: string
  label: string
  stateDimension: number | undefined
  actionDimension: number | undefined
  /** The side of the body it belongs to, where the robot has two; of a column with several lines, its name. */
  group: string | undefined
  /** Set where it is neither state nor action. */
  column?: { name: string; dimension: number; isText: boolean }
}

/** Whether some state stands over the action it belongs to, so that there is a difference to show. */
export const hasPairs = (lanes: readonly LaneSpec[]): boolean =>
  lanes.some(({ stateDimension, actionDimension }) => stateDimension !== undefined && actionDimension !== undefined)

/** A lane for each line of the columns that were chosen, under the column's name. */
export const planColumnLanes = (columns: readonly PlottedColumn[]): LaneSpec[] =>
  columns.flatMap(({ name, labels, isText }) =>
    labels.slice(0, mostLines).map(
      (label, dimension): LaneSpec => ({
        key: `c${dimension} ${name}`,
        label: labels.length > 1 ? label : name,
        stateDimension: undefined,
        actionDimension: undefined,
        group: labels.length > 1 ? name : undefined,
        column: { name, dimension, isText },
      }),
    ),
  )

/** Pairs by name; where no names agree and the sizes do, by place. Numbers are no names: the third of 11 states is not the third of 3 actions. */
export function planLanes({ observation: { state }, action }: Pick<Manifest, 'observation' | 'action'>): LaneSpec[] {
  const stateNames = dropEnding(state?.names ?? [])
  const actionNames = dropEnding(action?.names ?? [])
  const isNumbered = isCounted(stateNames) && isCounted(actionNames) && stateNames.length !== actionNames.length
  const byName = !isNumbered && stateNames.some((name) => actionNames.includes(name))
  const say = (name: string, what: string) => (isNumbered ? `${what} ${name}` : name)
  const usedActions = new Set<number>()
  const lanes = stateNames.map((name, index): LaneSpec => {
    const partner = byName ? actionNames.indexOf(name) : actionNames.length === stateNames.length ? index : -1
    if (partner >= 0) usedActions.add(partner)
    return {
      key: `s${index}`,
      label: say(name, 'state'),
      stateDimension: index,
      actionDimension: partner >= 0 ? partner : undefined,
      group: undefined,
    }
  })
  for (const [index, name] of actionNames.entries())
    if (!usedActions.has(index))
      lanes.push({
        key: `a${index}`,
        label: say(name, 'action'),
        stateDimension: undefined,
        actionDimension: index,
        group: undefined,
      })
  return nameGroups(lanes)
}

const isCounted = (names: readonly string[]): boolean =>
  names.length > 0 && names.every((name, index) => name === String(index))

const sides: Record<string, string> = { left: 'left', l: 'left', right: 'right', r: 'right' }

/** `left_elbow`, `robot1.l_hip` and `kLeftElbow` all have a side. Two sides make groups; what has none is the body. */
function nameGroups(lanes: LaneSpec[]): LaneSpec[] {
  const found = lanes.map(({ label }) =>
    label
      .replace(/([a-z\d])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .split(/[^a-z]+/)
      .map((word) => sides[word])
      .find((side) => side !== undefined),
  )
  if (new Set(found.filter(Boolean)).size < 2) return lanes
  return lanes.map((lane, at) => ({ ...lane, group: found[at] ?? 'body' }))
}

export interface LaneGroup {
  name: string | undefined
  lanes: LaneSpec[]
}

/** In the order in which the groups first appear; one without a name where there are none. */
export function groupLanes(lanes: readonly LaneSpec[]): LaneGroup[] {
  const groups = new Map<string | undefined, LaneSpec[]>()
  for (const lane of lanes) groups.set(lane.group, [...(groups.get(lane.group) ?? []), lane])
  return [...groups].map(([name, members]) => ({ name, lanes: members }))
}

/** What every name ends in (`.pos`) says nothing. */
function dropEnding(names: readonly string[]): readonly string[] {
  const ending = /\.\w+$/.exec(names[0] ?? '')?.[0]
  return ending && names.length > 1 && names.every((name) => name.endsWith(ending))
    ? names.map((name) => name.slice(0, -ending.length))
    : names
}

/** The name under which the rows of a version hold the action as it was recorded. */
export const recordedAction = 'recorded.action'

export interface LaneData {
  frames: number[]
  state: (number | null)[] | undefined
  action: (number | null)[] | undefined
  /** The action before a version's recipe changed it. */
  recorded: (number | null)[] | undefined
  /** Of a column that is neither. */
  column: (number | null)[] | undefined
  /** Of what `LaneRange` says, also where only a part of it is drawn. */
  low: number
  high: number
}

/** What an axis spans: the frames that are shown, all of the episode, or all of the dataset. */
export const laneRanges = ['shown', 'episode', 'dataset'] as const
export type LaneRange = (typeof laneRanges)[number]

type Signals = Pick<Manifest, 'observation' | 'action'>

const pickSeries = (rows: EpisodeRows | undefined, key: string | undefined, dimension: number | undefined) =>
  dimension === undefined ? undefined : rows?.series.find(({ name }) => name === key)?.values[dimension]

/** The lines of a lane from the rows to draw, its range from the rows of the whole episode (decimation keeps every peak). */
export function readLane(
  rows: EpisodeRows | undefined,
  whole: EpisodeRows | undefined,
  lane: LaneSpec,
  { observation, action }: Signals,
): LaneData {
  const pick = (from: EpisodeRows | undefined) =>
    [
      pickSeries(from, observation.state?.key, lane.stateDimension),
      pickSeries(from, action?.key, lane.actionDimension),
      pickSeries(from, recordedAction, lane.actionDimension),
      lane.column?.isText ? undefined : pickSeries(from, lane.column?.name, lane.column?.dimension),
    ] as const
  const [low, high] = findExtent(pick(whole)) ?? [0, 1]
  const [stateLine, actionLine, recorded, column] = pick(rows)
  return { frames: rows?.frame_index ?? [], state: stateLine, action: actionLine, recorded, column, low, high }
}

/** The smallest and the largest of some lines, between two places; undefined where they have no number. */
function findExtent(
  lines: readonly (readonly (number | null)[] | undefined)[],
  first = 0,
  end = Number.POSITIVE_INFINITY,
): [low: number, high: number] | undefined {
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  for (const values of lines)
    for (let at = first; at < Math.min(end, values?.length ?? 0); at++) {
      const value = values?.[at] ?? null
      if (value === null) continue
      if (value < low) low = value
      if (value > high) high = value
    }
  return low > high ? undefined : [low, high]
}

/** The same lines in the range of the frames that are shown. The same object where that changes nothing: nothing is drawn again then. */
export function fitLane(data: LaneData, from: number, to: number): LaneData {
  const { frames, state, action, recorded, column } = data
  const end = findNearest(frames, to) + 1
  const [low, high] = findExtent([state, action, recorded, column], findNearest(frames, from), end) ?? [0, 1]
  return low === data.low && high === data.high ? data : { ...data, low, high }
}

type Extremes = Pick<PlottedColumn, 'name' | 'low' | 'high'>

/** The same lines in the range of the whole dataset, where its statistics say one. */
export function spreadLane(
  data: LaneData,
  { stateDimension, actionDimension, column }: LaneSpec,
  { observation, action }: Signals,
  extremes: readonly Extremes[],
): LaneData {
  const ends = [
    [observation.state?.key, stateDimension] as const,
    [action?.key, actionDimension] as const,
    [column?.name, column?.dimension] as const,
  ].flatMap(([key, dimension]) => {
    const found = dimension === undefined ? undefined : extremes.find(({ name }) => name === key)
    return [found?.low?.[dimension ?? 0], found?.high?.[dimension ?? 0]].filter((one) => one !== undefined)
  })
  return { ...data, low: Math.min(data.low, ...ends), high: Math.max(data.high, ...ends) }
}

/** The place in `frames` that is nearest to a frame. */
export function findNearest(frames: readonly number[], frame: number): number {
  let low = 0
  let high = frames.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((frames[middle] ?? 0) <= frame) low = middle
    else high = middle - 1
  }
  const next = frames[low + 1]
  return next !== undefined && next - frame < frame - (frames[low] ?? 0) ? low + 1 : low
}
