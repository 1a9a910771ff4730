import { Type } from 'typebox'
import { projectEditor, projectViewer } from '../../access/access.ts'
import { getDatasetBySlug } from '../../datasets/service.ts'
import { defineRoute } from '../../http/route.ts'
import { item, page, pageQuery } from '../../http/schemas.ts'
import { openCurated } from '../service.ts'
import {
  annotationSet,
  name,
  newSet,
  nextVersion,
  openedSet,
  presentOpened,
  presentSet,
  setBounds,
  setQuery,
} from './record.ts'
import {
  changeAnnotationSet,
  copyAnnotationSet,
  createAnnotationSet,
  deleteAnnotationSet,
  listAnnotationSets,
  openAnnotationSet,
} from './service.ts'

const base = '/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/annotation-sets'
const datasetParams = Type.Object({
  org_slug: Type.String(),
  project_slug: Type.String(),
  dataset_slug: Type.String(),
})
const setParams = Type.Object({ ...datasetParams.properties, set_id: Type.String() })

const revisionNumber = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1, description: 'The revision the dataset shows when absent.' }),
)

export const annotationRoutes = [
  defineRoute({
    id: 'listAnnotationSets',
    method: 'GET',
    path: base,
    tag: 'Project datasets',
    summary: 'List the annotation sets of a dataset',
    description: 'Sets of one revision, by default of the revision that the dataset shows.',
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
      'Task text, success, tags, note and labelled ranges of frames per episode. It belongs to one revision; a recipe that names it replaces the task texts and exports the rest in a separate file. The answer of `getAnnotationSet` can be sent here unchanged.',
    credentials: ['datasets:write'],
    access: projectEditor,
    params: datasetParams,
    query: Type.Object({ revision_number: revisionNumber }),
    body: newSet,
    bodyBounds: setBounds,
    response: item(openedSet),
    status: 201,
    errors: ['conflict'],
    async handle(context, { caller, project, params, query, body }) {
      const curated = await openCurated(context, project.id, params.dataset_slug, query.revision_number)
      const set = { name: body.name, message: body.message, episodes: body.episodes ?? [] }
      return { item: presentOpened(await createAnnotationSet(context, caller, curated, set)) }
    },
  }),
  defineRoute({
    id: 'getAnnotationSet',
    method: 'GET',
    path: `${base}/{set_id}`,
    tag: 'Project datasets',
    summary: 'One annotation set with its episodes',
    description: 'By default at its newest version.',
    credentials: ['workspace:read'],
    access: projectViewer,
    params: setParams,
    query: setQuery,
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
      'Versions never change. With `merge`, episodes that are not sent stay, and an episode sent empty is removed. With `base_version`, the request is a 409 if someone else has made a version in the meantime.',
    credentials: ['datasets:write'],
    access: projectEditor,
    params: setParams,
    body: nextVersion,
    bodyBounds: setBounds,
    response: item(openedSet),
    errors: ['conflict'],
    async handle(context, { caller, project, params, body }) {
      const dataset = await getDatasetBySlug(context.db, project.id, params.dataset_slug)
      const { episodes, merge, base_version: baseVersion, message: why } = body
      const change = { episodes, merge, baseVersion, message: why }
      const opened = await changeAnnotationSet(context, caller, { dataset }, params.set_id, change)
      return { item: presentOpened(opened) }
    },
  }),
  defineRoute({
    id: 'deleteAnnotationSet',
    method: 'DELETE',
    path: `${base}/{set_id}`,
    tag: 'Project datasets',
    summary: 'Delete an annotation set',
    description: 'Derived versions that use it keep working.',
    credentials: ['datasets:write'],
    access: projectEditor,
    params: setParams,
    response: item(annotationSet),
    async handle({ db }, { caller, project, params }) {
      const dataset = await getDatasetBySlug(db, project.id, params.dataset_slug)
      return { item: presentSet(await deleteAnnotationSet(db, caller, dataset, params.set_id)) }
    },
  }),
  defineRoute({
    id: 'copyAnnotationSet',
    method: 'POST',
    path: `${base}/{set_id}/copy`,
    tag: 'Project datasets',
    summary: 'Copy an annotation set to another revision',
    description:
      'Copies episodes whose rows and pictures are the same in both revisions, under their new numbers. `changed_episodes` lists the others by their old numbers.',
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
    async handle(context, { caller, project, params, body, signal }) {
      const to = await openCurated(context, project.id, params.dataset_slug, body.to_revision, ['body', 'to_revision'])
      const source = await openAnnotationSet(context.db, to.dataset.id, params.set_id, body.version)
      const target = { to, name: body.name ?? source.set.name }
      const { opened, changedEpisodes } = await copyAnnotationSet(context, caller, source, target, signal)
      return { item: presentOpened(opened), changed_episodes: changedEpisodes }
    },
  }),
]
