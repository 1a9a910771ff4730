import { type Static, Type } from 'typebox'
import { orgMember } from '../../access/access.ts'
import { datasetPath, datasetReaders, datasetRoute } from '../../datasets/routes.ts'
import { getDatasetBySlug } from '../../datasets/service.ts'
import { defineRoute } from '../../http/route.ts'
import { item, nullable, oneOf, timestamp } from '../../http/schemas.ts'
import { versionParams, versionsPath } from '../../versions/routes.ts'
import { getSeenVersion } from '../../versions/service.ts'
import { type Lineage, traceLineage } from './service.ts'

const lineageRecord = Type.Object(
  {
    nodes: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          kind: oneOf(['push', 'import', 'revision', 'version', 'export']),
          title: Type.String(),
          detail: Type.String(),
          org_slug: nullable(Type.String()),
          project_slug: nullable(Type.String()),
          slug: nullable(Type.String({ description: 'Of the dataset or version; null where you may not open it.' })),
          number: nullable(Type.Integer()),
          state: nullable(Type.String({ description: 'Of a version or a job.' })),
          created_at: nullable(timestamp),
          readable: Type.Boolean({ description: 'False: named by what came from it; closed to you, or deleted.' }),
        },
        { $id: 'LineageNode' },
      ),
    ),
    edges: Type.Array(
      Type.Object({ from: Type.String(), to: Type.String() }, { description: 'What `to` was made from.' }),
    ),
    truncated: Type.Boolean({ description: 'There is more than these 300 or so.' }),
  },
  { $id: 'Lineage' },
)

const about =
  'Imports, pushes, revisions, versions and exports that it came from or that came from it, across projects, as far as you may see them.'

export const lineageRoutes = [
  defineRoute({
    ...datasetRoute,
    ...datasetReaders,
    id: 'getDatasetLineage',
    method: 'GET',
    path: `${datasetPath}/lineage`,
    summary: 'Tell what a dataset came from, and what came from it',
    description: about,
    response: item(lineageRecord),
    async handle(context, { caller, project, params }) {
      const { id } = await getDatasetBySlug(context.db, project.id, params.dataset_slug)
      return { item: presentLineage(await traceLineage(context, caller, id)) }
    },
  }),
  defineRoute({
    id: 'getVersionLineage',
    method: 'GET',
    path: `${versionsPath}/{version_id}/lineage`,
    tag: 'Exports',
    summary: 'Tell what a version came from, and what came from it',
    description: about,
    credentials: ['workspace:read'],
    access: orgMember,
    params: versionParams,
    response: item(lineageRecord),
    errors: ['not_found', 'insufficient_role'],
    async handle(context, { caller, org, params }) {
      const { id } = await getSeenVersion(context.db, caller, org, params.version_id)
      return { item: presentLineage(await traceLineage(context, caller, id)) }
    },
  }),
]

const presentLineage = ({ nodes, edges, isCut }: Lineage): Static<typeof lineageRecord> => ({
  nodes: nodes.map(({ id, kind, title, detail, place, state, createdAt, isReadable }) => ({
    id,
    kind,
    title,
    detail,
    org_slug: place?.orgSlug ?? null,
    project_slug: place?.projectSlug ?? null,
    slug: place?.slug ?? null,
    number: place?.number ?? null,
    state,
    created_at: createdAt?.toISOString() ?? null,
    readable: isReadable,
  })),
  edges,
  truncated: isCut,
})
