import { cardBounds } from '@nmp/formats/card/dataset-card'
import { Type } from 'typebox'
import { projectAdmin, projectEditor, projectViewer } from '../access/access.ts'
import { defineRoute, smallBody } from '../http/route.ts'
import { item, listQuery, nullable, oneOf, page, pageQuery, projectParams, timestamp, truth } from '../http/schemas.ts'
import { deletionGraceDays } from '../organizations/service.ts'
import { listTasks } from './listing/entry-words.ts'
import { editedFields, languages, workFields } from './schemas.ts'
import type { Dataset } from './seen-dataset.ts'
import {
  changeDataset,
  getDatasetBySlug,
  listDatasets,
  listRevisions,
  requestDatasetDeletion,
  requireSessionToPublish,
  restoreDataset,
  restoreRevision,
} from './service.ts'

export const projectDataset = Type.Object(
  {
    id: Type.String(),
    org_slug: Type.String(),
    project_slug: Type.String(),
    slug: Type.String(),
    title: Type.String(),
    source_kind: Type.String(),
    visibility: oneOf(['private', 'public']),
    source_uri: nullable(Type.String()),
    read_model_path: nullable(Type.String()),
    created_at: timestamp,
    updated_at: timestamp,
    description: Type.String(),
    tags: Type.Array(Type.String()),
    licence: nullable(Type.String()),
    citation: nullable(Type.String()),
    card_markdown: nullable(Type.String()),
    hf_repo_id: nullable(Type.String()),
    revision_id: Type.String(),
    revision_number: Type.Integer({ minimum: 1 }),
    language: languages,
    ...workFields,
    edited_fields: editedFields,
    total_episodes: Type.Integer({ minimum: 0 }),
    total_frames: Type.Integer({ minimum: 0 }),
    total_seconds: Type.Number(),
    camera_keys: Type.Array(Type.String()),
    tasks: Type.Array(Type.String(), { description: 'The first twenty.' }),
    length_histogram: Type.Array(Type.Integer({ minimum: 0 }), {
      description: "How many episodes are in each bin of the statistics' histogram of lengths.",
    }),
    size_bytes: Type.Integer({ minimum: 0 }),
    published_at: nullable(timestamp),
    deletion_at: nullable(
      Type.String({ format: 'date-time', description: 'When it will be deleted; null unless deletion was requested.' }),
    ),
  },
  { $id: 'ProjectDataset' },
)

export const presentDataset = (dataset: Dataset) => {
  const { revision } = dataset
  const { summary } = revision
  return {
    id: dataset.id,
    org_slug: dataset.orgSlug,
    project_slug: dataset.projectSlug,
    slug: dataset.slug,
    title: dataset.title,
    source_kind: revision.sourceKind,
    visibility: dataset.visibility,
    source_uri: revision.sourceUri,
    read_model_path: `revisions/${revision.id}/read-model`,
    created_at: dataset.createdAt.toISOString(),
    updated_at: dataset.updatedAt.toISOString(),
    description: dataset.description,
    tags: dataset.tags,
    licence: dataset.licence,
    citation: dataset.citation,
    card_markdown: dataset.cardMarkdown,
    hf_repo_id: revision.hfRepoId,
    revision_id: revision.id,
    revision_number: revision.number,
    language: dataset.language,
    work_name: dataset.workName,
    task_name: dataset.taskName,
    robot_type: dataset.robotType,
    embodiment: dataset.embodiment,
    robot_description_uri: dataset.robotDescriptionUri,
    edited_fields: dataset.editedFields,
    total_episodes: summary.total_episodes,
    total_frames: summary.total_frames,
    total_seconds: summary.total_seconds,
    camera_keys: summary.camera_keys,
    tasks: listTasks(dataset.taskName, summary),
    length_histogram: summary.length_histogram,
    size_bytes: summary.size_bytes,
    published_at: dataset.publishedAt?.toISOString() ?? null,
    deletion_at: dataset.deletionRequestedAt
      ? new Date(dataset.deletionRequestedAt.getTime() + deletionGraceDays * 86_400_000).toISOString()
      : null,
  }
}

