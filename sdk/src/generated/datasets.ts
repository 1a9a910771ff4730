// GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
import type { CallOptions, OperationTable } from '../operation.ts'
import type { CheckSettings, CheckSummary, DatasetManifest, DatasetRevision, DatasetSignals, Diff, Lineage, ProjectDataset, RenameDataset, RunChecks } from './records.ts'

export interface ListProjectDatasetsInput {
  org_slug: string
  project_slug: string
  /** Page size; without it and without a cursor, everything is returned. */
  limit?: number | undefined
  /** The `next_cursor` of the previous page. */
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
    /** Needs a session and the role admin of the project. */
    visibility?: 'private' | 'public' | undefined
    /** True: revisions of before the publication are public too. False: only the one that is shown now, and later ones. Needs what `visibility` needs, and a public dataset. */
    public_history?: boolean | undefined
    /** True dismisses the losses of this revision's import: the manifest no longer shows them. */
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
  /** The slug of the dataset, as confirmation. */
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
  /** The `next_cursor` of the previous page. */
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
  /** Ties are sorted by number, in the same direction. */
  order?: 'asc' | 'desc' | undefined
}

export type GetProjectDatasetManifestAnswer = {
  item: DatasetManifest
}

export interface RunChecksInput {
  org_slug: string
  project_slug: string
  dataset_slug: string
  body: RunChecks
}

export type RunChecksAnswer = {
  item: CheckSummary
}

export interface CancelChecksInput {
  org_slug: string
  project_slug: string
  dataset_slug: string
}

export type CancelChecksAnswer = {
  item: CheckSummary
}

export interface PutCheckSettingsInput {
  org_slug: string
  project_slug: string
  dataset_slug: string
  body: CheckSettings
}

export type PutCheckSettingsAnswer = {
  item: CheckSummary
}

export interface GetDatasetSignalsInput {
  org_slug: string
  project_slug: string
  dataset_slug: string
}

export type GetDatasetSignalsAnswer = {
  item: DatasetSignals
}

export interface ChangeDatasetSignalsInput {
  org_slug: string
  project_slug: string
  dataset_slug: string
  body: {
    state?: string | null | undefined
    action?: string | null | undefined
  }
}

export type ChangeDatasetSignalsAnswer = {
  item: DatasetSignals
}

export interface RenameProjectDatasetInput {
  org_slug: string
  project_slug: string
  dataset_slug: string
  body: RenameDataset
}

export type RenameProjectDatasetAnswer = {
  item: ProjectDataset
}

export interface GetDiffInput {
  org_slug: string
  /** The older side: id of a dataset, revision or version. */
  from: string
  /** The newer side. */
  to: string
  /** List episodes of this kind only; the counts are of all kinds. */
  kind?: 'same' | 'relabelled' | 're_encoded' | 'trimmed' | 'changed' | 'removed' | 'added' | undefined
  /** Of each list of episodes. */
  offset?: number | undefined
  /** Of each list of episodes. */
  limit?: number | undefined
  /** Where taking the fingerprints of a side has failed: try once more. */
  again?: boolean | undefined
}

export type GetDiffAnswer = {
  item: Diff
}

export interface GetDatasetLineageInput {
  org_slug: string
  project_slug: string
  dataset_slug: string
}

export type GetDatasetLineageAnswer = {
  item: Lineage
}

