// GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
import type { CallOptions, OperationTable } from '../operation.ts'
import type { DerivedDatasetExportJob, DerivedDatasetVersion, QueueExport } from './records.ts'

export interface QueueExportInput {
  org_slug: string
  version_id: string
  body: QueueExport
}

export type QueueExportAnswer = {
  item: DerivedDatasetVersion
  jobs: DerivedDatasetExportJob[]
}

export interface ListExportJobsInput {
  org_slug: string
  version_id: string
  limit?: number | undefined
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
}

export type ListExportJobsAnswer = {
  items: DerivedDatasetExportJob[]
  next_cursor: string | null
}

export interface GetExportJobInput {
  org_slug: string
  version_id: string
  job_id: string
}

export type GetExportJobAnswer = {
  item: DerivedDatasetExportJob
}

export interface CancelExportJobInput {
  org_slug: string
  version_id: string
  job_id: string
}

export type CancelExportJobAnswer = {
  item: DerivedDatasetExportJob
}

export interface RetryExportJobInput {
  org_slug: string
  version_id: string
  job_id: string
}

export type RetryExportJobAnswer = {
  item: DerivedDatasetExportJob
}

export interface GetArtifactDownloadUrlInput {
  org_slug: string
  version_id: string
  artifact_key: string
}

export type GetArtifactDownloadUrlAnswer = {
  url: string
  expires_at: string
}

export interface ExportsOperations {
  /**
   * Materialize artifacts of a version.
   *
   * Queues a job per artifact. An artifact that is queued, running or ready keeps its job, which is returned; a key sent twice makes one job. Other targets than `lerobot` are made from its files, so that one is queued too where it is not made. A target that is ready is made anew if its options differ; while it is being made, that is a 409.
   *
   * `POST /api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/export-jobs` · session, or token with exports:write
   */
  queueExport(input: QueueExportInput, options?: CallOptions): Promise<QueueExportAnswer>
  /**
   * List the export jobs of a version, newest first.
   *
   * Every attempt to export the version.
   *
   * `GET /api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/export-jobs` · session, or token with workspace:read
   */
  listExportJobs(input: ListExportJobsInput, options?: CallOptions): Promise<ListExportJobsAnswer>
  /** Every item of every page of `listExportJobs`. */
  iterateExportJobs(input: ListExportJobsInput, options?: CallOptions): AsyncGenerator<ListExportJobsAnswer['items'][number]>
  /**
   * Get an export job.
   *
   * Status, progress, checksum and, if it failed, the reason.
   *
   * `GET /api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/export-jobs/{job_id}` · session, or token with workspace:read
   */
  getExportJob(input: GetExportJobInput, options?: CallOptions): Promise<GetExportJobAnswer>
  /**
   * Cancel an export job.
   *
   * A queued job is canceled at once. A running one keeps its status until its worker has stopped; after this answer it can no longer succeed. The artifact goes back to `planned`. Canceling twice returns the same record.
   *
   * `POST /api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/export-jobs/{job_id}/cancel` · session, or token with exports:write
   */
  cancelExportJob(input: CancelExportJobInput, options?: CallOptions): Promise<CancelExportJobAnswer>
  /**
   * Run a failed or canceled export again.
   *
   * Queues a new job for the same artifact; the old one stays as it is.
   *
   * `POST /api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/export-jobs/{job_id}/retry` · session, or token with exports:write
   */
  retryExportJob(input: RetryExportJobInput, options?: CallOptions): Promise<RetryExportJobAnswer>
  /**
   * Get a signed URL of an artifact.
   *
   * Valid for 15 minutes, needs no header, and supports Range requests, so downloads can be resumed.
   *
   * `GET /api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/artifacts/{artifact_key}/download-url` · session, or token with workspace:read
   */
  getArtifactDownloadUrl(input: GetArtifactDownloadUrlInput, options?: CallOptions): Promise<GetArtifactDownloadUrlAnswer>
}

export const exportsOperations: OperationTable = {
  queueExport: { method: 'POST', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/export-jobs', hasBody: true, repeatable: true },
  listExportJobs: { method: 'GET', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/export-jobs', query: ['limit', 'cursor'], paging: 'cursor', repeatable: true },
  getExportJob: { method: 'GET', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/export-jobs/{job_id}', repeatable: true },
  cancelExportJob: { method: 'POST', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/export-jobs/{job_id}/cancel', repeatable: true },
  retryExportJob: { method: 'POST', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/export-jobs/{job_id}/retry' },
  getArtifactDownloadUrl: { method: 'GET', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/artifacts/{artifact_key}/download-url', repeatable: true },
}
