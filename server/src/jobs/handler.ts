import type { Database, Transaction } from '../db/database.ts'
import type { Log } from '../log.ts'
import type { Claim, Job } from './job.ts'
import type { JobResult } from './statements/finish-job.ts'
import type { Progress } from './statements/report-progress.ts'

export interface JobRun {
  db: Database
  job: Job
  /** The fence for whatever the run writes: staging names carry the epoch, `lockClaim` guards other tables. */
  claim: Claim
  /** Aborts on cancel, a lost lease, the deadline, and the end of the program; the run then stops within seconds. */
  signal: AbortSignal
  /** Shows progress; call it as often as you like, it writes at most once a second. */
  report(progress: Progress): void
  log: Log
}

/** What runs a kind of job. One attempt may be repeated at any point by another worker: objects first, rows in `publish`. */
export interface JobHandler {
  kind: string
  /** Longest time of one attempt. */
  deadlineSeconds: number
  run(run: JobRun): Promise<JobResult>
  /** In the transaction in which a job of this kind ends as failed or canceled, whoever ends it. */
  settle?(trx: Transaction, job: Job): Promise<void>
}

export type JobHandlers = ReadonlyMap<string, JobHandler>

export const settleJob = async (handlers: JobHandlers, trx: Transaction, job: Job): Promise<void> => {
  if (job.state === 'failed' || job.state === 'canceled') await handlers.get(job.kind)?.settle?.(trx, job)
}
