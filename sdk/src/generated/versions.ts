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
  /** A page of so many; without it and a cursor, everything. */
  limit?: number | undefined
  /** The `next_cursor` of the page before. */
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
  /** The `next_cursor` of the page before. */
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
   * Of the projects you have a role in. An index list of over 1,000 entries is null here; `recipe_counts` has its length and `getDerivedVersion` the whole.
   *
   * `GET /api/v1/orgs/{org_slug}/derived-dataset-versions` · session, or token with workspace:read
   */
  listVersions(input: ListVersionsInput, options?: CallOptions): Promise<ListVersionsAnswer>
  /** Every item of every page of `listVersions`. */
  iterateVersions(input: ListVersionsInput, options?: CallOptions): AsyncGenerator<ListVersionsAnswer['items'][number]>
  /**
   * Derive a version of a dataset by a recipe.
   *
   * Pins the source to its current revision and stores the recipe; nothing is computed until an export is queued. Posting a slug again makes its next version. Without `project_slug` the version goes to the source’s project where you may write, else to `default`. A token needs `workspace:read` too where the source is private. With an idempotency key (body field or `Idempotency-Key` header, unique per project) the same request answers the same version: 200 with `Idempotency-Replayed: true` instead of 201.
   *
   * `POST /api/v1/orgs/{org_slug}/derived-dataset-versions` · session, or token with versions:write
   */
  createVersion(input: CreateVersionInput, options?: CallOptions): Promise<CreateVersionAnswer>
  /**
   * Show what a recipe would give, without writing anything.
   *
   * Episodes, frames, tasks, an estimate of the size, statistics of the result (each says whether it is exact), what is copied and what is encoded anew and why, one frame and one episode’s actions before and after.
   *
   * `POST /api/v1/orgs/{org_slug}/derived-dataset-versions/preview` · session, or token with workspace:read
   */
  previewVersion(input: PreviewVersionInput, options?: CallOptions): Promise<PreviewVersionAnswer>
  /**
   * Get a derived dataset version.
   *
   * `GET /api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}` · session, or token with workspace:read
   */
  getDerivedVersion(input: GetDerivedVersionInput, options?: CallOptions): Promise<GetDerivedVersionAnswer>
  /**
   * Change what is written beside a version, or publish or withdraw it.
   *
   * Source and recipe never change. `visibility` needs a session, the role admin of the project, and that you may read the source: `public` puts the version in the catalog under its id, for everybody, also where its source is private: its episodes, its recipe, the name of its source and of the versions in between can then be seen. Its export is queued where it has no files yet. `private` takes it out at once; addresses of its media end with it.
   *
   * `PATCH /api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}` · session, or token with versions:write
   */
  changeVersion(input: ChangeVersionInput, options?: CallOptions): Promise<ChangeVersionAnswer>
  /**
   * Delete a version and what was made of it.
   *
   * Exports under way are canceled. The source dataset is not touched; the version number is not used again. One that versions of the organization are derived from is a 409 until those are gone.
   *
   * `DELETE /api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}` · session, or token with versions:write
   */
  deleteVersion(input: DeleteVersionInput, options?: CallOptions): Promise<DeleteVersionAnswer>
  /**
   * List the files of a materialized version with signed URLs.
   *
   * The same files as in the tar, by path. Each URL lives for 15 minutes and answers Range requests.
   *
   * `GET /api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/files` · session, or token with workspace:read
   */
  listVersionFiles(input: ListVersionFilesInput, options?: CallOptions): Promise<ListVersionFilesAnswer>
  /** Every item of every page of `listVersionFiles`. */
  iterateVersionFiles(input: ListVersionFilesInput, options?: CallOptions): AsyncGenerator<ListVersionFilesAnswer['items'][number]>
  /**
   * Copy a version into a project as a dataset.
   *
   * For whoever may read the version, into a project they may write to: `project_slug` of `org_slug`, or the version’s own. Queues an import of the kind `version`, which goes on as every import does; where the version has no files yet, their export is queued and the import waits for it. What comes of it is a dataset of its own, which needs neither the version nor its source: with the version’s name as title unless one is given, its card, splits, flags and annotation sets. `copied_from` of the import says what it was made from. A token needs `workspace:read` too where the version is private. With an idempotency key (body field or `Idempotency-Key` header, unique per project) the same request answers the same import: 200 with `Idempotency-Replayed: true` instead of 202.
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
