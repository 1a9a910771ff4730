import { Type } from 'typebox'
import { nullable, timestamp, truth } from '../../http/schemas.ts'
import { type AnnotationSet, maxAnnotatedEpisodes, type OpenedSet } from './service.ts'

const number = Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })
export const name = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' })
const message = Type.String({ maxLength: 500, default: '', description: 'Why this version was made.' })

const segment = Type.Object({
  label: Type.String({ minLength: 1, maxLength: 200 }),
  start_frame: number,
  end_frame: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1, description: 'Exclusive.' }),
})

const annotation = Type.Object(
  {
    episode_index: Type.Integer(),
    task: nullable(Type.String()),
    success: nullable(Type.Boolean()),
    tags: Type.Array(Type.String()),
    note: nullable(Type.String()),
    segments: Type.Array(segment),
  },
  { $id: 'EpisodeAnnotation' },
)

const givenEpisodes = Type.Array(
  Type.Object({
    episode_index: number,
    task: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 2000 }))),
    success: Type.Optional(nullable(truth())),
    tags: Type.Optional(nullable(Type.Array(Type.String({ minLength: 1, maxLength: 60 }), { maxItems: 50 }))),
    note: Type.Optional(nullable(Type.String({ maxLength: 4000 }))),
    segments: Type.Optional(nullable(Type.Array(segment, { maxItems: 1000 }))),
  }),
  { maxItems: maxAnnotatedEpisodes },
)

const setFields = {
  id: Type.String(),
  name: Type.String(),
  revision_number: Type.Integer(),
  latest_version: Type.Integer(),
  episode_count: Type.Integer({ description: 'In the newest version.' }),
  created_by: nullable(Type.String()),
  created_by_name: nullable(Type.String()),
  created_at: timestamp,
  updated_at: timestamp,
}
export const annotationSet = Type.Object(setFields, { $id: 'AnnotationSet' })

const version = Type.Object({
  version: Type.Integer(),
  message: Type.String(),
  episode_count: Type.Integer(),
  created_by: nullable(Type.String()),
  created_by_name: nullable(Type.String()),
  created_at: timestamp,
})

export const openedSet = Type.Object(
  {
    ...setFields,
    version: Type.Integer({ description: 'Of the episodes below.' }),
    versions: Type.Array(version, { description: 'Newest first, at most 100.' }),
    episodes: Type.Array(annotation),
  },
  { $id: 'OpenedAnnotationSet' },
)

export const presentSet = (row: AnnotationSet) => ({
  id: row.id,
  name: row.name,
  revision_number: row.revisionNumber,
  latest_version: row.latestVersion,
  episode_count: row.episodeCount,
  created_by: row.createdBy,
  created_by_name: row.createdByName,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
})

export const presentOpened = (opened: OpenedSet, episodes = opened.episodes) => ({
  ...presentSet(opened.set),
  version: opened.version,
  versions: opened.versions.map((row) => ({
    version: row.version,
    message: row.message,
    episode_count: row.episodeCount,
    created_by: row.createdBy,
    created_by_name: row.createdByName,
    created_at: row.createdAt.toISOString(),
  })),
  episodes,
})

export const newSet = Type.Object({ name, message, episodes: Type.Optional(givenEpisodes) })
export const nextVersion = Type.Object({
  episodes: givenEpisodes,
  merge: truth({ default: false }),
  base_version: Type.Optional(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })),
  message,
})
export const setQuery = Type.Object({
  version: Type.Optional(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1, description: 'The newest when absent.' })),
  episode_index: Type.Optional(number),
})
/** A set with all its episodes, twenty keys and values each. */
export const setBounds = { mostBytes: 16 << 20, mostValues: 20 * maxAnnotatedEpisodes }
