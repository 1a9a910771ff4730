import { ruleSetVersion } from '@nmp/formats/checks'
import { sql } from 'kysely'
import type { Database, Transaction } from '../db/database.ts'
import type { JobState } from '../jobs/tables.ts'
import type { CheckPart, CheckState, PicturesSetting } from './tables.ts'

/** What is checked: a revision of a dataset, or a version. */
export interface CheckSubject {
  kind: 'revision' | 'version'
  id: string
  /** The dataset of the revision, or the version itself: what settings belong to. */
  ownerId: string
}

/** Where a part of the checks stands, its report left out. */
export interface PartRow {
  part: CheckPart
  state: CheckState
  jobId: string | null
  message: string
  episodeCount: number | null
  ruleSetVersion: number | null
  hasReport: boolean
  updatedAt: Date
  jobState: JobState | null
  progressPct: number | null
  progressMessage: string | null
  cancelRequestedAt: Date | null
}

export interface CheckSettings {
  cutOffs: Record<string, number>
  pictures: PicturesSetting
}

const rowsAtATime = 5000

const columnsOf = ({ kind, id }: Pick<CheckSubject, 'kind' | 'id'>) => ({
  revision_id: kind === 'revision' ? id : null,
  version_id: kind === 'version' ? id : null,
})

const ownerColumns = ({ kind, ownerId }: CheckSubject) => ({
  dataset_id: kind === 'revision' ? ownerId : null,
  version_id: kind === 'version' ? ownerId : null,
})

export const listParts = async (db: Database, subjectId: string): Promise<PartRow[]> => {
  const { rows } = await sql<PartRow>`
    select r.part, r.state, r.job_id as "jobId", r.message, r.episode_count as "episodeCount",
      r.rule_set_version as "ruleSetVersion", r.report is not null as "hasReport", r.updated_at as "updatedAt",
      j.state as "jobState", j.progress_pct as "progressPct", j.progress_message as "progressMessage",
      j.cancel_requested_at as "cancelRequestedAt"
    from check_results r left join jobs j on j.id = r.job_id where r.subject_id = ${subjectId}`.execute(db)
  return rows
}

export const findReport = async (db: Database, subjectId: string, part: CheckPart): Promise<Buffer | undefined> => {
  const row = await db
    .selectFrom('check_results')
    .select('report')
    .where('subject_id', '=', subjectId)
    .where('part', '=', part)
    .executeTakeFirst()
  return row?.report ?? undefined
}

export interface PartChange {
  state: CheckState
  message?: string
  jobId?: string | null
  episodeCount?: number
  ruleSetVersion?: number
  report?: Buffer
}

/** What is not named stays as it was: a report until there is another one. */
export const putPart = async (
  db: Database,
  subject: Pick<CheckSubject, 'kind' | 'id'>,
  part: CheckPart,
  { state, message = '', jobId, episodeCount, ruleSetVersion, report }: PartChange,
): Promise<void> => {
  const change = {
    state,
    message: message.slice(0, 2000),
    ...(jobId !== undefined && { job_id: jobId }),
    ...(episodeCount !== undefined && { episode_count: episodeCount }),
    ...(ruleSetVersion !== undefined && { rule_set_version: ruleSetVersion }),
    ...(report !== undefined && { report }),
  }
  await db
    .insertInto('check_results')
    .values({ ...columnsOf(subject), part, ...change })
    .onConflict((conflict) =>
      conflict.columns(['subject_id', 'part']).doUpdateSet({ ...change, updated_at: sql`now()` }),
    )
    .execute()
}

/** What a run is to fill. A run whose parts were given to another one since has none. */
export const findRun = async (
  db: Database,
  jobId: string,
): Promise<{ subject: CheckSubject; parts: CheckPart[] } | undefined> => {
  const { rows } = await sql<{
    revisionId: string | null
    versionId: string | null
    datasetId: string | null
    part: CheckPart
  }>`
    select r.revision_id as "revisionId", r.version_id as "versionId", d.dataset_id as "datasetId", r.part
    from check_results r left join dataset_revisions d on d.id = r.revision_id
    where r.job_id = ${jobId} order by r.part desc`.execute(db)
  const [first] = rows
  if (!first) return undefined
  const { revisionId, versionId, datasetId } = first
  const subject: CheckSubject = revisionId
    ? { kind: 'revision', id: revisionId, ownerId: datasetId ?? '' }
    : { kind: 'version', id: versionId ?? '', ownerId: versionId ?? '' }
  return { subject, parts: rows.map(({ part }) => part) }
}

