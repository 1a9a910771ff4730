import { Type } from 'typebox'
import { projectEditor, projectViewer } from '../../access/access.ts'
import { getDatasetBySlug } from '../../datasets/service.ts'
import { defineRoute } from '../../http/route.ts'
import { item, items, page } from '../../http/schemas.ts'
import { openCurated } from '../service.ts'
import { flag, flagBounds, flagIdBounds, flagIds, flagQuery, givenFlags, presentFlag, putFlagsReply } from './record.ts'
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
    description: 'Sorted by episode. The items can be sent to `putFlags` unchanged, here or on another installation.',
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
      'All or none are saved. An episode has one flag per reason and range of frames; sending it again changes its note. `created_ids` lists the new ones: delete them to undo the request. The other editors of the dataset get one notification per request.',
    credentials: ['datasets:write'],
    access: projectEditor,
    params: datasetParams,
    query: Type.Object({ revision_number: revisionNumber }),
    body: givenFlags,
    bodyBounds: flagBounds,
    response: putFlagsReply,
    errors: ['conflict'],
    async handle(context, { caller, project, params, query, body }) {
      const curated = await openCurated(context, project.id, params.dataset_slug, query.revision_number)
      const { flags, createdIds } = await putFlags(context, caller, curated, body.items)
      return { items: flags.map(presentFlag), created_ids: createdIds }
    },
  }),
  defineRoute({
    id: 'deleteFlag',
    method: 'DELETE',
    path: `${base}/{flag_id}`,
    tag: 'Project datasets',
    summary: 'Take a flag away',
    description: 'Returns the deleted flag; send it to `putFlags` to undo.',
    credentials: ['datasets:write'],
    access: projectEditor,
    params: Type.Object({ ...datasetParams.properties, flag_id: Type.String() }),
    response: item(flag),
    async handle({ db }, { caller, project, params }) {
      const dataset = await getDatasetBySlug(db, project.id, params.dataset_slug)
      return { item: presentFlag(await removeFlag(db, caller, { dataset }, params.flag_id)) }
    },
  }),
  defineRoute({
    id: 'deleteFlags',
    method: 'POST',
    path: `${base}/delete`,
    tag: 'Project datasets',
    summary: 'Delete several flags',
    description: 'Returns the flags that were deleted; unknown ids are ignored.',
    credentials: ['datasets:write'],
    access: projectEditor,
    params: datasetParams,
    body: flagIds,
    bodyBounds: flagIdBounds,
    response: items(flag),
    async handle({ db }, { caller, project, params, body }) {
      const dataset = await getDatasetBySlug(db, project.id, params.dataset_slug)
      const flags = await removeFlags(db, caller, { dataset }, body.ids)
      return { items: flags.map(presentFlag) }
    },
  }),
  defineRoute({
    id: 'copyFlags',
    method: 'POST',
    path: `${base}/copy`,
    tag: 'Project datasets',
    summary: 'Copy the flags of an older revision',
    description:
      'Copies flags of episodes that are the same in both revisions, whatever their numbers: same length, tasks and statistics of every feature and camera. `changed_episodes` lists the others by their old numbers.',
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
        present: Type.Integer({ description: 'Flags that already existed.' }),
        changed_episodes: Type.Array(Type.Integer()),
      }),
    ),
    errors: ['conflict'],
    async handle(context, { caller, project, params, body, signal }) {
      const open = (number: number | undefined, field: string) =>
        openCurated(context, project.id, params.dataset_slug, number, ['body', field])
      const from = await open(body.from_revision, 'from_revision')
      const to = await open(body.to_revision, 'to_revision')
      const { copied, present, changedEpisodes } = await copyFlags(context, caller, from, to, signal)
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
