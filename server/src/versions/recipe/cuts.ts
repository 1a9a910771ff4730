import type { FrameRange } from '@nmp/formats/frame-ranges'
import type { CutPart, CutSettings } from '@nmp/formats/steps/cut'

/** What a recipe over time keeps of the episodes whose frames it cuts, as it was found when the version was made. */
export interface StoredCuts {
  /** By ascending number in the source; episodes that stay whole are not in it. */
  episodes: { episode_index: number; parts: StoredPart[] }[]
}

interface StoredPart {
  ranges: FrameRange[]
  /** The tasks of its frames, where the episode has more. */
  tasks?: string[]
  /** A task of its own. */
  task?: string
}

export const toCutSettings = ({ episodes }: StoredCuts): CutSettings => ({
  episodes: new Map(episodes.map(({ episode_index: index, parts }) => [index, parts])),
})

export const packPart = ({ ranges, tasks, task }: CutPart): StoredPart => ({
  ranges: [...ranges],
  ...(tasks && { tasks: [...tasks] }),
  ...(typeof task === 'string' && { task }),
})
