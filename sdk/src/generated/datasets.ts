// GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
import type { CallOptions, OperationTable } from '../operation.ts'
import type { DatasetManifest, DatasetRevision, ProjectDataset } from './records.ts'

export interface ListProjectDatasetsInput {
  org_slug: string
  project_slug: string
  /** A page of so many; without it and a cursor, everything. */
  limit?: number | undefined
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined
}

export type ListProjectDatasetsAnswer = {
  items: ProjectDataset[]
  next_cursor: string | null
}

export interface GetProjectDatasetInput {
  org_slug: string
  project_slug: string
  dataset_slug: string
}

export type GetProjectDatasetAnswer = {
  item: ProjectDataset
}

export interface ChangeProjectDatasetInput {
  org_slug: string
  project_slug: string
  dataset_slug: string
  body: {
    title?: string | null | undefined
    description?: string | null | undefined
    tags?: string[] | null | undefined
    language?: string[] | null | undefined
    /** For a session of an admin of the project only. */
    visibility?: 'private' | 'public' | undefined
    /** True: what the import of this revision lost was seen, and the manifest no longer says it. */
    losses_dismissed?: boolean | undefined
    licence?: string | null | undefined
    citation?: string | null | undefined
    card_markdown?: string | null | undefined
    work_name?: string | null | undefined
    task_name?: string | null | undefined
    robot_type?: string | null | undefined
    embodiment?: string | null | undefined
    robot_description_uri?: string | null | undefined
  }
}

export type ChangeProjectDatasetAnswer = {
  item: ProjectDataset
}

export interface DeleteProjectDatasetInput {
  org_slug: string
  project_slug: string
  dataset_slug: string
  /** The slug of the dataset, again. */
  confirm: string
}

export type DeleteProjectDatasetAnswer = {
  item: ProjectDataset
}

export interface RestoreProjectDatasetInput {
  org_slug: string
  project_slug: string
  dataset_slug: string
}

export type RestoreProjectDatasetAnswer = {
  item: ProjectDataset
}

export interface ListDatasetRevisionsInput {
  org_slug: string
  project_slug: string
  dataset_slug: string
  limit?: number | undefined
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined
}

export type ListDatasetRevisionsAnswer = {
  items: DatasetRevision[]
  next_cursor: string | null
}

export interface RestoreDatasetRevisionInput {
  org_slug: string
  project_slug: string
  dataset_slug: string
  number: string | number
}

export type RestoreDatasetRevisionAnswer = {
  item: ProjectDataset
}

export interface GetProjectDatasetManifestInput {
  org_slug: string
  project_slug: string
  dataset_slug: string
  offset?: number | undefined
  limit?: number | undefined
  /** Part of a task's text, or an episode's number. */
  q?: string | undefined
  /** Only episodes of this split. */
  split?: string | undefined
  sort?: string | undefined
  /** Equal ones stand by number, in the same direction. */
  order?: 'asc' | 'desc' | undefined
}

export type GetProjectDatasetManifestAnswer = {
  item: DatasetManifest
}

export interface DatasetsOperations {
  /**
   * List the datasets of a project.
   *
   * `GET /api/v1/orgs/{org_slug}/projects/{project_slug}/datasets` · session, or token with workspace:read
   */
  listProjectDatasets(input: ListProjectDatasetsInput, options?: CallOptions): Promise<ListProjectDatasetsAnswer>
  /** Every item of every page of `listProjectDatasets`. */
  iterateProjectDatasets(input: ListProjectDatasetsInput, options?: CallOptions): AsyncGenerator<ListProjectDatasetsAnswer['items'][number]>
  /**
   * Get a dataset of a project.
   *
   * `GET /api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}` · session, or token with workspace:read
   */
  getProjectDataset(input: GetProjectDatasetInput, options?: CallOptions): Promise<GetProjectDatasetAnswer>
  /**
   * Change what is written beside a dataset, or publish or withdraw it.
   *
   * A field that is sent is kept when a new revision says otherwise; null takes it back to what the card and the files of the source say, an empty text or list says that there is none. `visibility` needs a session and the role admin of the project: `public` puts the dataset in the catalog under its id, `private` takes it out at once.
   *
   * `PATCH /api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}` · session, or token with datasets:write
   */
  changeProjectDataset(input: ChangeProjectDatasetInput, options?: CallOptions): Promise<ChangeProjectDatasetAnswer>
  /**
   * Delete a dataset after a grace period.
   *
   * It leaves the catalog at once and is gone after 7 days, in which a restore takes it back.
   *
   * `DELETE /api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}` · session only
   */
  deleteProjectDataset(input: DeleteProjectDatasetInput, options?: CallOptions): Promise<DeleteProjectDatasetAnswer>
  /**
   * Take back the deletion of a dataset.
   *
   * `POST /api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/restore` · session only
   */
  restoreProjectDataset(input: RestoreProjectDatasetInput, options?: CallOptions): Promise<RestoreProjectDatasetAnswer>
  /**
   * List the revisions of a dataset, newest first.
   *
   * `GET /api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/revisions` · session, or token with workspace:read
   */
  listDatasetRevisions(input: ListDatasetRevisionsInput, options?: CallOptions): Promise<ListDatasetRevisionsAnswer>
  /** Every item of every page of `listDatasetRevisions`. */
  iterateDatasetRevisions(input: ListDatasetRevisionsInput, options?: CallOptions): AsyncGenerator<ListDatasetRevisionsAnswer['items'][number]>
  /**
   * Show an older revision again.
   *
   * Nothing is lost: the newer revisions stay listed and can be shown again in the same way.
   *
   * `POST /api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/revisions/{number}/restore` · session, or token with datasets:write
   */
  restoreDatasetRevision(input: RestoreDatasetRevisionInput, options?: CallOptions): Promise<RestoreDatasetRevisionAnswer>
  /**
   * Get the manifest of a project's dataset.
   *
   * The same shape as in the catalog.
   *
   * `GET /api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/manifest` · session, or token with workspace:read
   */
  getProjectDatasetManifest(input: GetProjectDatasetManifestInput, options?: CallOptions): Promise<GetProjectDatasetManifestAnswer>
}

export const datasetsOperations: OperationTable = {
  listProjectDatasets: { method: 'GET', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets', query: ['limit', 'cursor'], paging: 'cursor', repeatable: true },
  getProjectDataset: { method: 'GET', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}', repeatable: true },
  changeProjectDataset: { method: 'PATCH', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}', hasBody: true },
  deleteProjectDataset: { method: 'DELETE', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}', query: ['confirm'], repeatable: true },
  restoreProjectDataset: { method: 'POST', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/restore', repeatable: true },
  listDatasetRevisions: { method: 'GET', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/revisions', query: ['limit', 'cursor'], paging: 'cursor', repeatable: true },
  restoreDatasetRevision: { method: 'POST', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/revisions/{number}/restore', repeatable: true },
  getProjectDatasetManifest: { method: 'GET', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/manifest', query: ['offset', 'limit', 'q', 'split', 'sort', 'order'], repeatable: true },
}
