import type { Manifest } from './dataset.ts'
import type { EpisodeRows } from './episode-rows.ts'

/** One line of the timeline: a dimension of the state over that of the action it belongs to. */
export interface LaneSpec {
  key: string
  label: string
  stateDimension: number | undefined
  actionDimension: number | undefined
  /** The side of the body it belongs to, where the robot has two. */
  group: string | undefined
}

/** Pairs by name; where no names agree and the sizes do, by place. */
export function planLanes({ observation: { state }, action }: Pick<Manifest, 'observation' | 'action'>): LaneSpec[] {
  const stateNames = dropEnding(state?.names ?? [])
  const actionNames = dropEnding(action?.names ?? [])
  const byName = stateNames.some((name) => actionNames.includes(name))
  const usedActions = new Set<number>()
  const lanes = stateNames.map((name, index): LaneSpec => {
    const partner = byName ? actionNames.indexOf(name) : actionNames.length === stateNames.length ? index : -1
    if (partner >= 0) usedActions.add(partner)
    return {
      key: `s${index}`,
      label: name,
      stateDimension: index,
      actionDimension: partner >= 0 ? partner : undefined,
      group: undefined,
    }
  })
  for (const [index, name] of actionNames.entries())
    if (!usedActions.has(index))
      lanes.push({ key: `a${index}`, label: name, stateDimension: undefined, actionDimension: index, group: undefined })
  return nameGroups(lanes)
}

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
  /** Of the whole episode, also where only a part of it is drawn. */
  low: number
  high: number
}

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
    ] as const
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  for (const values of pick(whole))
    for (const value of values ?? []) {
      if (value === null) continue
      if (value < low) low = value
      if (value > high) high = value
    }
  if (low > high) [low, high] = [0, 1]
  const [stateLine, actionLine, recorded] = pick(rows)
  return { frames: rows?.frame_index ?? [], state: stateLine, action: actionLine, recorded, low, high }
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