/** A run as those who follow it see it. */
export interface CheckRun {
  id: string
  orgSlug: string
  projectSlug: string
  /** Of a revision its dataset, or the version. */
  ownerId: string
  subjectId: string
  parts: CheckPart[]
  state: JobState
  progressPct: number | null
  progressMessage: string | null
  cancelRequestedAt: Date | null
  episodeCount: number
  /** What its parts say of it, once it has ended. */
  message: string
}

/** Undefined where its parts were given to another run since. */
export const findRunRecord = async (db: Database, jobId: string): Promise<CheckRun | undefined> => {
  const { rows } = await sql<CheckRun>`
    select job.id, org.slug as "orgSlug", project.slug as "projectSlug", result.subject_id as "subjectId",
      coalesce(revision.dataset_id, version.id) as "ownerId", array_agg(result.part order by result.part desc) as parts,
      job.state, job.progress_pct as "progressPct", job.progress_message as "progressMessage",
      job.cancel_requested_at as "cancelRequestedAt", max(result.message) as message,
      coalesce(max(result.episode_count), (revision.summary->>'total_episodes')::integer, version.episode_count)
        as "episodeCount"
    from jobs job join check_results result on result.job_id = job.id
      left join dataset_revisions revision on revision.id = result.revision_id
      left join datasets dataset on dataset.id = revision.dataset_id
      left join versions version on version.id = result.version_id
      join projects project on project.id = coalesce(dataset.project_id, version.project_id)
      join organizations org on org.id = project.org_id
    where job.id = ${jobId}
    group by job.id, org.id, project.id, result.subject_id, revision.id, version.id`.execute(db)
  return rows[0]
}

/** For `settle`: parts of a run that did not come to its end. */
export const endRun = async (trx: Transaction, jobId: string, state: CheckState, message: string): Promise<void> => {
  await trx
    .updateTable('check_results')
    .set({ state, message: message.slice(0, 2000), updated_at: sql`now()` })
    .where('job_id', '=', jobId)
    .execute()
}

/** One at a time decides whether there is a run for a subject. */
export const lockSubject = async (trx: Transaction, { kind, id }: CheckSubject): Promise<boolean> => {
  const table = kind === 'revision' ? 'dataset_revisions' : 'versions'
  return (await trx.selectFrom(table).select('id').where('id', '=', id).forUpdate().executeTakeFirst()) !== undefined
}

export const findSettings = async (db: Database, ownerId: string): Promise<CheckSettings> => {
  const row = await db
    .selectFrom('check_settings')
    .select(['cut_offs as cutOffs', 'pictures'])
    .where('owner_id', '=', ownerId)
    .executeTakeFirst()
  return row ?? { cutOffs: {}, pictures: 'auto' }
}

export const putSettings = async (
  trx: Transaction,
  subject: CheckSubject,
  { cutOffs, pictures }: CheckSettings,
): Promise<void> => {
  const change = { cut_offs: JSON.stringify(cutOffs), pictures }
  await trx
    .insertInto('check_settings')
    .values({ ...ownerColumns(subject), ...change })
    .onConflict((conflict) => conflict.column('owner_id').doUpdateSet({ ...change, updated_at: sql`now()` }))
    .execute()
}

export const findTraces = async (
  db: Database,
  { ownerId }: CheckSubject,
  identity: Buffer,
): Promise<Buffer | undefined> => {
  const row = await db
    .selectFrom('seen_pictures')
    .select('traces')
    .where('owner_id', '=', ownerId)
    .where('episode_sha256', '=', identity)
    .where('rule_set_version', '=', ruleSetVersion)
    .executeTakeFirst()
  return row?.traces
}

export const putTraces = async (
  trx: Transaction,
  subject: CheckSubject,
  identity: Buffer,
  traces: Buffer,
): Promise<void> => {
  await trx
    .insertInto('seen_pictures')
    .values({ ...ownerColumns(subject), episode_sha256: identity, rule_set_version: ruleSetVersion, traces })
    .onConflict((conflict) =>
      conflict.columns(['owner_id', 'episode_sha256', 'rule_set_version']).doUpdateSet({ traces }),
    )
    .execute()
}

