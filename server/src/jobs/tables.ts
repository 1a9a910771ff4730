import type { Generated } from 'kysely'

export type JobState = 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled'

export type ConsistencyStatus = 'unknown' | 'ok' | 'missing_artifact' | 'checksum_mismatch' | 'orphaned' | 'error'

export interface JobTable {
  id: string
  org_id: string
  kind: string
  state: Generated<JobState>
  priority: Generated<number>
  claim_epoch: Generated<number>
  claimed_by: string | null
  claimed_at: Date | null
  claim_expires_at: Date | null
  last_heartbeat_at: Date | null
  deadline_at: Date | null
  attempt_count: Generated<number>
  max_attempts: Generated<number>
  retry_after: Date | null
  cancel_requested_at: Date | null
  progress_pct: number | null
  progress_phase: string | null
  progress_message: string | null
  downloaded_bytes: number | null
  total_bytes: number | null
  last_error: string | null
  error_code: string | null
  error_message: string | null
  result_digest: string | null
  result_epoch: number | null
  consistency_status: Generated<ConsistencyStatus>
  consistency_checked_at: Date | null
  consistency_error: string | null
  retry_of: string | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
  started_at: Date | null
  finished_at: Date | null
}

export interface JobTables {
  jobs: JobTable
}
