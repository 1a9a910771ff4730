import { sql } from 'kysely'
import type { Database, Transaction } from '../db/database.ts'
import type { JobState } from '../jobs/tables.ts'

export interface FingerprintRun {
  jobId: string
  state: JobState
  progressPct: number | null
  errorMessage: string | null
}

/** The newest of a subject. */
export const findRun = async (db: Database, subjectId: string): Promise<FingerprintRun | undefined> => {
  const { rows } = await sql<FingerprintRun>`
    select run.job_id as "jobId", job.state, job.progress_pct as "progressPct", job.error_message as "errorMessage"
    from fingerprint_runs run join jobs job on job.id = run.job_id
    where run.subject_id = ${subjectId} order by run.created_at desc, run.job_id desc limit 1`.execute(db)
  return rows[0]
}

export const findSubject = (
  db: Database,
  jobId: string,
): Promise<{ subjectId: string; datasetId: string } | undefined> =>
  db
    .selectFrom('fingerprint_runs')
    .select(['subject_id as subjectId', 'dataset_id as datasetId'])
    .where('job_id', '=', jobId)
    .executeTakeFirst()

export const insertRun = async (
  trx: Transaction,
  run: { jobId: string; subjectId: string; datasetId: string },
): Promise<void> => {
  await trx
    .insertInto('fingerprint_runs')
    .values({ job_id: run.jobId, subject_id: run.subjectId, dataset_id: run.datasetId })
    .execute()
}

/** One at a time decides whether there is a run for a subject. */
export const lockSubject = async (trx: Transaction, subjectId: string): Promise<void> => {
  await sql`select pg_advisory_xact_lock(hashtextextended('fingerprints ' || ${subjectId}, 0))`.execute(trx)
}

/** Whether everybody may read a revision of a public dataset. */
export const isPublicRevision = async (db: Database, revisionId: string): Promise<boolean> => {
  const row = await db
    .selectFrom('dataset_revisions')
    .select('is_public as isPublic')
    .where('id', '=', revisionId)
    .executeTakeFirst()
  return row?.isPublic ?? false
}
