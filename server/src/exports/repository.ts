import type { JsonObject } from '@nmp/formats/json'
import { type Selectable, sql } from 'kysely'
import { type CamelCased, camelCased } from '../db/camel-case.ts'
import type { Database, Transaction } from '../db/database.ts'
import type { JobState } from '../jobs/tables.ts'
import type { ExportReport, ExportTables } from './tables.ts'

/** An export with its job and what its shards have done. */
export interface Export {
  id: string
  versionId: string
  projectId: string
  orgId: string
  orgSlug: string
  projectSlug: string
  artifactKey: string
  artifactPath: string
  requestedBy: string | null
  /** What of the target's options was chosen. */
  options: JsonObject
  report: ExportReport | null
  shardCount: number
  shardsStarted: number
  shardsDone: number
  shardFrames: number
  shardFramesDone: number
  checksumSha256: string | null
  sizeBytes: number | null
  /** The export whose job writes this one too, and how far that is; null where it is made by itself. */
  madeWith: string | null
  leadState: JobState | null
  leadPct: number | null
  leadPhase: string | null
  leadMessage: string | null
  state: JobState
  progressPct: number | null
  progressPhase: string | null
  progressMessage: string | null
  errorMessage: string | null
  attemptCount: number
  maxAttempts: number
  cancelRequestedAt: Date | null
  retryOf: string | null
  createdAt: Date
  updatedAt: Date
  startedAt: Date | null
  finishedAt: Date | null
}

export type Shard = CamelCased<Selectable<ExportTables['export_shards']>>

const columns = sql`
  e.id, e.version_id as "versionId", v.project_id as "projectId", o.id as "orgId", o.slug as "orgSlug",
  p.slug as "projectSlug", e.artifact_key as "artifactKey", a.path as "artifactPath", e.requested_by as "requestedBy",
  e.options, e.report, e.shard_count as "shardCount", e.checksum_sha256 as "checksumSha256", e.size_bytes as "sizeBytes",
  coalesce(s.started, 0) as "shardsStarted", coalesce(s.done, 0) as "shardsDone",
  coalesce(s.frames, 0)::bigint as "shardFrames", coalesce(s.frames_done, 0)::float8 as "shardFramesDone",
  j.state, j.progress_pct as "progressPct", j.progress_phase as "progressPhase", j.progress_message as "progressMessage",
  j.error_message as "errorMessage", j.attempt_count as "attemptCount", j.max_attempts as "maxAttempts",
  j.cancel_requested_at as "cancelRequestedAt", j.retry_of as "retryOf", j.created_at as "createdAt",
  j.started_at as "startedAt", j.finished_at as "finishedAt", e.made_with as "madeWith", lead.state as "leadState", lead.progress_pct as "leadPct",
  lead.progress_phase as "leadPhase", lead.progress_message as "leadMessage",
  greatest(j.updated_at, s.updated_at, case when j.state = 'queued' then lead.updated_at end) as "updatedAt"
  from exports e
  join jobs j on j.id = e.id
  join versions v on v.id = e.version_id
  join projects p on p.id = v.project_id
  join organizations o on o.id = p.org_id
  join version_artifacts a on a.version_id = e.version_id and a.key = e.artifact_key
  left join jobs lead on lead.id = e.made_with
  left join lateral (
    select count(*) filter (where sj.started_at is not null) as started,
      count(*) filter (where sj.state = 'succeeded') as done,
      sum(shard.frame_count) as frames,
      sum(shard.frame_count * case when sj.state = 'succeeded' then 1 else coalesce(sj.progress_pct, 0) / 100 end) as frames_done,
      max(sj.updated_at) as updated_at
    from export_shards shard join jobs sj on sj.id = shard.id where shard.export_id = e.id
  ) s on true`

export const findExport = async (db: Database, id: string): Promise<Export | undefined> =>
  (await sql<Export>`select ${columns} where e.id = ${id}`.execute(db)).rows[0]

export const listExports = async (
  db: Database,
  versionId: string,
  limit: number,
  beforeId: string | undefined,
): Promise<Export[]> =>
  (
    await sql<Export>`select ${columns} where e.version_id = ${versionId}
      and (${beforeId ?? null}::text is null or e.id < ${beforeId ?? null}) order by e.id desc limit ${limit}`.execute(
      db,
    )
  ).rows

export const insertExport = async (
  trx: Transaction,
  made: Pick<Export, 'id' | 'versionId' | 'artifactKey' | 'options' | 'shardCount' | 'madeWith'> & {
    requestedBy: string
  },
): Promise<void> => {
  await trx
    .insertInto('exports')
    .values({
      id: made.id,
      version_id: made.versionId,
      artifact_key: made.artifactKey,
      requested_by: made.requestedBy,
      shard_count: made.shardCount,
      made_with: made.madeWith,
      options: JSON.stringify(made.options),
      checksum_sha256: null,
      size_bytes: null,
    })
    .execute()
}

