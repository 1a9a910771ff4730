// GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
import type { CallOptions, OperationTable } from '../operation.ts'
import type { CheckHuggingFace, CreateImport, DismissImport, HuggingFaceCheck, ImportReport, RetryImport, WorkspaceImportIdempotencyLookup, WorkspaceImportJob } from './records.ts'

export interface CreateImportInput {
  org_slug: string
  project_slug: string
  'idempotency-key'?: string | undefined
  body: CreateImport
}

export type CreateImportAnswer = {
  item: WorkspaceImportJob
}

export interface ListImportsInput {
  org_slug: string
  project_slug: string
  status?: 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled' | undefined
  /** Part of the id, dataset slug, title, source or idempotency key. */
  q?: string | undefined
  limit?: number | undefined
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
}

export type ListImportsAnswer = {
  items: WorkspaceImportJob[]
  next_cursor: string | null
}

export interface LookupImportInput {
  org_slug: string
  project_slug: string
  body: WorkspaceImportIdempotencyLookup
}

export type LookupImportAnswer = {
  item: WorkspaceImportJob
}

export interface CheckHuggingFaceInput {
  org_slug: string
  project_slug: string
  body: CheckHuggingFace
}

export type CheckHuggingFaceAnswer = {
  item: HuggingFaceCheck
}

export interface GetImportInput {
  org_slug: string
  project_slug: string
  job_id: string
}

export type GetImportAnswer = {
  item: WorkspaceImportJob
}

export interface CancelImportInput {
  org_slug: string
  project_slug: string
  job_id: string
}

export type CancelImportAnswer = {
  item: WorkspaceImportJob
}

export interface DismissImportInput {
  org_slug: string
  project_slug: string
  job_id: string
  body: DismissImport
}

export type DismissImportAnswer = {
  item: WorkspaceImportJob
}

export interface RetryImportInput {
  org_slug: string
  project_slug: string
  job_id: string
  body: RetryImport
}

export type RetryImportAnswer = {
  item: WorkspaceImportJob
}

export interface GetImportReportInput {
  org_slug: string
  project_slug: string
  job_id: string
}

export type GetImportReportAnswer = {
  item: ImportReport
}

export interface GetImportPreviewUrlInput {
  org_slug: string
  project_slug: string
  job_id: string
  name: string
}

export type GetImportPreviewUrlAnswer = {
  url: string
  expires_at: string
}