export const findProjectId = async (db: Database, datasetId: string): Promise<string> => {
  const row = await db
    .selectFrom('datasets')
    .select('project_id as projectId')
    .where('id', '=', datasetId)
    .executeTakeFirst()
  return row?.projectId ?? ''
}

export interface EpisodeCopy {
  numbers: Buffer
  /** Of the first of them. */
  datasetId: string
  slug: string
  episodeIndex: number
  count: number
}

/** Episodes that datasets of the project show now, but for one dataset. */
export const listCopies = async (
  db: Database,
  projectId: string,
  exceptDatasetId: string,
  digests: readonly Buffer[],
): Promise<EpisodeCopy[]> => {
  const copies: EpisodeCopy[] = []
  for (let from = 0; from < digests.length; from += rowsAtATime) {
    const { rows } = await sql<EpisodeCopy>`
      select distinct on (identity.numbers_sha256) identity.numbers_sha256 as numbers, dataset.id as "datasetId",
        dataset.slug, identity.episode_index as "episodeIndex", count(*) over (partition by identity.numbers_sha256)::integer as count
      from episode_identities identity join datasets dataset on dataset.current_revision_id = identity.revision_id
      where identity.numbers_sha256 = any(${digests.slice(from, from + rowsAtATime)}::bytea[])
        and dataset.project_id = ${projectId} and dataset.id <> ${exceptDatasetId} and dataset.deletion_requested_at is null
      order by identity.numbers_sha256, dataset.slug, identity.episode_index`.execute(db)
    copies.push(...rows)
  }
  return copies
}

/** The newest revision of a dataset, or the newest before one; with whose storage it counts as. */
export const findEarlierRevision = async (
  db: Database,
  datasetId: string,
  beforeNumber: number | undefined,
): Promise<{ id: string; orgId: string; number: number; readModelDigest: string } | undefined> => {
  const { rows } = await sql<{ id: string; orgId: string; number: number; readModelDigest: string }>`
    select revision.id, project.org_id as "orgId", revision.number, revision.read_model_digest as "readModelDigest"
    from dataset_revisions revision join datasets dataset on dataset.id = revision.dataset_id
      join projects project on project.id = dataset.project_id
    where revision.dataset_id = ${datasetId}
      and (${beforeNumber ?? null}::integer is null or revision.number < ${beforeNumber ?? null}::integer)
    order by revision.number desc limit 1`.execute(db)
  return rows[0]
}

/** For a revision with the same content; what is under way there is not taken over. */
export const copyPictures = async (trx: Transaction, fromId: string, toId: string): Promise<void> => {
  await sql`
    insert into check_results (revision_id, part, state, message, episode_count, rule_set_version, report)
    select ${toId}, part, 'succeeded', '', episode_count, rule_set_version, report from check_results
    where revision_id = ${fromId} and part = 'pictures' and report is not null`.execute(trx)
}

export interface EpisodeIdentity {
  episodeIndex: number
  content: Buffer
  numbers: Buffer | null
}

export const listIdentities = async (db: Database, revisionId: string): Promise<EpisodeIdentity[]> =>
  db
    .selectFrom('episode_identities')
    .select(['episode_index as episodeIndex', 'content_sha256 as content', 'numbers_sha256 as numbers'])
    .where('revision_id', '=', revisionId)
    .orderBy('episode_index')
    .execute()

export const putIdentities = async (
  trx: Transaction,
  revisionId: string,
  identities: readonly EpisodeIdentity[],
): Promise<void> => {
  for (let from = 0; from < identities.length; from += rowsAtATime) {
    const some = identities.slice(from, from + rowsAtATime)
    await sql`
      insert into episode_identities (revision_id, episode_index, content_sha256, numbers_sha256)
      select ${revisionId}, * from unnest(
        ${some.map(({ episodeIndex }) => episodeIndex)}::integer[], ${some.map(({ content }) => content)}::bytea[],
        ${some.map(({ numbers }) => numbers)}::bytea[])
      on conflict do nothing`.execute(trx)
  }
}
