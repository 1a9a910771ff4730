import type { ColumnType } from 'kysely'

export interface SignalTables {
  dataset_signals: {
    dataset_id: string
    state_column: string | null
    action_column: string | null
    job_id: string | null
    changed_by: string | null
    updated_at: ColumnType<Date, Date | string | undefined, Date | string>
  }
}
