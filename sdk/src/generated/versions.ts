// GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
import type { CallOptions, OperationTable } from '../operation.ts'
import type { ChangeVersion, CheckSettings, CheckSummary, CopyVersion, CreateVersion, CutsPreview, DerivedDatasetVersion, ExportTarget, Lineage, MergePreview, PreviewCuts, PreviewMerge, PreviewVersion, RecipeDraft, RunChecks, SuggestMap, SuggestedMap, VersionFile, VersionPreview, WorkspaceImportJob } from './records.ts'

export interface RunVersionChecksInput {
  org_slug: string
  version_id: string
  body: RunChecks
}

export type RunVersionChecksAnswer = {
  item: CheckSummary
}

export interface CancelVersionChecksInput {
  org_slug: string
  version_id: string
}

export type CancelVersionChecksAnswer = {
  item: CheckSummary
}

export interface PutVersionCheckSettingsInput {
  org_slug: string
  version_id: string
  body: CheckSettings
}

export type PutVersionCheckSettingsAnswer = {
  item: CheckSummary
}

export interface ListVersionsInput {
  org_slug: string
  project_slug?: string | undefined
  status?: 'materialization_required' | 'materializing' | 'materialized' | 'failed' | undefined
  /** Id of the source dataset or version. */
  source?: string | undefined
  /** Part of the slug, name or source title; or the id. */
  q?: string | undefined
  /** Page size; without it and without a cursor, everything is returned. */
  limit?: number | undefined
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
}

export type ListVersionsAnswer = {
  items: DerivedDatasetVersion[]
  next_cursor: string | null
}

export interface CreateVersionInput {
  org_slug: string
  'idempotency-key'?: string | undefined
  body: CreateVersion
}

export type CreateVersionAnswer = {
  item: DerivedDatasetVersion
}

export interface PreviewVersionInput {
  org_slug: string
  body: PreviewVersion
}

export type PreviewVersionAnswer = {
  item: VersionPreview
}

export interface PreviewCutsInput {
  org_slug: string
  body: PreviewCuts
}

export type PreviewCutsAnswer = {
  item: CutsPreview
}

export interface PreviewMergeInput {
  org_slug: string
  body: PreviewMerge
}

export type PreviewMergeAnswer = {
  item: MergePreview
}

export interface SuggestMapInput {
  org_slug: string
  body: SuggestMap
}

export type SuggestMapAnswer = {
  items: SuggestedMap[]
}

export interface GetDerivedVersionInput {
  org_slug: string
  version_id: string
}

export type GetDerivedVersionAnswer = {
  item: DerivedDatasetVersion
}

export interface ChangeVersionInput {
  org_slug: string
  version_id: string
  body: ChangeVersion
}

export type ChangeVersionAnswer = {
  item: DerivedDatasetVersion
}

export interface DeleteVersionInput {
  org_slug: string
  version_id: string
}

export type DeleteVersionAnswer = {
  item: DerivedDatasetVersion
}

export interface GetRecipeDraftInput {
  dataset_id: string
}

export type GetRecipeDraftAnswer = {
  item: RecipeDraft | null
}

export interface PutRecipeDraftInput {
  dataset_id: string
  body: {
    revision: number
    slug: string
    name: string
    /** A recipe in the making: it is checked when it is previewed or a version is made of it. */
    recipe: Record<string, unknown>
  }
}

export type PutRecipeDraftAnswer = {
  item: RecipeDraft
}

export interface GetSharedRecipeDraftInput {
  draft_id: string
}

export type GetSharedRecipeDraftAnswer = {
  item: RecipeDraft
}

export interface ListExportTargetsInput {
  org_slug: string
  version_id: string
  /** JSON by artifact key, as an export is queued with: `{"zarr": {"container": "folder"}}`. */
  options?: string | undefined
}

export type ListExportTargetsAnswer = {
  items: ExportTarget[]
}