const revisionRecord = Type.Object(
  {
    id: Type.String(),
    number: Type.Integer({ minimum: 1 }),
    is_current: Type.Boolean(),
    is_public: Type.Boolean({ description: 'Everyone may read it, as long as the dataset is public.' }),
    import_id: nullable(Type.String()),
    source_kind: Type.String(),
    source_uri: nullable(Type.String()),
    hf_repo_id: nullable(Type.String()),
    hf_revision: nullable(Type.String()),
    digest: Type.String({ description: 'Of the stored files: paths, sizes and contents.' }),
    total_episodes: Type.Integer({ minimum: 0 }),
    total_frames: Type.Integer({ minimum: 0 }),
    size_bytes: Type.Integer({ minimum: 0 }),
    created_by: nullable(Type.String()),
    created_at: timestamp,
  },
  { $id: 'DatasetRevision' },
)

type Revision = Awaited<ReturnType<typeof listRevisions>>['rows'][number]

const presentRevision = (row: Revision, dataset: Dataset) => ({
  id: row.id,
  number: row.number,
  is_current: row.id === dataset.currentRevisionId,
  is_public: row.isPublic && dataset.visibility === 'public',
  import_id: row.importId,
  source_kind: row.sourceKind,
  source_uri: row.sourceUri,
  hf_repo_id: row.hfRepoId,
  hf_revision: row.hfRevision,
  digest: row.digest,
  total_episodes: row.summary.total_episodes,
  total_frames: row.summary.total_frames,
  size_bytes: row.summary.size_bytes,
  created_by: row.createdBy,
  created_at: row.createdAt.toISOString(),
})

/** Control characters break terminals and logs, and no text here needs them. */
const plainText = '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f]*$'
/** Without control characters and line breaks. */
const plainLine = '^[^\\u0000-\\u001f\\u007f]*$'
const given = (
  maxLength: number,
  { description, pattern = plainText }: { description?: string; pattern?: string } = {},
) => Type.Optional(nullable(Type.String({ maxLength, pattern, ...(description ? { description } : {}) })))
const line = (maxLength: number, description?: string) =>
  given(maxLength, { pattern: plainLine, ...(description ? { description } : {}) })

const change = Type.Object({
  title: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: cardBounds.title, pattern: plainText }))),
  description: given(cardBounds.description),
  tags: Type.Optional(
    nullable(
      Type.Array(Type.String({ minLength: 1, maxLength: cardBounds.tag, pattern: '^[^\\s,][^,\\u0000-\\u001f]*$' }), {
        maxItems: cardBounds.tags,
      }),
    ),
  ),
  language: Type.Optional(
    nullable(
      Type.Array(Type.String({ maxLength: cardBounds.language, pattern: '^[A-Za-z0-9_-]+$', examples: ['en'] }), {
        maxItems: cardBounds.languages,
      }),
    ),
  ),
  visibility: Type.Optional(
    oneOf(['private', 'public'], { description: 'Needs a session and the role admin of the project.' }),
  ),
  public_history: Type.Optional(
    truth({
      description:
        'True: revisions of before the publication are public too. False: only the one that is shown now, and later ones. Needs what `visibility` needs, and a public dataset.',
    }),
  ),
  losses_dismissed: Type.Optional(
    truth({
      description: "True dismisses the losses of this revision's import: the manifest no longer shows them.",
    }),
  ),
  licence: line(cardBounds.licence, 'An SPDX id where there is one.'),
  citation: given(cardBounds.citation),
  card_markdown: given(cardBounds.markdown, { description: 'The dataset card. Clients render it without raw HTML.' }),
  work_name: line(cardBounds.name),
  task_name: line(cardBounds.task),
  robot_type: line(cardBounds.name),
  embodiment: line(cardBounds.name),
  robot_description_uri: given(cardBounds.uri, { pattern: '^[^\\s\\u0000-\\u001f\\u007f]*$' }),
})

export const datasetPath = '/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}'
const datasetParams = Type.Object({
  org_slug: Type.String(),
  project_slug: Type.String(),
  dataset_slug: Type.String(),
})

export const datasetRoute = { tag: 'Project datasets', params: datasetParams, errors: ['not_found'] } as const
export const datasetReaders = { credentials: ['workspace:read'], access: projectViewer } as const

