import type { Dataset } from '../dataset.ts'
import { countBefore, type KeptRanges } from '../frame-ranges.ts'
import { isObject, type JsonObject, type JsonValue } from '../json.ts'

/** Where annotations go that LeRobot's own files have no place for. */
export const annotationsPath = 'meta/nmp-annotations.json'

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

/**
 * Task texts replace those of the source; the rest becomes a sidecar under the new episode numbers. What the recipes before this one
 * left there stays, under `inherited`.
 */
export function apply(dataset: Dataset, { header, episodes }: AnnotationSettings): Dataset {
  const rows: JsonValue[] = []
  let isTaskChanged = false
  for (let position = 0; position < dataset.episodeCount; position++) {
    const episode = dataset.getEpisode(position)
    const annotation = episodes.get(episode.sourceIndex)
    if (!annotation) continue
    isTaskChanged ||= !episode.hasOwnTask && isChanged(episode.tasks, annotation.task)
    if (annotation.rest && Object.keys(annotation.rest).length > 0) {
      const rest = cutSegments(annotation.rest, episode.sourceRanges)
      rows.push({ episode_index: position, source_episode_index: episode.sourceIndex, ...rest })
    }
  }
  if (rows.length === 0 && !isTaskChanged) return dataset
  const { intact, sidecars, ...others } = dataset
  const written =
    rows.length > 0 ? { ...header, ...inherit(sidecars?.get(annotationsPath)), episodes: rows } : undefined
  return {
    ...others,
    ...(intact && { intact: isTaskChanged ? { ...intact, data: undefined } : intact }),
    sidecars: new Map([...(sidecars ?? []), ...(written ? [[annotationsPath, written] as const] : [])]),
    getEpisode: (position) => {
      const episode = dataset.getEpisode(position)
      const task = episode.hasOwnTask ? null : episodes.get(episode.sourceIndex)?.task
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

/** Oldest first, the newest of them last. */
function inherit(earlier: JsonValue | undefined): { inherited?: JsonValue[] } {
  if (!isObject(earlier)) return {}
  const { inherited, ...newest } = earlier
  return { inherited: [...(Array.isArray(inherited) ? inherited : []), newest] }
}

type Sidecars = NonNullable<Dataset['sidecars']>

/** The annotations of the episodes that are kept, under the numbers they have now. */
export function selectAnnotated(sidecars: Sidecars, kept: readonly number[]): Sidecars {
  const places = new Map(kept.map((source, position) => [source, position]))
  return changeRows(sidecars, (row) => {
    const position = places.get(Number(row.episode_index))
    return position === undefined ? [] : [{ ...row, episode_index: position }]
  })
}

/** The same where frames go and one episode may become several: each has what was said of it, of the frames that are left. */
export function cutAnnotated(
  sidecars: Sidecars,
  kept: readonly { readonly position: number; readonly ranges: KeptRanges | undefined }[],
): Sidecars {
  const places = Map.groupBy(
    kept.map((entry, place) => ({ ...entry, place })),
    ({ position }) => position,
  )
  return changeRows(sidecars, (row) =>
    (places.get(Number(row.episode_index)) ?? []).map(({ place, ranges }) => ({
      ...cutSegments(row, ranges),
      episode_index: place,
    })),
  )
}

/** Segments count frames of the episode, so they move with them; one of which no frame is left goes. */
function cutSegments(said: JsonObject, ranges: KeptRanges | undefined): JsonObject {
  const { segments } = said
  if (!ranges || !Array.isArray(segments)) return said
  const left = segments.flatMap((segment): JsonValue[] => {
    if (!isObject(segment)) return [segment]
    const [from, to] = [segment.start_frame, segment.end_frame].map((frame) => countBefore(ranges, Number(frame)))
    return from === to ? [] : [{ ...segment, start_frame: from as number, end_frame: to as number }]
  })
  return { ...said, segments: left }
}

/** For the next recipe: the numbers that this one gave are those of its source. */
export const renumberAnnotated = (sidecars: Sidecars): Sidecars =>
  changeRows(sidecars, (row) => [{ ...row, source_episode_index: row.episode_index ?? null }])

function changeRows(sidecars: Sidecars, change: (row: JsonObject) => JsonObject[]): Sidecars {
  const found = sidecars.get(annotationsPath)
  if (!isObject(found)) return sidecars
  const changeSet = (set: JsonValue): JsonValue => {
    if (!isObject(set)) return set
    const rows = Array.isArray(set.episodes) ? set.episodes : []
    return { ...set, episodes: rows.flatMap((row): JsonValue[] => (isObject(row) ? change(row) : [row])) }
  }
  const { inherited } = found
  const changed = changeSet(found) as JsonObject
  const whole = Array.isArray(inherited) ? { ...changed, inherited: inherited.map(changeSet) } : changed
  return new Map([...sidecars, [annotationsPath, whole]])
}
