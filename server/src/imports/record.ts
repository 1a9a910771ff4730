import { type Static, Type } from 'typebox'
import { losses } from '../datasets/losses.ts'
import { contractRequires, nullable, oneOf, timestamp } from '../http/schemas.ts'
import { copiedFrom } from './copies/copied-from.ts'
import { hdf5Summary } from './hdf5-schema.ts'
import { previewAsset } from './prepare/preview-asset.ts'
import type { ImportRow } from './repository.ts'
import { sourceKinds } from './source-kind.ts'
import { hideSecrets } from './source-uri.ts'

export const importStatuses = ['queued', 'running', 'succeeded', 'failed', 'canceled'] as const

export const importJob = Type.Object(
  {
    id: Type.String(),
    org_slug: Type.String(),
    project_slug: Type.String(),
    dataset_id: nullable(Type.String()),
    dataset_slug: Type.String(),
    title: Type.String(),
    source_kind: oneOf(sourceKinds),
    source_uri: nullable(Type.String()),
    status: oneOf(importStatuses),
    raw_object_path: nullable(Type.String()),
    report_object_path: nullable(Type.String()),
    read_model_path: nullable(Type.String()),
    error_message: nullable(Type.String()),
    created_by: nullable(Type.String()),
    created_at: timestamp,
    updated_at: timestamp,
    hf_repo_id: nullable(Type.String()),
    hf_revision: nullable(Type.String({ description: 'As requested; the commit once it is known.' })),
    hdf5: nullable(hdf5Summary),
    preview_assets: Type.Array(previewAsset),
    started_at: nullable(timestamp),
    progress_pct: nullable(Type.Number({ minimum: 0, maximum: 100 })),
    progress_phase: nullable(Type.String()),
    progress_message: nullable(Type.String()),
    downloaded_bytes: nullable(Type.Integer()),
    total_bytes: nullable(Type.Integer()),
    attempt_count: Type.Integer({ default: 0 }),
    max_attempts: Type.Integer({ default: 3 }),
    claim_epoch: Type.Integer({ default: 0 }),
    claimed_by: nullable(Type.String()),
    claimed_at: nullable(timestamp),
    claim_expires_at: nullable(timestamp),
    last_heartbeat_at: nullable(timestamp),
    retry_after: nullable(timestamp),
    last_error: nullable(Type.String()),
    consistency_status: oneOf(['unknown', 'ok', 'missing_artifact', 'checksum_mismatch', 'orphaned', 'error'], {
      default: 'unknown',
    }),
    consistency_checked_at: nullable(timestamp),
    consistency_error: nullable(Type.String()),
    revision_id: nullable(Type.String()),
    retry_of: nullable(Type.String()),
    copied_from: nullable(copiedFrom),
    losses: nullable(losses),
    dismissed_at: nullable(timestamp),
    cancel_requested_at: nullable(timestamp),
    finished_at: nullable(timestamp),
    error_code: nullable(Type.String()),
    idempotency_key: nullable(Type.String()),
    idempotency_fingerprint: Type.String(),
  },
  {
    $id: 'WorkspaceImportJob',
    ...contractRequires(['id', 'org_slug', 'project_slug', 'dataset_slug', 'title', 'source_kind', 'status']),
  },
)
export type ImportJob = Static<typeof importJob>

const time = (date: Date | null): string | null => date?.toISOString() ?? null

export const presentImport = (row: ImportRow): ImportJob => ({
  id: row.id,
  org_slug: row.orgSlug,
  project_slug: row.projectSlug,
  dataset_id: row.datasetId,
  dataset_slug: row.datasetSlug,
  title: row.shownTitle,
  source_kind: row.sourceKind,
  source_uri: hideSecrets(row.sourceUri),
  status: row.state,
  raw_object_path: row.revisionId && row.hasRaw ? `revisions/${row.revisionId}/raw` : null,
  report_object_path: row.hasReport ? `imports/${row.id}/report.json` : null,
  read_model_path: row.revisionId ? `revisions/${row.revisionId}/read-model` : null,
  error_message: row.errorMessage,
  created_by: row.createdBy,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  hf_repo_id: row.hfRepoId,
  hf_revision: row.hfCommit ?? row.hfRevision,
  hdf5: row.hdf5 as ImportJob['hdf5'],
  preview_assets: row.previewAssets,
  started_at: time(row.startedAt),
  progress_pct: row.progressPct,
  progress_phase: row.progressPhase,
  progress_message: row.progressMessage,
  downloaded_bytes: row.downloadedBytes,
  total_bytes: row.totalBytes,
  attempt_count: row.attemptCount,
  max_attempts: row.maxAttempts,
  claim_epoch: row.claimEpoch,
  claimed_by: row.claimedBy,
  claimed_at: time(row.claimedAt),
  claim_expires_at: time(row.claimExpiresAt),
  last_heartbeat_at: time(row.lastHeartbeatAt),
  // What has not begun may wait for something else than another attempt.
  retry_after: row.attemptCount > 0 ? time(row.retryAfter) : null,
  last_error: row.lastError,
  consistency_status: row.consistencyStatus,
  consistency_checked_at: time(row.consistencyCheckedAt),
  consistency_error: row.consistencyError,
  revision_id: row.revisionId,
  retry_of: row.retryOf,
  copied_from: row.copiedFrom,
  losses: row.losses ?? null,
  dismissed_at: time(row.dismissedAt),
  cancel_requested_at: time(row.cancelRequestedAt),
  finished_at: time(row.finishedAt),
  error_code: row.errorCode,
  idempotency_key: row.idempotencyKey,
  idempotency_fingerprint: row.fingerprint,
})

const listedEntries = 20

/** In a list the long lists of an HDF5 summary are cut, so that a page stays small; the import itself has them whole. */
export const presentListedImport = (row: ImportRow): ImportJob => {
  const job = presentImport(row)
  if (!job.hdf5) return job
  const cut = <T>(list: T[]): T[] => list.slice(0, listedEntries)
  const { datasets, groups, episodes, preview_candidates: candidates } = job.hdf5
  const isCut = [datasets, groups, episodes].some((list) => list.length > listedEntries)
  return {
    ...job,
    hdf5: {
      ...job.hdf5,
      datasets: cut(datasets),
      groups: cut(groups),
      episodes: cut(episodes),
      preview_candidates: {
        image: cut(candidates.image),
        jpeg_bytes: cut(candidates.jpeg_bytes),
        padded_jpeg: cut(candidates.padded_jpeg),
        image_path: cut(candidates.image_path),
        numeric_tensor: cut(candidates.numeric_tensor),
      },
      truncated: job.hdf5.truncated || isCut,
    },
  }
}