export const datasetRoutes = [
  defineRoute({
    id: 'listProjectDatasets',
    method: 'GET',
    path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets',
    tag: 'Project datasets',
    summary: 'List the datasets of a project',
    description: 'Private and public datasets of the project, including those about to be deleted.',
    ...datasetReaders,
    params: projectParams,
    query: listQuery,
    response: page(projectDataset),
    async handle({ db }, { project, query }) {
      const { rows, nextCursor } = await listDatasets(db, project.id, query)
      return { items: rows.map(presentDataset), next_cursor: nextCursor }
    },
  }),
  defineRoute({
    ...datasetRoute,
    ...datasetReaders,
    id: 'getProjectDataset',
    method: 'GET',
    path: datasetPath,
    summary: 'Get a dataset of a project',
    description: 'The record of the dataset; `getProjectDatasetManifest` has its contents.',
    response: item(projectDataset),
    async handle({ db }, { project, params }) {
      return { item: presentDataset(await getDatasetBySlug(db, project.id, params.dataset_slug)) }
    },
  }),
  defineRoute({
    ...datasetRoute,
    id: 'changeProjectDataset',
    method: 'PATCH',
    path: datasetPath,
    summary: 'Edit the details of a dataset, or publish or withdraw it',
    description:
      'A field that is sent overrides later revisions; null restores what the card and the files of the source say; an empty text or list means that there is none. `visibility` needs a session and the role admin of the project: `public` puts the dataset in the catalog under its id, with the revision that it shows and later ones; older ones are shown only with `public_history`. `private` takes it out at once.',
    credentials: ['datasets:write'],
    access: projectEditor,
    body: change,
    // A description and a citation of the longest that a card takes, with every character escaped.
    bodyBounds: { mostBytes: 2 << 20, mostValues: smallBody.mostValues },
    response: item(projectDataset),
    errors: ['not_found', 'session_required', 'insufficient_role', 'conflict'],
    async handle({ db }, { caller, project, params, body }) {
      requireSessionToPublish(caller, body)
      const dataset = await getDatasetBySlug(db, project.id, params.dataset_slug)
      return { item: presentDataset(await changeDataset(db, caller, { project, dataset }, body)) }
    },
  }),
  defineRoute({
    ...datasetRoute,
    id: 'deleteProjectDataset',
    method: 'DELETE',
    path: datasetPath,
    summary: 'Delete a dataset after a grace period',
    description: `It leaves the catalog at once and is deleted after ${deletionGraceDays} days; until then it can be restored.`,
    credentials: ['datasets:delete'],
    access: projectAdmin,
    query: Type.Object({
      confirm: Type.String({ minLength: 1, description: 'The slug of the dataset, as confirmation.' }),
    }),
    response: item(projectDataset),
    errors: ['not_found', 'confirmation_mismatch'],
    async handle({ db }, { caller, project, params, query }) {
      const dataset = await getDatasetBySlug(db, project.id, params.dataset_slug)
      return { item: presentDataset(await requestDatasetDeletion(db, caller, dataset, query.confirm)) }
    },
  }),
  defineRoute({
    ...datasetRoute,
    id: 'restoreProjectDataset',
    method: 'POST',
    path: `${datasetPath}/restore`,
    summary: 'Restore a dataset that is to be deleted',
    description: 'Possible until the grace period ends.',
    credentials: ['datasets:delete'],
    access: projectAdmin,
    response: item(projectDataset),
    async handle({ db }, { caller, project, params }) {
      const dataset = await getDatasetBySlug(db, project.id, params.dataset_slug)
      return { item: presentDataset(await restoreDataset(db, caller, dataset)) }
    },
  }),
  defineRoute({
    ...datasetRoute,
    ...datasetReaders,
    id: 'listDatasetRevisions',
    method: 'GET',
    path: `${datasetPath}/revisions`,
    summary: 'List the revisions of a dataset, newest first',
    description: 'Each successful import of the dataset is a revision.',
    query: pageQuery,
    response: page(revisionRecord),
    async handle({ db }, { project, params, query }) {
      const dataset = await getDatasetBySlug(db, project.id, params.dataset_slug)
      const { rows, nextCursor } = await listRevisions(db, dataset.id, query.limit, query.cursor)
      return { items: rows.map((row) => presentRevision(row, dataset)), next_cursor: nextCursor }
    },
  }),
  defineRoute({
    ...datasetRoute,
    id: 'restoreDatasetRevision',
    method: 'POST',
    path: `${datasetPath}/revisions/{number}/restore`,
    summary: 'Show an older revision again',
    description: 'Nothing is lost: newer revisions stay listed and can be shown again in the same way.',
    credentials: ['datasets:write'],
    access: projectEditor,
    params: Type.Object({ ...datasetParams.properties, number: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }) }),
    response: item(projectDataset),
    errors: ['not_found', 'conflict'],
    async handle({ db }, { caller, project, params }) {
      const dataset = await getDatasetBySlug(db, project.id, params.dataset_slug)
      return { item: presentDataset(await restoreRevision(db, caller, dataset, params.number)) }
    },
  }),
]
