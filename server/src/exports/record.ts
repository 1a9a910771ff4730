import { Type } from 'typebox'
import { nullable, oneOf, timestamp } from '../http/schemas.ts'
import { sizeEstimate } from '../versions/size-trials.ts'
import type { Export } from './repository.ts'

const loss = Type.Object({ feature: Type.String(), reason: Type.String() }, { $id: 'ExportLoss' })

export const exportTarget = Type.Object(
  {
    key: Type.String({ description: 'What `artifact_keys` takes.' }),
    title: Type.String(),
    readers: Type.String({ description: 'A sentence on who reads it.' }),
    options: Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of its options.' }),
    losses: Type.Array(loss),
    estimated_bytes: Type.Integer(),
    estimate: sizeEstimate,
    estimated_files: Type.Integer(),
  },
  { $id: 'ExportTarget' },
)

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
    options: Type.Record(Type.String(), Type.Unknown(), { description: 'Of the target, as they were asked for.' }),
    report: nullable(
      Type.Object({
        losses: Type.Array(loss, {
          description: 'What of the version the target has no place for.',
        }),
        notes: Type.Array(Type.String(), { description: 'What was estimated or changed on the way, in words.' }),
      }),
    ),
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
function describeProgress(row: Export) {
  // Another job writes it, and it waits to publish what that one leaves.
  if (row.state === 'queued' && row.leadState === 'running') {
    return {
      status: 'running' as const,
      progress_pct: round(row.leadPct ?? 0),
      progress_phase: row.leadPhase,
      progress_message: row.leadMessage,
    }
  }
  const isEncoding = row.state === 'queued' && row.shardsStarted > 0
  const encoded = (encodingPercent * row.shardFramesDone) / Math.max(1, row.shardFrames)
  // Kept over attempts: an export that is tried again waits where it was.
  const own = row.progressPct ?? (row.leadState === 'succeeded' ? row.leadPct : null)
  const whole = own === null ? encoded : encodingPercent + (own * (100 - encodingPercent)) / 100
  const pct = row.shardCount > 0 ? whole : (own ?? 0)
  if (isEncoding) {
    return {
      status: 'running' as const,
      progress_pct: round(pct),
      progress_phase: 'encoding',
      progress_message: `${row.shardsDone} of ${row.shardCount} parts are encoded.`,
    }
  }
  const isOver = row.state === 'succeeded'
  return {
    status: row.state,
    progress_pct: isOver ? 100 : round(pct),
    progress_phase: row.progressPhase,
    progress_message: row.progressMessage,
  }
}

const round = (value: number): number => Math.round(value * 10) / 10

export const presentExport = (row: Export) => ({
  id: row.id,
  org_slug: row.orgSlug,
  version_id: row.versionId,
  artifact_key: row.artifactKey,
  artifact_path: row.artifactPath,
  requested_by: row.requestedBy ?? '',
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  schema_version: '1.0.0' as const,
  kind: 'derived_dataset_export_job' as const,
  project_slug: row.projectSlug,
  checksum_sha256: row.checksumSha256,
  error_message: row.state === 'failed' ? row.errorMessage : null,
  size_bytes: row.sizeBytes,
  ...describeProgress(row),
  options: row.options,
  report: row.report && { losses: [...row.report.losses], notes: [...(row.report.notes ?? [])] },
  shard_count: row.shardCount,
  shards_done: row.shardsDone,
  cancel_requested_at: row.cancelRequestedAt?.toISOString() ?? null,
  retry_of: row.retryOf,
  started_at: row.startedAt?.toISOString() ?? null,
  finished_at: row.finishedAt?.toISOString() ?? null,
})
