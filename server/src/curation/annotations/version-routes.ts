import { Type } from 'typebox'
import { orgMember } from '../../access/access.ts'
import { defineRoute } from '../../http/route.ts'
import { item, page, pageQuery } from '../../http/schemas.ts'
import { openCuratedVersion } from '../service.ts'
import {
  annotationSet,
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
  createAnnotationSet,
  deleteAnnotationSet,
  listAnnotationSets,
  openAnnotationSet,
} from './service.ts'

const base = '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/annotation-sets'
const versionParams = Type.Object({ org_slug: Type.String(), version_id: Type.String() })
const setParams = Type.Object({ ...versionParams.properties, set_id: Type.String() })

export const versionAnnotationRoutes = [
  defineRoute({
    id: 'listVersionAnnotationSets',
    method: 'GET',
    path: base,
    tag: 'Project datasets',
    summary: 'List the annotation sets of a derived version',
    description: 'In the episode numbers of the version itself.',
    credentials: ['workspace:read'],
    access: orgMember,
    params: versionParams,
    query: pageQuery,
    response: page(annotationSet),
    async handle(context, { caller, org, params, query }) {
      const curated = await openCuratedVersion(context, caller, org, params.version_id, 'viewer')
      const { rows, nextCursor } = await listAnnotationSets(context.db, curated, query.limit, query.cursor)
      return { items: rows.map(presentSet), next_cursor: nextCursor }
    },
  }),
  defineRoute({
    id: 'createVersionAnnotationSet',
    method: 'POST',
    path: base,
    tag: 'Project datasets',
    summary: 'Create an annotation set of a derived version',
    description:
      "As for a dataset, in the version's own episode numbers; `revision_number` is the number of the version. Recipes of versions that are derived from it can name it.",
    credentials: ['datasets:write'],
    access: orgMember,
    params: versionParams,
    body: newSet,
    bodyBounds: setBounds,
    response: item(openedSet),
    status: 201,
    errors: ['insufficient_role', 'conflict'],
    async handle(context, { caller, org, params, body }) {
      const curated = await openCuratedVersion(context, caller, org, params.version_id, 'editor')
      const set = { name: body.name, message: body.message, episodes: body.episodes ?? [] }
      return { item: presentOpened(await createAnnotationSet(context, caller, curated, set)) }
    },
  }),
  defineRoute({
    id: 'getVersionAnnotationSet',
    method: 'GET',
    path: `${base}/{set_id}`,
    tag: 'Project datasets',
    summary: 'One annotation set of a derived version with its episodes',
    description: 'By default at its newest version.',
    credentials: ['workspace:read'],
    access: orgMember,
    params: setParams,
    query: setQuery,
    response: item(openedSet),
    async handle(context, { caller, org, params, query }) {
      const { dataset } = await openCuratedVersion(context, caller, org, params.version_id, 'viewer')
      const opened = await openAnnotationSet(context.db, dataset.id, params.set_id, query.version)
      const { episode_index: only } = query
      const episodes = opened.episodes.filter(({ episode_index: index }) => only === undefined || index === only)
      return { item: presentOpened(opened, episodes) }
    },
  }),
  defineRoute({
    id: 'putVersionAnnotationSet',
    method: 'PUT',
    path: `${base}/{set_id}`,
    tag: 'Project datasets',
    summary: 'Make the next version of an annotation set of a derived version',
    description: 'Works like `putAnnotationSet`.',
    credentials: ['datasets:write'],
    access: orgMember,
    params: setParams,
    body: nextVersion,
    bodyBounds: setBounds,
    response: item(openedSet),
    errors: ['insufficient_role', 'conflict'],
    async handle(context, { caller, org, params, body }) {
      const curated = await openCuratedVersion(context, caller, org, params.version_id, 'editor')
      const { episodes, merge, base_version: baseVersion, message } = body
      const change = { episodes, merge, baseVersion, message }
      return {
        item: presentOpened(await changeAnnotationSet(context, caller, curated, params.set_id, change)),
      }
    },
  }),
  defineRoute({
    id: 'deleteVersionAnnotationSet',
    method: 'DELETE',
    path: `${base}/{set_id}`,
    tag: 'Project datasets',
    summary: 'Delete an annotation set of a derived version',
    description: 'Versions that use it keep working.',
    credentials: ['datasets:write'],
    access: orgMember,
    params: setParams,
    response: item(annotationSet),
    errors: ['insufficient_role'],
    async handle(context, { caller, org, params }) {
      const { dataset } = await openCuratedVersion(context, caller, org, params.version_id, 'editor')
      return { item: presentSet(await deleteAnnotationSet(context.db, caller, dataset, params.set_id)) }
    },
  }),
]
