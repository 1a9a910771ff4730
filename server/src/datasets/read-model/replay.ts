import type { Episode } from '@nmp/formats/dataset'
import type { ColumnFeature } from '@nmp/formats/feature'
import { countWithin, type KeptRanges, listKept } from '@nmp/formats/frame-ranges'
import { type ActionPlan, changeEpisode, planAction } from '@nmp/formats/steps/action'
import { mapFrames } from '@nmp/formats/steps/frame-map'
import { gatherColumn, rateEpisode } from '@nmp/formats/steps/rate'
import { shiftEpisode } from '@nmp/formats/steps/shift'
import { changesColumn, type Derivation, type RowChange } from './derivation.ts'

type Replayed = Pick<Derivation, 'frames' | 'changes'>

/** The rows of a derived episode from those of the stored one, whole: what each recipe cuts and changes, one after the other. */
export function replayEpisode(
  stored: Episode,
  { frames, changes }: Replayed,
  position: number,
  of: { features: readonly ColumnFeature[]; fps: number },
): Episode {
  let episode = stored
  let kept: KeptRanges = [[0, stored.length]]
  const keep = (next: KeptRanges | undefined): void => {
    if (!next || next === kept) return
    episode = mapFrames(episode, { ranges: countWithin(kept, next) }, of)
    kept = next
  }
  const find = (column: string) => of.features.find(({ name }) => name === column)
  for (const change of changes) {
    // What concerns no column that is read is only frames that go, which the next one takes out.
    if (!of.features.some(({ name }) => changesColumn(change, name))) continue
    keep(change.frames.get(position))
    const left = change.kind === 'action' ? undefined : change.left.get(position)
    if (change.kind === 'action') {
      const [plan, feature] = [planAction(change.settings, change.smoothed), find(change.column)]
      if (plan && feature) episode = changeEpisode(episode, feature, plan)
    } else if (change.kind === 'shift') {
      const feature = find(change.column)
      if (feature) episode = shiftEpisode(episode, feature, change.count, of)
    } else if (left) {
      const { columns, fps, newFps } = change
      episode = rateEpisode(episode, countWithin(kept, left), { features: of.features, fps, newFps, columns })
    }
    kept = left ?? kept
  }
  keep(frames.get(position))
  return episode
}

/** The same of one number a frame of a stored column. `smooth` is what an action's plan does to values. */
export function replayColumn(
  values: Float64Array,
  column: string,
  { frames, changes }: Replayed,
  position: number,
  smooth: (values: Float64Array, plan: ActionPlan) => Float64Array,
): Float64Array {
  let [own, kept]: [Float64Array, KeptRanges] = [values, [[0, values.length]]]
  const keep = (next: KeptRanges | undefined): void => {
    if (!next || next === kept) return
    own = pickValues(own, countWithin(kept, next))
    kept = next
  }
  for (const change of changes) {
    if (!changesColumn(change, column)) continue
    keep(change.frames.get(position))
    if (change.kind === 'action') {
      const plan = findPlan(change)
      if (plan) own = smooth(own, plan)
      continue
    }
    const left = change.left.get(position)
    const how = change.kind === 'rate' ? change.columns.get(column) : undefined
    if (change.kind === 'shift') own = own.subarray(Math.max(0, change.count), own.length + Math.min(0, change.count))
    else if (left && how) own = gatherColumn(own, countWithin(kept, left), how)
    kept = left ?? kept
  }
  keep(frames.get(position))
  return own
}

/** Made once for all the columns of all episodes. */
const plans = new WeakMap<RowChange, ActionPlan | undefined>()
function findPlan(change: Extract<RowChange, { kind: 'action' }>): ActionPlan | undefined {
  if (!plans.has(change)) plans.set(change, planAction(change.settings, change.smoothed))
  return plans.get(change)
}

function pickValues(values: Float64Array, ranges: KeptRanges): Float64Array {
  const [first, ...others] = ranges
  if (first && others.length === 0) return values.subarray(first[0], first[1])
  return Float64Array.from(listKept(ranges), (frame) => values[frame] as number)
}
