import { Type } from 'typebox'
import { nullable, oneOf, timestamp } from '../http/schemas.ts'
import type { ExportRow } from './repository.ts'

const exportStatuses = ['queued', 'running', 'succeeded', 'failed', 'canceled'] as const

export const exportJob = Type.Object(
  {
    id: Type.String(),
    org_slug: Type.String(),
    version_id: Type.String(),
    artifact_key: Type.String(),
    artifact_path: Type.String(),
    requested_by: Type.String({ description: 'Id of the user; empty if the account was deleted.' }),
    created_at: timestamp,
    updated_at: timestamp,
    schema_version: Type.Literal('1.0.0'),
    kind: Type.Literal('derived_dataset_export_job'),
    project_slug: Type.String(),
    status: oneOf(exportStatuses),
    checksum_sha256: nullable(Type.String()),
    error_message: nullable(Type.String()),
    size_bytes: nullable(Type.Integer()),
    progress_pct: nullable(Type.Number({ minimum: 0, maximum: 100 })),
    progress_phase: nullable(Type.String()),
    progress_message: nullable(Type.String()),
    shard_count: Type.Integer({ description: 'Parts whose cameras are encoded again; 0 if every frame is copied.' }),
    shards_done: Type.Integer(),
    cancel_requested_at: nullable(timestamp),
    retry_of: nullable(Type.String()),
    started_at: nullable(timestamp),
    finished_at: nullable(timestamp),
  },
  { $id: 'DerivedDatasetExportJob' },
)

/** Encoding takes most of the time of an export that has any. */
const encodingPercent = 90

/** While its parts are encoded the job itself waits: what people see is the whole of it. */
function describeProgress(row: ExportRow) {
  const isEncoding = row.state === 'queued' && row.shards_started > 0
  const encoded = (encodingPercent * row.shard_frames_done) / Math.max(1, row.shard_frames)
  // Kept over attempts: an export that is tried again waits where it was.
  const own = row.progress_pct
  const whole = own === null ? encoded : encodingPercent + (own * (100 - encodingPercent)) / 100
  const pct = row.shard_count > 0 ? whole : (own ?? 0)
  if (isEncoding) {
    return {
      status: 'running' as const,
      progress_pct: round(pct),
      progress_phase: 'encoding',
      progress_message: `${row.shards_done} of ${row.shard_count} parts are encoded.`,
    }
  }
  const isOver = row.state === 'succeeded'
  return {
    status: row.state,
    progress_pct: isOver ? 100 : round(pct),
    progress_phase: row.progress_phase,
    progress_message: row.progress_message,
  }
}

const round = (value: number): number => Math.round(value * 10) / 10

export const presentExport = (row: ExportRow) => ({
  id: row.id,
  org_slug: row.org_slug,
  version_id: row.version_id,
  artifact_key: row.artifact_key,
  artifact_path: row.artifact_path,
  requested_by: row.requested_by ?? '',
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
  schema_version: '1.0.0' as const,
  kind: 'derived_dataset_export_job' as const,
  project_slug: row.project_slug,
  checksum_sha256: row.checksum_sha256,
  error_message: row.state === 'failed' ? row.error_message : null,
  size_bytes: row.size_bytes,
  ...describeProgress(row),
  shard_count: row.shard_count,
  shards_done: row.shards_done,
  cancel_requested_at: row.cancel_requested_at?.toISOString() ?? null,
  retry_of: row.retry_of,
  started_at: row.started_at?.toISOString() ?? null,
  finished_at: row.finished_at?.toISOString() ?? null,
})
