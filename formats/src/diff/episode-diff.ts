import type { FrameRange } from '../frame-ranges.ts'

export const episodeChanges = ['same', 'relabelled', 're_encoded', 'trimmed', 'changed', 'removed', 'added'] as const
export type EpisodeChange = (typeof episodeChanges)[number]

/** An episode of either side, or the one that both have. */
export interface EpisodeMatch {
  kind: EpisodeChange
  /** Its number on each side; null where it is not there. */
  from: number | null
  to: number | null
  /** Of `trimmed`: frames of the longer one that the shorter one has. */
  kept?: readonly FrameRange[]
  /** Whether its tasks are others, whatever else is. */
  isRelabelled?: true
  /** Places in the paired features whose content is another; absent where only frames were cut. */
  differing?: readonly number[]
}