export const insertShards = async (trx: Transaction, shards: readonly Shard[]): Promise<void> => {
  const rows = shards.map(({ exportId, frameCount, ...same }) => ({
    ...same,
    export_id: exportId,
    frame_count: frameCount,
  }))
  for (let start = 0; start < rows.length; start += 500)
    await trx
      .insertInto('export_shards')
      .values(rows.slice(start, start + 500))
      .execute()
}

export const findShard = (db: Database, id: string): Promise<(Shard & { versionId: string }) | undefined> =>
  db
    .selectFrom('export_shards as shard')
    .innerJoin('exports', 'exports.id', 'shard.export_id')
    .selectAll('shard')
    .select('exports.version_id')
    .where('shard.id', '=', id)
    .executeTakeFirst()
    .then(camelCased)

/** Holds the export until the transaction ends, so that of two shards that end at once one is the last. */
export const lockExport = async (trx: Transaction, id: string): Promise<boolean> =>
  (await trx.selectFrom('exports').select('id').where('id', '=', id).forUpdate().executeTakeFirst()) !== undefined

/** By state, with the first sentence of a failed one. */
export const countShards = async (
  db: Database,
  exportId: string,
): Promise<{ open: number; failed: number; sentence: string | null }> => {
  const { rows } = await sql<{ open: number; failed: number; sentence: string | null }>`
    select count(*) filter (where j.state in ('queued', 'running')) as open,
      count(*) filter (where j.state in ('failed', 'canceled')) as failed,
      min(j.error_message) filter (where j.state = 'failed') as sentence
    from export_shards s join jobs j on j.id = s.id where s.export_id = ${exportId}`.execute(db)
  return rows[0] ?? { open: 0, failed: 0, sentence: null }
}

export const listOpenShards = async (db: Database, exportId: string): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select s.id from export_shards s join jobs j on j.id = s.id
    where s.export_id = ${exportId} and j.state in ('queued', 'running') order by s.position`.execute(db)
  return rows.map(({ id }) => id)
}

export const listOpenExports = async (db: Database, versionId: string): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select e.id from exports e join jobs j on j.id = e.id
    where e.version_id = ${versionId} and j.state in ('queued', 'running')`.execute(db)
  return rows.map(({ id }) => id)
}

export const recordResult = async (
  trx: Transaction,
  id: string,
  { checksum, sizeBytes, report }: { checksum: string; sizeBytes: number; report: ExportReport },
): Promise<void> => {
  await trx
    .updateTable('exports')
    .set({ checksum_sha256: checksum, size_bytes: sizeBytes, report: JSON.stringify(report) })
    .where('id', '=', id)
    .execute()
}

/** Exports that the job of this one writes too, and that nobody has begun or canceled. */
export const listFollowers = async (db: Database, id: string): Promise<Export[]> =>
  (await sql<Export>`select ${columns} where e.made_with = ${id} and j.state = 'queued' order by e.id`.execute(db)).rows

/** Holds the job of an export until the transaction ends; false where it is no longer queued. */
export const lockQueued = async (trx: Transaction, id: string): Promise<boolean> =>
  (await sql`select 1 from jobs where id = ${id} and state = 'queued' for update`.execute(trx)).rows.length === 1

/** Exports in another form that wait for the files of the version itself, but those that the job of another one is to write. */
export const listWaitingTargets = async (db: Database, versionId: string): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select e.id from exports e join jobs j on j.id = e.id left join jobs lead on lead.id = e.made_with
    where e.version_id = ${versionId} and e.artifact_key <> 'lerobot' and j.state = 'queued'
      and (lead.state is null or lead.state not in ('queued', 'running'))`.execute(db)
  return rows.map(({ id }) => id)
}

/** Copies that are queued for a version; those that wait for a second attempt are among them. */
export const listWaitingCopies = async (db: Database, versionId: string): Promise<string[]> => {
  const rows = await db
    .selectFrom('imports as import')
    .innerJoin('jobs as job', 'job.id', 'import.id')
    .select('import.id')
    .where('import.version_id', '=', versionId)
    .where('job.state', '=', 'queued')
    .execute()
  return rows.map(({ id }) => id)
}

/** Copies that wait for a version which went with its project or organization. */
export const listOrphanedCopies = async (db: Database, limit: number): Promise<string[]> => {
  const rows = await db
    .selectFrom('imports as import')
    .innerJoin('jobs as job', 'job.id', 'import.id')
    .select('import.id')
    .where('import.version_id', 'is not', null)
    .where('job.state', '=', 'queued')
    .where('job.attempt_count', '=', 0)
    .where('job.retry_after', '>', sql<Date>`now()`)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('versions').select('versions.id').whereRef('versions.id', '=', 'import.version_id'))),
    )
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Who asked for an export of this artifact that succeeded, and who made the version where there is one. */
export const listToldOfReady = async (trx: Transaction, versionId: string, key: string): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select person as id from exports export join versions version on version.id = export.version_id,
      unnest(array[export.requested_by, version.created_by]) as person
    where export.version_id = ${versionId} and export.artifact_key = ${key}
      and export.checksum_sha256 is not null and person is not null`.execute(trx)
  return rows.map(({ id }) => id)
}
