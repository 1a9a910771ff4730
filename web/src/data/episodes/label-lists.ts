import type { EpisodeAnnotation } from '@nmp/sdk/generated/records'

type Segment = EpisodeAnnotation['segments'][number]

/** What is said of an episode: whether it succeeded, its tags, its segments. */
export interface EpisodeLabel {
  success: boolean | null
  /** Nobody has said whether it succeeded; its rows do. */
  isRecorded: boolean
  tags: readonly string[]
  segments: readonly Segment[]
}

export type EpisodeLabels = ReadonlyMap<number, EpisodeLabel>

interface SaidOfEpisode {
  episode_index: number
  success: boolean | null
  tags: readonly string[]
  segments: readonly Segment[]
}

/**
 * The first set that says something of an episode is the one that is shown, as in the player; tags are those of all. Where nobody has
 * said whether it succeeded, the recording's word counts.
 */
export function joinLabels(
  sets: readonly (readonly SaidOfEpisode[])[],
  recorded: readonly boolean[] = [],
): Map<number, EpisodeLabel> {
  const joined = new Map<number, EpisodeLabel>()
  for (const { episode_index, success, tags, segments } of sets.flat()) {
    const before = joined.get(episode_index)
    joined.set(episode_index, {
      success: before?.success ?? success,
      isRecorded: false,
      tags: [...new Set([...(before?.tags ?? []), ...tags])],
      segments: before?.segments.length ? before.segments : segments,
    })
  }
  for (const [index, success] of recorded.entries()) {
    const said = joined.get(index)
    if (typeof said?.success !== 'boolean')
      joined.set(index, { tags: [], segments: [], ...said, success, isRecorded: true })
  }
  return joined
}

export const listBySuccess = (labels: EpisodeLabels | undefined, success: boolean): number[] =>
  [...(labels ?? [])]
    .filter(([, label]) => label.success === success)
    .map(([index]) => index)
    .sort((a, b) => a - b)
