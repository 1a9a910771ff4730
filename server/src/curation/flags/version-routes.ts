import { Type } from 'typebox'
import { orgMember } from '../../access/access.ts'
import { defineRoute } from '../../http/route.ts'
import { item, items, page } from '../../http/schemas.ts'
import { openCuratedVersion } from '../service.ts'
import { flag, flagBounds, flagIdBounds, flagIds, flagQuery, givenFlags, presentFlag, putFlagsReply } from './record.ts'
import { listFlags, putFlags, removeFlag, removeFlags } from './service.ts'

const base = '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/flags'
const versionParams = Type.Object({ org_slug: Type.String(), version_id: Type.String() })

export const versionFlagRoutes = [
  defineRoute({
    id: 'listVersionFlags',
    method: 'GET',
    path: base,
    tag: 'Project datasets',
    summary: 'List the flags of a derived version',
    description:
      "Sorted by episode, in the version's own numbers. The items can be sent to `putVersionFlags` unchanged.",
    credentials: ['workspace:read'],
    access: orgMember,
    params: versionParams,
    query: flagQuery,
    response: page(flag),
    async handle(context, { caller, org, params, query }) {
      const curated = await openCuratedVersion(context, caller, org, params.version_id, 'viewer')
      const filter = { episodeIndex: query.episode_index, reason: query.reason }
      const { rows, nextCursor } = await listFlags(context.db, curated, filter, query.limit, query.cursor)
      return { items: rows.map(presentFlag), next_cursor: nextCursor }
    },
  }),
  defineRoute({
    id: 'putVersionFlags',
    method: 'PUT',
    path: base,
    tag: 'Project datasets',
    summary: 'Flag episodes of a derived version',
    description:
      'Works like `putFlags`: all or none are saved, and the other editors of the project get one notification.',
    credentials: ['datasets:write'],
    access: orgMember,
    params: versionParams,
    body: givenFlags,
    bodyBounds: flagBounds,
    response: putFlagsReply,
    errors: ['insufficient_role', 'conflict'],
    async handle(context, { caller, org, params, body }) {
      const curated = await openCuratedVersion(context, caller, org, params.version_id, 'editor')
      const { flags, createdIds } = await putFlags(context, caller, curated, body.items)
      return { items: flags.map(presentFlag), created_ids: createdIds }
    },
  }),
  defineRoute({
    id: 'deleteVersionFlag',
    method: 'DELETE',
    path: `${base}/{flag_id}`,
    tag: 'Project datasets',
    summary: 'Delete a flag of a derived version',
    description: 'Returns the deleted flag; send it to `putVersionFlags` to undo.',
    credentials: ['datasets:write'],
    access: orgMember,
    params: Type.Object({ ...versionParams.properties, flag_id: Type.String() }),
    response: item(flag),
    errors: ['insufficient_role'],
    async handle(context, { caller, org, params }) {
      const curated = await openCuratedVersion(context, caller, org, params.version_id, 'editor')
      return { item: presentFlag(await removeFlag(context.db, caller, curated, params.flag_id)) }
    },
  }),
  defineRoute({
    id: 'deleteVersionFlags',
    method: 'POST',
    path: `${base}/delete`,
    tag: 'Project datasets',
    summary: 'Delete several flags of a derived version',
    description: 'Returns the flags that were deleted; unknown ids are ignored.',
    credentials: ['datasets:write'],
    access: orgMember,
    params: versionParams,
    body: flagIds,
    bodyBounds: flagIdBounds,
    response: items(flag),
    errors: ['insufficient_role'],
    async handle(context, { caller, org, params, body }) {
      const curated = await openCuratedVersion(context, caller, org, params.version_id, 'editor')
      const flags = await removeFlags(context.db, caller, curated, body.ids)
      return { items: flags.map(presentFlag) }
    },
  }),
]