export interface ImportsOperations {
  /**
   * Import a dataset.
   *
   * Queues a job that brings data into the project: from Hugging Face (`hf_repo_id`), from finished uploads (`upload_ids`) or from an https address (`source_uri`). On success the dataset `dataset_slug` is created, or gets a new revision. With an idempotency key (body field or `Idempotency-Key` header) the same request returns the same job: 200 with `Idempotency-Replayed: true` instead of 201.
   *
   * `POST /api/v1/orgs/{org_slug}/projects/{project_slug}/imports` · session, or token with imports:write
   */
  createImport(input: CreateImportInput, options?: CallOptions): Promise<CreateImportAnswer>
  /**
   * List the imports of a project, newest first.
   *
   * Lists inside an HDF5 summary are cut to 20 entries here; `getImport` returns them in full.
   *
   * `GET /api/v1/orgs/{org_slug}/projects/{project_slug}/imports` · session, or token with workspace:read
   */
  listImports(input: ListImportsInput, options?: CallOptions): Promise<ListImportsAnswer>
  /** Every item of every page of `listImports`. */
  iterateImports(input: ListImportsInput, options?: CallOptions): AsyncGenerator<ListImportsAnswer['items'][number]>
  /**
   * Find an import by its idempotency key.
   *
   * Changes nothing. A fingerprint that differs from the stored one is a 409.
   *
   * `POST /api/v1/orgs/{org_slug}/projects/{project_slug}/imports/lookup` · session, or token with workspace:read
   */
  lookupImport(input: LookupImportInput, options?: CallOptions): Promise<LookupImportAnswer>
  /**
   * Look at a Hugging Face repository before importing it.
   *
   * Nothing is stored. `sentence` says whether it can be imported, and if not, what to do.
   *
   * `POST /api/v1/orgs/{org_slug}/projects/{project_slug}/imports/check` · session, or token with imports:write
   */
  checkHuggingFace(input: CheckHuggingFaceInput, options?: CallOptions): Promise<CheckHuggingFaceAnswer>
  /**
   * Get an import.
   *
   * The full record: status, progress, losses, previews and, for HDF5 sources, a summary of the files.
   *
   * `GET /api/v1/orgs/{org_slug}/projects/{project_slug}/imports/{job_id}` · session, or token with workspace:read
   */
  getImport(input: GetImportInput, options?: CallOptions): Promise<GetImportAnswer>
  /**
   * Cancel an import.
   *
   * A queued import is canceled at once. A running one keeps the status `running` until its worker has stopped, which takes seconds; after this answer it can no longer succeed. Canceling twice returns the same record.
   *
   * `POST /api/v1/orgs/{org_slug}/projects/{project_slug}/imports/{job_id}/cancel` · session, or token with imports:write
   */
  cancelImport(input: CancelImportInput, options?: CallOptions): Promise<CancelImportAnswer>
  /**
   * Dismiss a failed import.
   *
   * For a failure that has been seen to: `dismissed_at` says when, and the console no longer counts it. The record, its report and a retry stay. `{"dismissed": false}` takes it back.
   *
   * `POST /api/v1/orgs/{org_slug}/projects/{project_slug}/imports/{job_id}/dismiss` · session, or token with imports:write
   */
  dismissImport(input: DismissImportInput, options?: CallOptions): Promise<DismissImportAnswer>
  /**
   * Run a finished import again.
   *
   * A new import with the same source, options and target; `retry_of` names the old one. Options that you send replace the old ones, for example to import with another frame rate. A token for the source is never stored, so send it again if it is needed.
   *
   * `POST /api/v1/orgs/{org_slug}/projects/{project_slug}/imports/{job_id}/retry` · session, or token with imports:write
   */
  retryImport(input: RetryImportInput, options?: CallOptions): Promise<RetryImportAnswer>
  /**
   * What an import found, repaired and left out.
   *
   * Available once the first attempt has ended, for failed imports too.
   *
   * `GET /api/v1/orgs/{org_slug}/projects/{project_slug}/imports/{job_id}/report` · session, or token with workspace:read
   */
  getImportReport(input: GetImportReportInput, options?: CallOptions): Promise<GetImportReportAnswer>
  /**
   * Get a signed address of a preview.
   *
   * `name` is the last part of the `path` of a preview asset. The address works for 15 minutes.
   *
   * `GET /api/v1/orgs/{org_slug}/projects/{project_slug}/imports/{job_id}/previews/{name}` · session, or token with workspace:read
   */
  getImportPreviewUrl(input: GetImportPreviewUrlInput, options?: CallOptions): Promise<GetImportPreviewUrlAnswer>
}

export const importsOperations: OperationTable = {
  createImport: { method: 'POST', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/imports', headers: ['idempotency-key'], hasBody: true, keyPlace: 'body' },
  listImports: { method: 'GET', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/imports', query: ['status', 'q', 'limit', 'cursor'], paging: 'cursor', repeatable: true },
  lookupImport: { method: 'POST', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/imports/lookup', hasBody: true, repeatable: true },
  checkHuggingFace: { method: 'POST', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/imports/check', hasBody: true, repeatable: true },
  getImport: { method: 'GET', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/imports/{job_id}', repeatable: true },
  cancelImport: { method: 'POST', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/imports/{job_id}/cancel', repeatable: true },
  dismissImport: { method: 'POST', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/imports/{job_id}/dismiss', hasBody: true },
  retryImport: { method: 'POST', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/imports/{job_id}/retry', hasBody: true },
  getImportReport: { method: 'GET', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/imports/{job_id}/report', repeatable: true },
  getImportPreviewUrl: { method: 'GET', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/imports/{job_id}/previews/{name}', repeatable: true },
}
