import type { ColumnType, Generated } from 'kysely'

export interface StoredFinding {
  path: string
  fault: string
  sentence: string
}

export interface ConsistencyTables {
  consistency_checks: {
    job_id: string
    content_checked_at: Date | null
    error_count: Generated<number>
    findings: ColumnType<StoredFinding[], string | undefined, string>
  }
}
