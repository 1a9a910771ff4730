import type { Episode } from '@nmp/formats/dataset'
import type { ColumnFeature } from '@nmp/formats/feature'
import { countBefore, type FrameRange, type KeptRanges, listKept } from '@nmp/formats/frame-ranges'
import { changeEpisode, planAction } from '@nmp/formats/steps/action'
import { mapFrames } from '@nmp/formats/steps/frame-map'
import type { Derivation } from './derivation.ts'

/** The rows of a derived episode from those of the stored one, whole: what each recipe cuts and changes, one after the other. */
export function replayEpisode(
  stored: Episode,
  { frames, changes }: Pick<Derivation, 'frames' | 'changes'>,
  position: number,
  of: { features: readonly ColumnFeature[]; fps: number },
): Episode {
  let episode = stored
  let kept: KeptRanges = [[0, stored.length]]
  const keep = (next: KeptRanges | undefined): void => {
    if (!next) return
    episode = mapFrames(episode, { ranges: countWithin(kept, next) }, of)
    kept = next
  }
  for (const change of changes) {
    keep(change.frames.get(position))
    const plan = planAction(change.action)
    const feature = of.features.find(({ name }) => name === change.column)
    if (plan && feature) episode = changeEpisode(episode, feature, plan)
  }
  keep(frames.get(position))
  return episode
}

/** Ranges of the stored episode in numbers of what was kept of it before. */
const countWithin = (outer: KeptRanges, inner: KeptRanges): FrameRange[] =>
  inner.map(([from, to]) => [countBefore(outer, from), countBefore(outer, to)])

/** Values of one number a frame: those of `inner`, of values of `outer`; all frames where there is none. */
export function keepWithin(
  values: Float64Array,
  outer: KeptRanges | undefined,
  inner: KeptRanges | undefined,
): Float64Array {
  if (!inner || inner === outer) return values
  const ranges = outer ? countWithin(outer, inner) : inner
  const [first, ...others] = ranges
  if (first && others.length === 0) return values.subarray(first[0], first[1])
  return Float64Array.from(listKept(ranges), (frame) => values[frame] as number)
}
