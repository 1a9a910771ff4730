/** Timings of the lease protocol. All lease decisions use the database's clock; these are lengths, never moments. */
export interface LeaseSettings {
  /** How long a claim lives without a heartbeat. */
  leaseSeconds: number
  heartbeatSeconds: number
  /** How often each worker looks for expired leases, give or take a fifth. */
  sweepSeconds: number
  /** How often an idle worker looks for jobs, should a wake-up be lost. */
  pollSeconds: number
  backoff: Backoff
  /** Most jobs of one organization that run at a time, so that none starves the others. */
  maxRunningPerOrg: number
}

/** Half of the wait is fixed and half random: retries neither come at once nor all together. */
export interface Backoff {
  baseSeconds: number
  capSeconds: number
}

export const defaultLeaseSettings: LeaseSettings = {
  leaseSeconds: 60,
  heartbeatSeconds: 15,
  sweepSeconds: 15,
  pollSeconds: 2,
  backoff: { baseSeconds: 15, capSeconds: 3600 },
  maxRunningPerOrg: 8,
}

/** A source that says `Retry-After` may put a job off no longer than this. */
export const longestRetryAfterSeconds = 24 * 3600