export interface ListVersionFilesInput {
  org_slug: string
  version_id: string
  limit?: number | undefined
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
  artifact_key?: 'lerobot' | 'lerobot-v2.1' | 'gr00t' | 'openpi-norm-stats' | 'rlds' | 'mcap' | 'robomimic' | 'zarr' | undefined
}

export type ListVersionFilesAnswer = {
  items: VersionFile[]
  next_cursor: string | null
}

export interface CopyVersionInput {
  org_slug: string
  version_id: string
  'idempotency-key'?: string | undefined
  body: CopyVersion
}

export type CopyVersionAnswer = {
  item: WorkspaceImportJob
}

export interface GetVersionLineageInput {
  org_slug: string
  version_id: string
}

export type GetVersionLineageAnswer = {
  item: Lineage
}

export interface VersionsOperations {
  /**
   * Check a derived version.
   *
   * Works like `runChecks`: the rules look at the version itself, through its recipe, whether it is exported or not.
   *
   * `POST /api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/checks` · session, or token with datasets:write
   */
  runVersionChecks(input: RunVersionChecksInput, options?: CallOptions): Promise<RunVersionChecksAnswer>
  /**
   * Cancel the checks of a derived version.
   *
   * Works like `cancelChecks`.
   *
   * `POST /api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/checks/cancel` · session, or token with datasets:write
   */
  cancelVersionChecks(input: CancelVersionChecksInput, options?: CallOptions): Promise<CancelVersionChecksAnswer>
  /**
   * Set cut-offs of a derived version.
   *
   * Works like `putCheckSettings`.
   *
   * `PUT /api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/checks/settings` · session, or token with datasets:write
   */
  putVersionCheckSettings(input: PutVersionCheckSettingsInput, options?: CallOptions): Promise<PutVersionCheckSettingsAnswer>
  /**
   * List derived dataset versions, newest first.
   *
   * From the projects you have a role in. Index lists of over 1,000 entries are null here; `recipe_counts` has its length and `getDerivedVersion` the whole.
   *
   * `GET /api/v1/orgs/{org_slug}/derived-dataset-versions` · session, or token with workspace:read
   */
  listVersions(input: ListVersionsInput, options?: CallOptions): Promise<ListVersionsAnswer>
  /** Every item of every page of `listVersions`. */
  iterateVersions(input: ListVersionsInput, options?: CallOptions): AsyncGenerator<ListVersionsAnswer['items'][number]>
  /**
   * Create a version of a dataset from a recipe, or of several.
   *
   * Pins the source to its current revision and stores the recipe; nothing is computed until an export is queued. Posting a slug again makes its next version. Without `project_slug` the version goes to the source’s project if you may write there, else to `default`. A token also needs `workspace:read` if the source is private. With an idempotency key (body field or `Idempotency-Key` header, unique per project) the same request returns the same version: 200 with `Idempotency-Replayed: true` instead of 201.
   *
   * `POST /api/v1/orgs/{org_slug}/derived-dataset-versions` · session, or token with versions:write
   */
  createVersion(input: CreateVersionInput, options?: CallOptions): Promise<CreateVersionAnswer>
  /**
   * Show what a recipe would give, without writing anything.
   *
   * Episodes, frames, tasks, an estimate of the size, statistics of the result (each says whether it is exact), what is copied, what is encoded again and why, and one frame and one episode’s actions before and after.
   *
   * `POST /api/v1/orgs/{org_slug}/derived-dataset-versions/preview` · session, or token with workspace:read
   */
  previewVersion(input: PreviewVersionInput, options?: CallOptions): Promise<PreviewVersionAnswer>
  /**
   * Show which frames a recipe would keep, without writing anything.
   *
   * Episodes, frames and seconds before and after, what each episode loses, and of one episode the frames that are kept and its rests. Answers sooner than `previewVersion`, which measures the result as well.
   *
   * `POST /api/v1/orgs/{org_slug}/derived-dataset-versions/preview/cuts` · session, or token with workspace:read
   */
  previewCuts(input: PreviewCutsInput, options?: CallOptions): Promise<PreviewCutsAnswer>
  /**
   * Show what several sources would give together, without writing anything.
   *
   * Hours, episodes and frames per source and per task, the features of the result, and the share of each source in what a sampler draws. What does not fit is a 422 at its place.
   *
   * `POST /api/v1/orgs/{org_slug}/derived-dataset-versions/preview/merge` · session, or token with workspace:read
   */
  previewMerge(input: PreviewMergeInput, options?: CallOptions): Promise<PreviewMergeAnswer>
  /**
   * Suggest how the names, dimensions and units of several sources fit those of the first.
   *
   * By names, shapes, ranges and picture sizes. Each row says what it rests on; `is_sure` is set for equal names only, and everything else is for a person to look at. Nothing is written.
   *
   * `POST /api/v1/orgs/{org_slug}/derived-dataset-versions/suggest-map` · session, or token with workspace:read
   */
  suggestMap(input: SuggestMapInput, options?: CallOptions): Promise<SuggestMapAnswer>
  /**
   * Get a derived dataset version.
   *
   * The full record with its recipe, artifacts and provenance.
   *
   * `GET /api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}` · session, or token with workspace:read
   */
  getDerivedVersion(input: GetDerivedVersionInput, options?: CallOptions): Promise<GetDerivedVersionAnswer>
  /**
   * Edit the details of a version, or publish or withdraw it.
   *
   * Source and recipe never change. `visibility` needs a session, the role admin of the project, and read access to the source. `public` puts the version in the catalog under its id, even if its source is private: everyone can then see its episodes, its recipe, and the names of its source and of the versions in between. Its export is queued if it has no files yet. `private` removes it at once and ends public links to its media.
   *
   * `PATCH /api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}` · session, or token with versions:write
   */
  changeVersion(input: ChangeVersionInput, options?: CallOptions): Promise<ChangeVersionAnswer>
  /**
   * Delete a version and its exports.
   *
   * Exports under way are canceled. The source dataset is not touched; the version number is not used again. A version that others in the organization are derived from is a 409 until those are deleted.
   *
   * `DELETE /api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}` · session, or token with versions:write
   */
  deleteVersion(input: DeleteVersionInput, options?: CallOptions): Promise<DeleteVersionAnswer>
  /**
   * Get your draft of a recipe on a dataset or version.
   *
   * `item` is null where nothing was begun.
   *
   * `GET /api/v1/users/me/recipe-drafts/{dataset_id}` · session, or token with workspace:read
   */
  getRecipeDraft(input: GetRecipeDraftInput, options?: CallOptions): Promise<GetRecipeDraftAnswer>
  /**
   * Save your draft of a recipe.
   *
   * One per person and dataset. `revision` is that of the draft which is changed, 0 where there is none: a draft that was saved elsewhere meanwhile is a 409, and nothing is overwritten.
   *
   * `PUT /api/v1/users/me/recipe-drafts/{dataset_id}` · session, or token with versions:write
   */
  putRecipeDraft(input: PutRecipeDraftInput, options?: CallOptions): Promise<PutRecipeDraftAnswer>
  /**
   * Get a draft by its link.
   *
   * For whoever may read its dataset or version: the recipe, whose it is, and when it was changed last.
   *
   * `GET /api/v1/recipe-drafts/{draft_id}` · session, or token with workspace:read
   */
  getSharedRecipeDraft(input: GetSharedRecipeDraftInput, options?: CallOptions): Promise<GetSharedRecipeDraftAnswer>
  /**
   * List what a version can be exported as.
   *
   * Every artifact key with who reads it, the JSON Schema of its options, and for this version: about how large it would be, and what it has no place for. With the usual options, unless others are given.
   *
   * `GET /api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/export-targets` · session, or token with workspace:read
   */
  listExportTargets(input: ListExportTargetsInput, options?: CallOptions): Promise<ListExportTargetsAnswer>
  /**
   * List the files of a materialized version with signed URLs.
   *
   * The same files as in the tar of the artifact (`lerobot` by default), by path. Each URL is valid for 15 minutes and supports Range requests.
   *
   * `GET /api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/files` · session, or token with workspace:read
   */
  listVersionFiles(input: ListVersionFilesInput, options?: CallOptions): Promise<ListVersionFilesAnswer>
  /** Every item of every page of `listVersionFiles`. */
  iterateVersionFiles(input: ListVersionFilesInput, options?: CallOptions): AsyncGenerator<ListVersionFilesAnswer['items'][number]>
  /**
   * Copy a version into a project as a dataset.
   *
   * Needs read access to the version and write access to the target project: `project_slug` of `org_slug`, by default the version’s own. Queues an import of the kind `version`; if the version has no files yet, its export is queued and the import waits for it. The result is an independent dataset that needs neither the version nor its source, with the version’s card, splits, flags and annotation sets, and its name as title unless you give one. `copied_from` of the import says where it came from. A token also needs `workspace:read` if the version is private. With an idempotency key (body field or `Idempotency-Key` header, unique per project) the same request returns the same import: 200 with `Idempotency-Replayed: true` instead of 202.
   *
   * `POST /api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/copy` · session, or token with imports:write
   */
  copyVersion(input: CopyVersionInput, options?: CallOptions): Promise<CopyVersionAnswer>
  /**
   * Tell what a version came from, and what came from it.
   *
   * Imports, pushes, revisions, versions and exports that it came from or that came from it, across projects, as far as you may see them.
   *
   * `GET /api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/lineage` · session, or token with workspace:read
   */
  getVersionLineage(input: GetVersionLineageInput, options?: CallOptions): Promise<GetVersionLineageAnswer>
}

