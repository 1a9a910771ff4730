import type { Filtering } from '../dataset.ts'

/** Episode numbers, the worst first. Who stands out is decided by the server, for everybody who asks. */
export interface Outliers {
  lowMotion: number[]
  highVariance: number[]
}

const known = new WeakMap<Filtering, Outliers>()

/** The same object for the same answer, so that a list is ordered once. Undefined where nothing is measured. */
export function listOutliers(filtering: Filtering | undefined): Outliers | undefined {
  if (!filtering?.supports_motion_insights) return undefined
  const before = known.get(filtering)
  if (before) return before
  const numbers = (list: Filtering['low_motion_episodes']) => list.map(({ episode_index }) => episode_index)
  const found = {
    lowMotion: numbers(filtering.low_motion_episodes),
    highVariance: numbers(filtering.high_variance_episodes),
  }
  known.set(filtering, found)
  return found
}
