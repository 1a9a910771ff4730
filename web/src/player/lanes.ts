import type { Manifest } from '../dataset/queries.ts'
import type { EpisodeRows } from './queries.ts'

/** One line of the timeline: a dimension of the state over that of the action it belongs to. */
export interface LaneSpec {
  key: string
  label: string
  stateDimension: number | undefined
  actionDimension: number | undefined
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
    }
  })
  for (const [index, name] of actionNames.entries())
    if (!usedActions.has(index))
      lanes.push({ key: `a${index}`, label: name, stateDimension: undefined, actionDimension: index })
  return lanes
}

/** What every name ends in (`.pos`) says nothing. */
function dropEnding(names: readonly string[]): readonly string[] {
  const ending = /\.\w+$/.exec(names[0] ?? '')?.[0]
  return ending && names.length > 1 && names.every((name) => name.endsWith(ending))
    ? names.map((name) => name.slice(0, -ending.length))
    : names
}

export interface LaneData {
  frames: number[]
  state: (number | null)[] | undefined
  action: (number | null)[] | undefined
  low: number
  high: number
}

export function readLane(
  rows: EpisodeRows | undefined,
  lane: LaneSpec,
  dataset: Pick<Manifest, 'observation' | 'action'>,
): LaneData {
  const pick = (key: string | undefined, dimension: number | undefined) =>
    dimension === undefined ? undefined : rows?.series.find(({ name }) => name === key)?.values[dimension]
  const state = pick(dataset.observation.state?.key, lane.stateDimension)
  const action = pick(dataset.action?.key, lane.actionDimension)
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  for (const values of [state, action])
    for (const value of values ?? []) {
      if (value === null) continue
      if (value < low) low = value
      if (value > high) high = value
    }
  if (low > high) [low, high] = [0, 1]
  return { frames: rows?.frame_index ?? [], state, action, low, high }
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