export const versionsOperations: OperationTable = {
  runVersionChecks: { method: 'POST', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/checks', hasBody: true },
  cancelVersionChecks: { method: 'POST', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/checks/cancel', repeatable: true },
  putVersionCheckSettings: { method: 'PUT', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/checks/settings', hasBody: true, repeatable: true },
  listVersions: { method: 'GET', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions', query: ['project_slug', 'status', 'source', 'q', 'limit', 'cursor'], paging: 'cursor', repeatable: true },
  createVersion: { method: 'POST', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions', headers: ['idempotency-key'], hasBody: true, keyPlace: 'body' },
  previewVersion: { method: 'POST', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/preview', hasBody: true, repeatable: true },
  previewCuts: { method: 'POST', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/preview/cuts', hasBody: true },
  previewMerge: { method: 'POST', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/preview/merge', hasBody: true },
  suggestMap: { method: 'POST', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/suggest-map', hasBody: true },
  getDerivedVersion: { method: 'GET', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}', repeatable: true },
  changeVersion: { method: 'PATCH', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}', hasBody: true },
  deleteVersion: { method: 'DELETE', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}', repeatable: true },
  getRecipeDraft: { method: 'GET', path: '/api/v1/users/me/recipe-drafts/{dataset_id}', repeatable: true },
  putRecipeDraft: { method: 'PUT', path: '/api/v1/users/me/recipe-drafts/{dataset_id}', hasBody: true },
  getSharedRecipeDraft: { method: 'GET', path: '/api/v1/recipe-drafts/{draft_id}', repeatable: true },
  listExportTargets: { method: 'GET', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/export-targets', query: ['options'], repeatable: true },
  listVersionFiles: { method: 'GET', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/files', query: ['limit', 'cursor', 'artifact_key'], paging: 'cursor', repeatable: true },
  copyVersion: { method: 'POST', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/copy', headers: ['idempotency-key'], hasBody: true, keyPlace: 'body' },
  getVersionLineage: { method: 'GET', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/lineage', repeatable: true },
}
