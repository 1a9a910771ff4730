/** What a worker did since it started. `/metrics` prints them as they are. */
export interface JobMetrics {
  running: number
  claimed: number
  finished: number
  /** Ended for good without success. */
  failed: number
  /** Put back into the queue after a fault. */
  retried: number
  canceled: number
  released: number
  /** Attempts of this worker that another may have taken over. */
  lost: number
  /** Statements that changed no row because their epoch was no longer the job's. */
  fencedRejections: number
  /** Attempts of lost workers that this one ended. */
  swept: number
}

export const createJobMetrics = (): JobMetrics => ({
  running: 0,
  claimed: 0,
  finished: 0,
  failed: 0,
  retried: 0,
  canceled: 0,
  released: 0,
  lost: 0,
  fencedRejections: 0,
  swept: 0,
})
