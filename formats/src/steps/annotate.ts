import type { Dataset } from '../dataset.ts'
import type { JsonObject, JsonValue } from '../json.ts'

/** Where annotations go that LeRobot's own files have no place for. */
export const ANNOTATIONS_PATH = 'meta/nmp-annotations.json'

export interface AnnotationSettings {
  /** What is said of the whole set: its id, version and name. */
  readonly header: JsonObject
  /** By the source's episode number. */
  readonly episodes: ReadonlyMap<number, EpisodeAnnotation>
}

export interface EpisodeAnnotation {
  /** Replaces the episode's tasks. */
  readonly task?: string | null
  /** Everything else: kept in a sidecar beside the data. */
  readonly rest?: JsonObject
}

/** Task texts replace those of the source; the rest becomes a sidecar under the new episode numbers. */
export function apply(dataset: Dataset, { header, episodes }: AnnotationSettings): Dataset {
  const rows: JsonValue[] = []
  let isTaskChanged = false
  for (let position = 0; position < dataset.episodeCount; position++) {
    const episode = dataset.getEpisode(position)
    const annotation = episodes.get(episode.sourceIndex)
    if (!annotation) continue
    isTaskChanged ||= isChanged(episode.tasks, annotation.task)
    if (annotation.rest && Object.keys(annotation.rest).length > 0)
      rows.push({ episode_index: position, source_episode_index: episode.sourceIndex, ...annotation.rest })
  }
  if (rows.length === 0 && !isTaskChanged) return dataset
  const { intact, sidecars, ...others } = dataset
  return {
    ...others,
    ...(intact && { intact: isTaskChanged ? { ...intact, data: undefined } : intact }),
    sidecars: new Map([
      ...(sidecars ?? []),
      ...(rows.length > 0 ? [[ANNOTATIONS_PATH, { ...header, episodes: rows }] as const] : []),
    ]),
    getEpisode: (position) => {
      const episode = dataset.getEpisode(position)
      const task = episodes.get(episode.sourceIndex)?.task
      if (typeof task !== 'string' || !isChanged(episode.tasks, task)) return episode
      const readBlocks: typeof episode.readBlocks = async function* (request) {
        for await (const { taskIndex: _, ...block } of episode.readBlocks(request)) yield block
      }
      return { ...episode, tasks: [task], readBlocks }
    },
  }
}

function isChanged(tasks: readonly string[], task: string | null | undefined): boolean {
  return typeof task === 'string' && (tasks.length !== 1 || tasks[0] !== task)
}
