import type { ReadModel } from '../../datasets/read-model/model.ts'
import type { RecipePlan } from './plan.ts'

/** How much there is before and after a recipe, and what goes of the episodes that it selects. */
export const countResult = (model: ReadModel, plan: RecipePlan, selected: Uint32Array) => ({
  episode_count: plan.episodes.length,
  frame_count: plan.frameCount,
  duration_sec: plan.seconds,
  fps: plan.fps,
  source_episode_count: model.episodeCount,
  source_frame_count: model.manifest.total_frames,
  source_fps: model.manifest.fps,
  cut: countCut(model, plan, selected),
})

function countCut(
  { columns, manifest }: ReadModel,
  { episodes, lengths, isCut, seconds, fps }: RecipePlan,
  selected: Uint32Array,
) {
  if (!isCut) return null
  const left = new Map<number, number>()
  for (const [index, episode] of episodes.entries())
    left.set(episode, (left.get(episode) ?? 0) + (lengths[index] as number))
  let [frameCount, episodeCount, droppedCount, before] = [0, 0, 0, 0]
  const lost: number[] = []
  for (const episode of selected) {
    const length = columns.lengthFrames[episode] as number
    before += length
    const gone = length - (left.get(episode) ?? 0)
    frameCount += gone
    if (gone > 0) episodeCount++
    // Every second frame of a second is still a second.
    const lostSeconds = length / manifest.fps - (left.get(episode) ?? 0) / fps
    if (lostSeconds > 1e-9) lost.push(lostSeconds)
    if (!left.has(episode)) droppedCount++
  }
  return {
    frame_count: frameCount,
    duration_sec: Math.max(0, before / manifest.fps - seconds),
    episode_count: episodeCount,
    dropped_episode_count: droppedCount,
    histogram: countBins(lost),
  }
}

const mostBins = 24
const binSeconds = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600]

/** Bins of a round width, as many as are needed. */
function countBins(seconds: readonly number[]) {
  const most = seconds.reduce((one, other) => Math.max(one, other), 0)
  // What lies on an edge by its frames does not fall below it by rounding.
  const place = (value: number, width: number): number => Math.floor(value / width + 1e-6)
  let width = binSeconds.find((one) => place(most, one) < mostBins) ?? 3600
  while (place(most, width) >= mostBins) width *= 2
  const counts = new Array<number>(seconds.length > 0 ? place(most, width) + 1 : 0).fill(0)
  for (const value of seconds) counts[place(value, width)] = (counts[place(value, width)] ?? 0) + 1
  return { bin_sec: width, episode_counts: counts }
}
