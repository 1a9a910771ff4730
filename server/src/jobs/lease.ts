import type { Database } from '../db/database.ts'
import { describeError } from '../errors.ts'
import type { Log } from '../log.ts'
import { claimOf, type Job } from './job.ts'
import type { JobMetrics } from './metrics.ts'
import type { LeaseSettings } from './settings.ts'
import { beatHeart } from './statements/heartbeat.ts'
import { type Progress, reportProgress } from './statements/report-progress.ts'

/** Why a run is told to stop; the reason of its signal. */
export class JobStop extends Error {
  readonly why: 'canceled' | 'lost' | 'deadline' | 'released'

  constructor(why: JobStop['why']) {
    super(`the job was stopped: ${why}`)
    this.name = 'JobStop'
    this.why = why
  }
}

export interface Lease {
  signal: AbortSignal
  stop(why: JobStop['why']): void
  /** Asks the database at once, as after word of a cancel. */
  beat(): Promise<void>
  report(progress: Progress): void
  /** No more beats and reports; waits for the one under way. */
  end(): Promise<void>
}

interface LeaseOptions {
  db: Database
  job: Job
  settings: LeaseSettings
  deadlineSeconds: number
  metrics: JobMetrics
  log: Log
}

const reportMilliseconds = 600

/**
 * Keeps a claim alive and tells its run when to stop. A run without a heartbeat for two thirds of the lease stops by
 * itself, on the monotonic clock: it saves work that nobody would take. Who may write is the epoch's business alone.
 */
export const holdLease = ({ db, job, settings, deadlineSeconds, metrics, log }: LeaseOptions): Lease => {
  const claim = claimOf(job)
  const controller = new AbortController()
  const { leaseSeconds, heartbeatSeconds } = settings
  let isEnded = false
  let heardAt = performance.now()
  let beating: Promise<void> | undefined
  let isReporting = false
  let pending: Progress | undefined

  const stop = (why: JobStop['why']): void => {
    if (!isEnded && !controller.signal.aborted) controller.abort(new JobStop(why))
  }
  const refuse = (): void => {
    if (isEnded) return
    metrics.fencedRejections += 1
    stop('lost')
  }

  const ask = async (): Promise<void> => {
    const askedAt = performance.now()
    try {
      const pulse = await beatHeart(db, claim, leaseSeconds)
      if (!pulse) return refuse()
      heardAt = askedAt
      if (pulse.cancelRequested) stop('canceled')
      else if (pulse.pastDeadline) stop('deadline')
    } catch (error) {
      log.warn({ job: job.id, error: describeError(error) }, 'a heartbeat did not arrive')
    }
  }
  const beat = (): Promise<void> => {
    beating ??= ask().finally(() => {
      beating = undefined
    })
    return beating
  }

  const flush = async (): Promise<void> => {
    while (pending && !isEnded) {
      const progress = pending
      pending = undefined
      try {
        if (!(await reportProgress(db, claim, progress))) return refuse()
      } catch (error) {
        log.warn({ job: job.id, error: describeError(error) }, 'progress could not be written')
      }
      await new Promise((resolve) => setTimeout(resolve, reportMilliseconds).unref())
    }
  }

  const beats = setInterval(() => void beat(), heartbeatSeconds * 1000)
  const watch = setInterval(
    () => {
      if (performance.now() - heardAt > (leaseSeconds * 2000) / 3) stop('lost')
    },
    Math.min(1000, leaseSeconds * 100),
  )
  const deadline = setTimeout(() => stop('deadline'), Math.min(deadlineSeconds * 1000, 2 ** 31 - 1))

  return {
    signal: controller.signal,
    stop,
    beat,
    report: (progress) => {
      pending = { ...pending, ...progress }
      if (isReporting) return
      isReporting = true
      void flush().finally(() => {
        isReporting = false
      })
    },
    end: async () => {
      isEnded = true
      clearInterval(beats)
      clearInterval(watch)
      clearTimeout(deadline)
      await beating
    },
  }
}
