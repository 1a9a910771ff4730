import type { ColumnType } from 'kysely'

export interface DiffTables {
  fingerprint_runs: {
    job_id: string
    /** The revision, the version, or the export whose files are read. */
    subject_id: string
    /** The dataset or version that it is read by. */
    dataset_id: string
    created_at: ColumnType<Date, Date | string | undefined, never>
  }
}
