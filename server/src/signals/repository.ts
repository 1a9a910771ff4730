import { type SignalRoles, toRoles } from '@nmp/formats/signal-roles'
import { sql } from 'kysely'
import type { Database, Transaction } from '../db/database.ts'
import type { JobState } from '../jobs/tables.ts'

/** What people have said of a dataset's state and action, and where the job stands that measures it by that. */
export interface SignalSetting {
  datasetId: string
  state: string | null
  action: string | null
  changedBy: string | null
  jobId: string | null
  jobState: JobState | null
  progressPct: number | null
  progressMessage: string | null
  errorMessage: string | null
}

const select = sql`
  select s.dataset_id as "datasetId", s.state_column as state, s.action_column as action, s.changed_by as "changedBy",
    s.job_id as "jobId", j.state as "jobState", j.progress_pct as "progressPct", j.progress_message as "progressMessage",
    j.error_message as "errorMessage"
  from dataset_signals s left join jobs j on j.id = s.job_id`

export const findSetting = async (db: Database, datasetId: string): Promise<SignalSetting | undefined> => {
  const { rows } = await sql<SignalSetting>`${select} where s.dataset_id = ${datasetId}`.execute(db)
  return rows[0]
}

/** Undefined once another job was queued in its place. */
export const findByJob = async (db: Database, jobId: string): Promise<SignalSetting | undefined> => {
  const { rows } = await sql<SignalSetting>`${select} where s.job_id = ${jobId}`.execute(db)
  return rows[0]
}

export const findRoles = async (db: Database, datasetId: string): Promise<SignalRoles | undefined> => {
  const setting = await findSetting(db, datasetId)
  return toRoles(setting?.state, setting?.action)
}

export const putRoles = async (
  trx: Transaction,
  datasetId: string,
  { state, action, userId }: { state: string | null; action: string | null; userId: string | null },
): Promise<void> => {
  const change = { state_column: state, action_column: action, changed_by: userId }
  await trx
    .insertInto('dataset_signals')
    .values({ dataset_id: datasetId, ...change })
    .onConflict((conflict) => conflict.column('dataset_id').doUpdateSet({ ...change, updated_at: sql`now()` }))
    .execute()
}

export const putJob = async (trx: Transaction, datasetId: string, jobId: string | null): Promise<void> => {
  await trx
    .insertInto('dataset_signals')
    .values({ dataset_id: datasetId, job_id: jobId })
    .onConflict((conflict) => conflict.column('dataset_id').doUpdateSet({ job_id: jobId }))
    .execute()
}

/** The dataset that is measured, and which revision it shows. */
export interface MeasuredDataset {
  projectId: string
  slug: string
  currentRevisionId: string
  isDeleting: boolean
}

/** Locked: no other revision is published until the transaction ends. */
export const lockMeasured = async (trx: Database, datasetId: string): Promise<MeasuredDataset | undefined> => {
  const { rows } = await sql<MeasuredDataset>`
    select project_id as "projectId", slug, current_revision_id as "currentRevisionId",
      deletion_requested_at is not null as "isDeleting"
    from datasets where id = ${datasetId} for update`.execute(trx)
  return rows[0]
}

/** What was dismissed of a revision is dismissed of the one with the same files. */
export const moveDismissed = async (trx: Transaction, fromRevision: string, toRevision: string): Promise<void> => {
  await trx
    .updateTable('datasets')
    .set({ losses_dismissed_revision_id: toRevision })
    .where('losses_dismissed_revision_id', '=', fromRevision)
    .execute()
}
