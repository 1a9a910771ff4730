import { Type } from 'typebox'
import { getDatasetBySlug } from '../../datasets/service.ts'
import { defineRoute } from '../../http/route.ts'
import { item, nullable, page, pageQuery, timestamp } from '../../http/schemas.ts'
import { projectEditor, projectViewer } from '../../organizations/access.ts'
import { openCurated } from '../service.ts'
import {
  type AnnotationSet,
  changeAnnotationSet,
  copyAnnotationSet,
  createAnnotationSet,
  deleteAnnotationSet,
  listAnnotationSets,
  maxAnnotatedEpisodes,
  type OpenedSet,
  openAnnotationSet,
} from './service.ts'

const base = '/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/annotation-sets'
const datasetParams = Type.Object({
  org_slug: Type.String(),
  project_slug: Type.String(),
  dataset_slug: Type.String(),
})
const setParams = Type.Object({ ...datasetParams.properties, set_id: Type.String() })

const number = Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })
const revisionNumber = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1, description: 'The revision the dataset shows when absent.' }),
)
const name = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' })
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
    success: Type.Optional(nullable(Type.Boolean())),
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
  episode_count: Type.Integer({ description: 'Of the newest version.' }),
  created_by: nullable(Type.String()),
  created_by_name: nullable(Type.String()),
  created_at: timestamp,
  updated_at: timestamp,
}
const annotationSet = Type.Object(setFields, { $id: 'AnnotationSet' })

const version = Type.Object({
  version: Type.Integer(),
  message: Type.String(),
  episode_count: Type.Integer(),
  created_by: nullable(Type.String()),
  created_by_name: nullable(Type.String()),
  created_at: timestamp,
})

const openedSet = Type.Object(
  {
    ...setFields,
    version: Type.Integer({ description: 'Of the episodes below.' }),
    versions: Type.Array(version, { description: 'Newest first, at most 100.' }),
    episodes: Type.Array(annotation),
  },
  { $id: 'OpenedAnnotationSet' },
)

const presentSet = (row: AnnotationSet) => ({
  id: row.id,
  name: row.name,
  revision_number: row.revision_number,
  latest_version: row.latest_version,
  episode_count: row.episode_count,
  created_by: row.created_by,
  created_by_name: row.created_by_name,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})

const presentOpened = (opened: OpenedSet, episodes = opened.episodes) => ({
  ...presentSet(opened.set),
  version: opened.version,
  versions: opened.versions.map((row) => ({ ...row, created_at: row.created_at.toISOString() })),
  episodes,
})

const bodyLimitBytes = 16 << 20