export interface DatasetsOperations {
  /**
   * List the datasets of a project.
   *
   * Private and public datasets of the project, including those about to be deleted.
   *
   * `GET /api/v1/orgs/{org_slug}/projects/{project_slug}/datasets` · session, or token with workspace:read
   */
  listProjectDatasets(input: ListProjectDatasetsInput, options?: CallOptions): Promise<ListProjectDatasetsAnswer>
  /** Every item of every page of `listProjectDatasets`. */
  iterateProjectDatasets(input: ListProjectDatasetsInput, options?: CallOptions): AsyncGenerator<ListProjectDatasetsAnswer['items'][number]>
  /**
   * Get a dataset of a project.
   *
   * The record of the dataset; `getProjectDatasetManifest` has its contents.
   *
   * `GET /api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}` · session, or token with workspace:read
   */
  getProjectDataset(input: GetProjectDatasetInput, options?: CallOptions): Promise<GetProjectDatasetAnswer>
  /**
   * Edit the details of a dataset, or publish or withdraw it.
   *
   * A field that is sent overrides later revisions; null restores what the card and the files of the source say; an empty text or list means that there is none. `visibility` needs a session and the role admin of the project: `public` puts the dataset in the catalog under its id, with the revision that it shows and later ones; older ones are shown only with `public_history`. `private` takes it out at once.
   *
   * `PATCH /api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}` · session, or token with datasets:write
   */
  changeProjectDataset(input: ChangeProjectDatasetInput, options?: CallOptions): Promise<ChangeProjectDatasetAnswer>
  /**
   * Delete a dataset after a grace period.
   *
   * It leaves the catalog at once and is deleted after 7 days; until then it can be restored.
   *
   * `DELETE /api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}` · session, or token with datasets:delete
   */
  deleteProjectDataset(input: DeleteProjectDatasetInput, options?: CallOptions): Promise<DeleteProjectDatasetAnswer>
  /**
   * Restore a dataset that is to be deleted.
   *
   * Possible until the grace period ends.
   *
   * `POST /api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/restore` · session, or token with datasets:delete
   */
  restoreProjectDataset(input: RestoreProjectDatasetInput, options?: CallOptions): Promise<RestoreProjectDatasetAnswer>
  /**
   * List the revisions of a dataset, newest first.
   *
   * Each successful import of the dataset is a revision.
   *
   * `GET /api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/revisions` · session, or token with workspace:read
   */
  listDatasetRevisions(input: ListDatasetRevisionsInput, options?: CallOptions): Promise<ListDatasetRevisionsAnswer>
  /** Every item of every page of `listDatasetRevisions`. */
  iterateDatasetRevisions(input: ListDatasetRevisionsInput, options?: CallOptions): AsyncGenerator<ListDatasetRevisionsAnswer['items'][number]>
  /**
   * Show an older revision again.
   *
   * Nothing is lost: newer revisions stay listed and can be shown again in the same way.
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
  /**
   * Check a dataset.
   *
   * Queues a run over the revision that is shown, for what has no results of the present rules and cut-offs yet; with `again` for all of it. A run that is under way stays. Results of before are shown until it ends.
   *
   * `POST /api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/checks` · session, or token with datasets:write
   */
  runChecks(input: RunChecksInput, options?: CallOptions): Promise<RunChecksAnswer>
  /**
   * Cancel the checks of a dataset.
   *
   * What was measured so far is kept: the next run goes on after it.
   *
   * `POST /api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/checks/cancel` · session, or token with datasets:write
   */
  cancelChecks(input: CancelChecksInput, options?: CallOptions): Promise<CancelChecksAnswer>
  /**
   * Set cut-offs of a dataset, and whether pictures are looked at.
   *
   * Counts and lists follow at once where a rule keeps what other cut-offs find; `needs_run` names the others. Later imports go by these settings.
   *
   * `PUT /api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/checks/settings` · session, or token with datasets:write
   */
  putCheckSettings(input: PutCheckSettingsInput, options?: CallOptions): Promise<PutCheckSettingsAnswer>
  /**
   * Get which columns of a dataset are state and action.
   *
   * What is set, what the shown revision was measured by, and what could be set.
   *
   * `GET /api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/signals` · session, or token with workspace:read
   */
  getDatasetSignals(input: GetDatasetSignalsInput, options?: CallOptions): Promise<GetDatasetSignalsAnswer>
  /**
   * Set which columns of a dataset are state and action.
   *
   * For datasets that call them otherwise. Insights, checks, charts and the action steps of recipes go by them. The dataset is measured anew by a job and gets a revision with the same files; until then the numbers of before are shown. Null is found by name again; what is left out stays. Later imports keep to it where they have the columns; versions made before stay as they are.
   *
   * `PATCH /api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/signals` · session, or token with datasets:write
   */
  changeDatasetSignals(input: ChangeDatasetSignalsInput, options?: CallOptions): Promise<ChangeDatasetSignalsAnswer>
  /**
   * Give a dataset another slug.
   *
   * Its id, revisions, versions, flags and annotations stay, and its imports and Hub repository move with it. The old slug leads to the dataset until something else takes it.
   *
   * `POST /api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/rename` · session, or token with datasets:write
   */
  renameProjectDataset(input: RenameProjectDatasetInput, options?: CallOptions): Promise<RenameProjectDatasetAnswer>
  /**
   * Tell what differs between two datasets, revisions or versions.
   *
   * Both may be anything you can read. Episodes are known by their content (rows, packets, tasks), never by their number: only what is equal in every feature is called the same. It is told from what is stored; a side whose episodes were never fingerprinted is read by a job first, and the answer says so (`state`).
   *
   * `GET /api/v1/orgs/{org_slug}/diff` · session, or token with workspace:read
   */
  getDiff(input: GetDiffInput, options?: CallOptions): Promise<GetDiffAnswer>
  /**
   * Tell what a dataset came from, and what came from it.
   *
   * Imports, pushes, revisions, versions and exports that it came from or that came from it, across projects, as far as you may see them.
   *
   * `GET /api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/lineage` · session, or token with workspace:read
   */
  getDatasetLineage(input: GetDatasetLineageInput, options?: CallOptions): Promise<GetDatasetLineageAnswer>
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
  runChecks: { method: 'POST', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/checks', hasBody: true },
  cancelChecks: { method: 'POST', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/checks/cancel', repeatable: true },
  putCheckSettings: { method: 'PUT', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/checks/settings', hasBody: true, repeatable: true },
  getDatasetSignals: { method: 'GET', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/signals', repeatable: true },
  changeDatasetSignals: { method: 'PATCH', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/signals', hasBody: true },
  renameProjectDataset: { method: 'POST', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/rename', hasBody: true },
  getDiff: { method: 'GET', path: '/api/v1/orgs/{org_slug}/diff', query: ['from', 'to', 'kind', 'offset', 'limit', 'again'], repeatable: true },
  getDatasetLineage: { method: 'GET', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/lineage', repeatable: true },
}
