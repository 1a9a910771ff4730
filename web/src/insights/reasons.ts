import type { Insights } from '../dataset/insights-query.ts'
import type { Outliers } from '../dataset/outliers.ts'
import type { Filtering } from '../dataset/queries.ts'
import { medianOf } from './bins.ts'

export type Measure = 'length' | 'motion' | 'variance'

interface Known {
  insights: Insights
  outliers: Outliers
  filtering: Filtering | undefined
  fps: number
}

/** Why an episode stands where it does. The server's words are for those that stand out; all others are compared with the median. */
export function makeReasons({ insights, outliers, filtering, fps }: Known): (index: number, by: Measure) => string {
  const slow = new Set(outliers.lowMotion)
  const words = new Map(filtering?.low_motion_episodes.map((one) => [one.episode_index, one.score_label]))
  const medians = {
    length: medianOf(insights.lengthFrames) / fps,
    motion: medianOf(insights.motion) || 1,
    variance: medianOf(insights.variance) || 1,
  }
  return (index, by) => {
    if (by === 'length') return `against a median of ${medians.length.toFixed(2)} s`
    const share = (insights[by][index] ?? 0) / medians[by]
    if (by === 'variance') return `${share.toPrecision(2)} times the median variance`
    const still = insights.stillSeconds[index] ?? 0
    if (still > 0.5)
      return `still for ${still.toFixed(2)} s of ${((insights.lengthFrames[index] ?? 0) / fps).toFixed(2)} s`
    return (slow.has(index) && words.get(index)) || `${Math.round(share * 100)} % of the median motion`
  }
}
