import type { Filtering } from '../../data/dataset.ts'
import type { Insights } from '../../data/insights.ts'
import { medianOf } from './bins.ts'

export type Measure = 'length' | 'motion' | 'variance'

interface Known {
  insights: Insights
  filtering: Filtering | undefined
  fps: number
}

/** Why an episode stands where it does. The server's words are for those that stand out; all others are compared with the median. */
export function makeReasons({ insights, filtering, fps }: Known): (index: number, by: Measure) => string {
  const wordsOf = (list: Filtering['low_motion_episodes'] = []) =>
    new Map(list.map(({ episode_index, score_label }) => [episode_index, score_label]))
  const words = {
    motion: wordsOf(filtering?.low_motion_episodes),
    variance: wordsOf(filtering?.high_variance_episodes),
  }
  const medians = {
    length: medianOf(insights.lengthFrames) / fps,
    motion: medianOf(insights.motion) || 1,
    variance: medianOf(insights.variance) || 1,
  }
  return (index, by) => {
    if (by === 'length') return `against a median of ${medians.length.toFixed(2)} s`
    const said = words[by].get(index)
    if (said !== undefined) return said
    const share = (insights[by][index] ?? 0) / medians[by]
    if (by === 'variance') return `${share.toPrecision(2)} times the median variance`
    const still = insights.stillSeconds[index] ?? 0
    if (still > 0)
      return `still for ${still.toFixed(2)} s of ${((insights.lengthFrames[index] ?? 0) / fps).toFixed(2)} s`
    return `${Math.round(share * 100)} % of the median motion`
  }
}
