import type { EpisodeSignals } from '../episode-signals.ts'
import type { SetFacts } from '../set-facts.ts'

/** How fast the arm was between a frame and the one before it, in usual steps; 0 where nothing is known of it. */
export function listSpeeds({ frames, traces }: EpisodeSignals, { scale }: SetFacts): Float64Array {
  const speeds = new Float64Array(frames)
  if (traces && scale && scale.usualStep > 0)
    for (let frame = 1; frame < frames; frame++) speeds[frame] = (traces.steps[frame - 1] as number) / scale.usualStep
  return speeds
}
