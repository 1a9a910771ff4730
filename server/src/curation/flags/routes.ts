import { Type } from 'typebox'
import { projectEditor, projectViewer } from '../../access/access.ts'
import { getDatasetBySlug } from '../../datasets/service.ts'
import { defineRoute } from '../../http/route.ts'
import { item, items, page } from '../../http/schemas.ts'
import { openCurated } from '../service.ts'
import { flag, flagIds, flagQuery, givenFlags, presentFlag, putFlagsReply } from './record.ts'
import { copyFlags, listFlags, putFlags, removeFlag, removeFlags } from './service.ts'

const base = '/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/flags'
const datasetParams = Type.Object({
  org_slug: Type.String(),
  project_slug: Type.String(),
  dataset_slug: Type.String(),
})

const revisionNumber = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1, description: 'The revision the dataset shows when absent.' }),
)

export const flagRoutes = [
  defineRoute({
    id: 'listFlags',
    method: 'GET',
    path: base,
    tag: 'Project datasets',
    summary: 'List the flags of a dataset',
    description: 'By episode. The items can be sent back to `putFlags` as they are, here or elsewhere.',
    credentials: ['workspace:read'],
    access: projectViewer,
    params: datasetParams,
    query: Type.Object({
      ...flagQuery.properties,
      revision_number: revisionNumber,
    }),
    response: page(flag),
    async handle(context, { project, params, query }) {
      const curated = await openCurated(context, project.id, params.dataset_slug, query.revision_number)
      const filter = { episodeIndex: query.episode_index, reason: query.reason }
      const { rows, nextCursor } = await listFlags(context.db, curated, filter, query.limit, query.cursor)
      return { items: rows.map(presentFlag), next_cursor: nextCursor }
    },
  }),
  defineRoute({
    id: 'putFlags',
    method: 'PUT',
    path: base,
    tag: 'Project datasets',
    summary: 'Flag episodes',
    description:
      'All or none. An episode has one flag per reason and range of frames; putting it again changes its note. `created_ids` are those that were not there: deleting them takes the request back. The other editors of the dataset are told once per request.',
    credentials: ['datasets:write'],
    access: projectEditor,
    params: datasetParams,
    query: Type.Object({ revision_number: revisionNumber }),
    body: givenFlags,
    bodyLimitBytes: 8 << 20,
    response: putFlagsReply,
    errors: ['conflict'],
    async handle(context, { principal, project, params, query, body, requestId }) {
      const curated = await openCurated(context, project.id, params.dataset_slug, query.revision_number)
      const { flags, createdIds } = await putFlags(context, principal, curated, body.items, requestId)
      return { items: flags.map(presentFlag), created_ids: createdIds }
    },
  }),
  defineRoute({
    id: 'deleteFlag',
    method: 'DELETE',
    path: `${base}/{flag_id}`,
    tag: 'Project datasets',
    summary: 'Take a flag away',
    description: 'Answers the flag as it was; `putFlags` takes it back.',
    credentials: ['datasets:write'],
    access: projectEditor,
    params: Type.Object({ ...datasetParams.properties, flag_id: Type.String() }),
    response: item(flag),
    async handle({ db }, { principal, project, params, requestId }) {
      const dataset = await getDatasetBySlug(db, project.id, params.dataset_slug)
      return { item: presentFlag(await removeFlag(db, principal, { dataset }, params.flag_id, requestId)) }
    },
  }),
  defineRoute({
    id: 'deleteFlags',
    method: 'POST',
    path: `${base}/delete`,
    tag: 'Project datasets',
    summary: 'Take many flags away',
    description: 'Answers those that were there, as they were.',
    credentials: ['datasets:write'],
    access: projectEditor,
    params: datasetParams,
    body: flagIds,
    response: items(flag),
    async handle({ db }, { principal, project, params, body, requestId }) {
      const dataset = await getDatasetBySlug(db, project.id, params.dataset_slug)
      const flags = await removeFlags(db, principal, { dataset }, body.ids, requestId)
      return { items: flags.map(presentFlag) }
    },
  }),
  defineRoute({
    id: 'copyFlags',
    method: 'POST',
    path: `${base}/copy`,
    tag: 'Project datasets',
    summary: 'Take over the flags of an older revision',
    description:
      'For episodes whose rows and pictures are the same in both, whatever their numbers are now: same length, tasks and statistics of every feature and camera. `changed_episodes` names the others by their old numbers.',
    credentials: ['datasets:write'],
    access: projectEditor,
    params: datasetParams,
    body: Type.Object({
      from_revision: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }),
      to_revision: revisionNumber,
    }),
    response: item(
      Type.Object({
        from_revision: Type.Integer(),
        to_revision: Type.Integer(),
        copied: Type.Integer(),
        present: Type.Integer({ description: 'Flags that were there already.' }),
        changed_episodes: Type.Array(Type.Integer()),
      }),
    ),
    errors: ['conflict'],
    async handle(context, { principal, project, params, body, requestId, signal }) {
      const open = (number: number | undefined, field: string) =>
        openCurated(context, project.id, params.dataset_slug, number, ['body', field])
      const from = await open(body.from_revision, 'from_revision')
      const to = await open(body.to_revision, 'to_revision')
      const { copied, present, changedEpisodes } = await copyFlags(context, principal, from, to, requestId, signal)
      return {
        item: {
          from_revision: from.revision.number,
          to_revision: to.revision.number,
          copied,
          present,
          changed_episodes: changedEpisodes,
        },
      }
    },
  }),
]
