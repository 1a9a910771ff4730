/** What an annotation says of one episode. Frames count from 0 within it; ends are exclusive. */
export interface EpisodeAnnotation {
  episode_index: number
  /** Replaces the episode's task when a recipe uses the set. */
  task: string | null
  success: boolean | null
  tags: string[]
  note: string | null
  segments: Segment[]
}

export interface Segment {
  label: string
  start_frame: number
  end_frame: number
}

/** As it is sent: what is absent or null says nothing. */
export type GivenAnnotation = { [K in keyof EpisodeAnnotation]?: EpisodeAnnotation[K] | null | undefined } & {
  episode_index: number
}

const completeAnnotation = (given: GivenAnnotation): EpisodeAnnotation => ({
  episode_index: given.episode_index,
  task: given.task ?? null,
  success: given.success ?? null,
  tags: [...new Set(given.tags ?? [])],
  note: given.note || null,
  segments: (given.segments ?? []).toSorted(
    (one, other) => one.start_frame - other.start_frame || one.end_frame - other.end_frame,
  ),
})

const saysSomething = ({ task, success, tags, note, segments }: EpisodeAnnotation): boolean =>
  task !== null || success !== null || tags.length > 0 || note !== null || segments.length > 0

/** What a version says of any episode, in a fixed order: the manifest's `annotation.keys` are made of it. */
export const listAnnotationFields = (episodes: readonly EpisodeAnnotation[]): string[] => {
  const found: [string, boolean][] = [
    ['task', episodes.some(({ task }) => task !== null)],
    ['success', episodes.some(({ success }) => success !== null)],
    ['tags', episodes.some(({ tags }) => tags.length > 0)],
    ['note', episodes.some(({ note }) => note !== null)],
    ['segments', episodes.some(({ segments }) => segments.length > 0)],
  ]
  return found.flatMap(([field, isSaid]) => (isSaid ? [field] : []))
}

/** In the order of the episodes; one that says nothing is left out, so sending it empty takes it away. */
export function joinAnnotations(
  kept: readonly EpisodeAnnotation[],
  given: readonly GivenAnnotation[],
): EpisodeAnnotation[] {
  const byEpisode = new Map(kept.map((entry) => [entry.episode_index, entry]))
  for (const entry of given) byEpisode.set(entry.episode_index, completeAnnotation(entry))
  return [...byEpisode.values()].filter(saysSomething).sort((one, other) => one.episode_index - other.episode_index)
}
