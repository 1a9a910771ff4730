import { sql } from 'kysely'
import type { ConsistencyStatus, JobState } from './tables.ts'

export interface Job {
  id: string
  orgId: string
  kind: string
  state: JobState
  claimEpoch: number
  claimedBy: string | null
  claimedAt: Date | null
  claimExpiresAt: Date | null
  lastHeartbeatAt: Date | null
  deadlineAt: Date | null
  attemptCount: number
  maxAttempts: number
  retryAfter: Date | null
  cancelRequestedAt: Date | null
  progressPct: number | null
  progressPhase: string | null
  progressMessage: string | null
  downloadedBytes: number | null
  totalBytes: number | null
  lastError: string | null
  errorCode: string | null
  errorMessage: string | null
  resultDigest: string | null
  resultEpoch: number | null
  consistencyStatus: ConsistencyStatus
  consistencyCheckedAt: Date | null
  consistencyError: string | null
  retryOf: string | null
  createdAt: Date
  updatedAt: Date
  startedAt: Date | null
  finishedAt: Date | null
}

/** One attempt's right to write: a job's row takes a worker's word only while it is running at this epoch. */
export interface Claim {
  id: string
  epoch: number
}

export const claimOf = (job: Job): Claim => ({ id: job.id, epoch: job.claimEpoch })

/** The fence. Every statement of a worker carries it. */
export const holdsClaim = ({ id, epoch }: Claim) => sql`id = ${id} and state = 'running' and claim_epoch = ${epoch}`

const columns: Record<keyof Job, string> = {
  id: 'id',
  orgId: 'org_id',
  kind: 'kind',
  state: 'state',
  claimEpoch: 'claim_epoch',
  claimedBy: 'claimed_by',
  claimedAt: 'claimed_at',
  claimExpiresAt: 'claim_expires_at',
  lastHeartbeatAt: 'last_heartbeat_at',
  deadlineAt: 'deadline_at',
  attemptCount: 'attempt_count',
  maxAttempts: 'max_attempts',
  retryAfter: 'retry_after',
  cancelRequestedAt: 'cancel_requested_at',
  progressPct: 'progress_pct',
  progressPhase: 'progress_phase',
  progressMessage: 'progress_message',
  downloadedBytes: 'downloaded_bytes',
  totalBytes: 'total_bytes',
  lastError: 'last_error',
  errorCode: 'error_code',
  errorMessage: 'error_message',
  resultDigest: 'result_digest',
  resultEpoch: 'result_epoch',
  consistencyStatus: 'consistency_status',
  consistencyCheckedAt: 'consistency_checked_at',
  consistencyError: 'consistency_error',
  retryOf: 'retry_of',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  startedAt: 'started_at',
  finishedAt: 'finished_at',
}

/** A row of `jobs` as a `Job`, for `select` and `returning`. */
export const jobColumns = sql.raw<Job>(
  Object.entries(columns)
    .map(([name, column]) => `jobs.${column} as "${name}"`)
    .join(', '),
)
