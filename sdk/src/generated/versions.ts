// GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
import type { CallOptions, OperationTable } from '../operation.ts'
import type { ChangeVersion, CopyVersion, CreateVersion, DerivedDatasetVersion, PreviewVersion, VersionFile, VersionPreview, WorkspaceImportJob } from './records.ts'

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

export interface ListVersionFilesInput {
  org_slug: string
  version_id: string
  limit?: number | undefined
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
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

export interface VersionsOperations {
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
   * Create a version of a dataset from a recipe.
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
   * List the files of a materialized version with signed URLs.
   *
   * The same files as in the tar, by path. Each URL is valid for 15 minutes and supports Range requests.
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
}

export const versionsOperations: OperationTable = {
  listVersions: { method: 'GET', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions', query: ['project_slug', 'status', 'source', 'q', 'limit', 'cursor'], paging: 'cursor', repeatable: true },
  createVersion: { method: 'POST', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions', headers: ['idempotency-key'], hasBody: true, keyPlace: 'body' },
  previewVersion: { method: 'POST', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/preview', hasBody: true, repeatable: true },
  getDerivedVersion: { method: 'GET', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}', repeatable: true },
  changeVersion: { method: 'PATCH', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}', hasBody: true },
  deleteVersion: { method: 'DELETE', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}', repeatable: true },
  listVersionFiles: { method: 'GET', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/files', query: ['limit', 'cursor'], paging: 'cursor', repeatable: true },
  copyVersion: { method: 'POST', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/copy', headers: ['idempotency-key'], hasBody: true, keyPlace: 'body' },
}