export const annotationRoutes = [
  defineRoute({
    id: 'listAnnotationSets',
    method: 'GET',
    path: base,
    tag: 'Project datasets',
    summary: 'List the annotation sets of a dataset',
    credentials: ['workspace:read'],
    access: projectViewer,
    params: datasetParams,
    query: Type.Object({ ...pageQuery.properties, revision_number: revisionNumber }),
    response: page(annotationSet),
    async handle(context, { project, params, query }) {
      const curated = await openCurated(context, project.id, params.dataset_slug, query.revision_number)
      const { rows, nextCursor } = await listAnnotationSets(context.db, curated, query.limit, query.cursor)
      return { items: rows.map(presentSet), next_cursor: nextCursor }
    },
  }),
  defineRoute({
    id: 'createAnnotationSet',
    method: 'POST',
    path: base,
    tag: 'Project datasets',
    summary: 'Create an annotation set',
    description:
      'Task text, success, tags, note and labelled ranges of frames per episode. It belongs to one revision; a recipe that names it replaces the task texts and keeps the rest beside the data. What `getAnnotationSet` answers can be sent here as it is.',
    credentials: ['datasets:write'],
    access: projectEditor,
    params: datasetParams,
    query: Type.Object({ revision_number: revisionNumber }),
    body: Type.Object({ name, message, episodes: Type.Optional(givenEpisodes) }),
    bodyLimitBytes,
    response: item(openedSet),
    status: 201,
    errors: ['conflict'],
    async handle(context, { principal, project, params, query, body, requestId }) {
      const curated = await openCurated(context, project.id, params.dataset_slug, query.revision_number)
      const set = { name: body.name, message: body.message, episodes: body.episodes ?? [] }
      return { item: presentOpened(await createAnnotationSet(context, principal, curated, set, requestId)) }
    },
  }),
  defineRoute({
    id: 'getAnnotationSet',
    method: 'GET',
    path: `${base}/{set_id}`,
    tag: 'Project datasets',
    summary: 'One annotation set with its episodes',
    credentials: ['workspace:read'],
    access: projectViewer,
    params: setParams,
    query: Type.Object({
      version: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1, description: 'The newest when absent.' }),
      ),
      episode_index: Type.Optional(number),
    }),
    response: item(openedSet),
    async handle({ db }, { project, params, query }) {
      const dataset = await getDatasetBySlug(db, project.id, params.dataset_slug)
      const opened = await openAnnotationSet(db, dataset.id, params.set_id, query.version)
      const { episode_index: only } = query
      const episodes = opened.episodes.filter(({ episode_index: index }) => only === undefined || index === only)
      return { item: presentOpened(opened, episodes) }
    },
  }),
  defineRoute({
    id: 'putAnnotationSet',
    method: 'PUT',
    path: `${base}/{set_id}`,
    tag: 'Project datasets',
    summary: 'Make the next version of an annotation set',
    description:
      'Versions never change. With `merge` the episodes that are not named stay; one that is sent without anything is taken out. With `base_version` a version that somebody else made meanwhile is a 409.',
    credentials: ['datasets:write'],
    access: projectEditor,
    params: setParams,
    body: Type.Object({
      episodes: givenEpisodes,
      merge: Type.Boolean({ default: false }),
      base_version: Type.Optional(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })),
      message,
    }),
    bodyLimitBytes,
    response: item(openedSet),
    errors: ['conflict'],
    async handle(context, { principal, project, params, body, requestId }) {
      const dataset = await getDatasetBySlug(context.db, project.id, params.dataset_slug)
      const { episodes, merge, base_version: baseVersion, message: why } = body
      const change = { episodes, merge, baseVersion, message: why }
      const opened = await changeAnnotationSet(context, principal, { dataset }, params.set_id, change, requestId)
      return { item: presentOpened(opened) }
    },
  }),
  defineRoute({
    id: 'deleteAnnotationSet',
    method: 'DELETE',
    path: `${base}/{set_id}`,
    tag: 'Project datasets',
    summary: 'Take an annotation set out of the lists',
    description: 'Derived versions that use it go on.',
    credentials: ['datasets:write'],
    access: projectEditor,
    params: setParams,
    response: item(annotationSet),
    async handle({ db }, { principal, project, params, requestId }) {
      const dataset = await getDatasetBySlug(db, project.id, params.dataset_slug)
      return { item: presentSet(await deleteAnnotationSet(db, principal, dataset, params.set_id, requestId)) }
    },
  }),
  defineRoute({
    id: 'copyAnnotationSet',
    method: 'POST',
    path: `${base}/{set_id}/copy`,
    tag: 'Project datasets',
    summary: 'Take an annotation set over to another revision',
    description:
      'For episodes whose rows and pictures are the same in both, under the numbers they have there. `changed_episodes` names the others by their old numbers.',
    credentials: ['datasets:write'],
    access: projectEditor,
    params: setParams,
    body: Type.Object({
      to_revision: revisionNumber,
      version: Type.Optional(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })),
      name: Type.Optional(name),
    }),
    response: Type.Object({ item: openedSet, changed_episodes: Type.Array(Type.Integer()) }),
    status: 201,
    errors: ['conflict'],
    async handle(context, { principal, project, params, body, requestId, signal }) {
      const to = await openCurated(context, project.id, params.dataset_slug, body.to_revision, ['body', 'to_revision'])
      const source = await openAnnotationSet(context.db, to.dataset.id, params.set_id, body.version)
      const called = body.name ?? source.set.name
      const { opened, changedEpisodes } = await copyAnnotationSet(
        context,
        principal,
        source,
        to,
        called,
        requestId,
        signal,
      )
      return { item: presentOpened(opened), changed_episodes: changedEpisodes }
    },
  }),
]
