import { type Static, Type } from 'typebox'
import { losses } from '../datasets/losses.ts'
import { contractRequires, nullable, oneOf, timestamp } from '../http/schemas.ts'
import { copiedFrom } from './copied-from.ts'
import { hdf5Summary } from './hdf5-schema.ts'
import { previewAsset } from './preview-asset.ts'
import type { ImportRow } from './repository.ts'
import { hideSecrets } from './source-uri.ts'

/** What people import from; a copy of a version is asked for elsewhere. */
export const sentKinds = ['huggingface', 'hdf5', 'lerobot'] as const
export const sourceKinds = [...sentKinds, 'version'] as const
export type SourceKind = (typeof sourceKinds)[number]
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
  org_slug: row.org_slug,
  project_slug: row.project_slug,
  dataset_id: row.dataset_id,
  dataset_slug: row.dataset_slug,
  title: row.shown_title,
  source_kind: row.source_kind,
  source_uri: hideSecrets(row.source_uri),
  status: row.state,
  raw_object_path: row.revision_id && row.has_raw ? `revisions/${row.revision_id}/raw` : null,
  report_object_path: row.has_report ? `imports/${row.id}/report.json` : null,
  read_model_path: row.revision_id ? `revisions/${row.revision_id}/read-model` : null,
  error_message: row.error_message,
  created_by: row.created_by,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
  hf_repo_id: row.hf_repo_id,
  hf_revision: row.hf_commit ?? row.hf_revision,
  hdf5: row.hdf5 as ImportJob['hdf5'],
  preview_assets: row.preview_assets,
  started_at: time(row.started_at),
  progress_pct: row.progress_pct,
  progress_phase: row.progress_phase,
  progress_message: row.progress_message,
  downloaded_bytes: row.downloaded_bytes,
  total_bytes: row.total_bytes,
  attempt_count: row.attempt_count,
  max_attempts: row.max_attempts,
  claim_epoch: row.claim_epoch,
  claimed_by: row.claimed_by,
  claimed_at: time(row.claimed_at),
  claim_expires_at: time(row.claim_expires_at),
  last_heartbeat_at: time(row.last_heartbeat_at),
  // What has not begun may wait for something else than another attempt.
  retry_after: row.attempt_count > 0 ? time(row.retry_after) : null,
  last_error: row.last_error,
  consistency_status: row.consistency_status,
  consistency_checked_at: time(row.consistency_checked_at),
  consistency_error: row.consistency_error,
  revision_id: row.revision_id,
  retry_of: row.retry_of,
  copied_from: row.copied_from,
  losses: row.losses ?? null,
  cancel_requested_at: time(row.cancel_requested_at),
  finished_at: time(row.finished_at),
  error_code: row.error_code,
  idempotency_key: row.idempotency_key,
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
