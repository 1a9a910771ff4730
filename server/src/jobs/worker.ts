import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Connection, type Database, inTransaction } from '../db/database.ts'
import { describeError } from '../errors.ts'
import type { Log } from '../log.ts'
import { runAttempt } from './attempt.ts'
import { createClaimer } from './claimer.ts'
import { createFinisher } from './finisher.ts'
import { type JobHandlers, settleJob } from './handler.ts'
import type { Job } from './job.ts'
import { holdLease, type Lease } from './lease.ts'
import { createJobMetrics, type JobMetrics } from './metrics.ts'
import { defaultLeaseSettings, type LeaseSettings } from './settings.ts'
import { claimJobs } from './statements/claim-jobs.ts'
import { sweepJobs } from './statements/sweep-jobs.ts'
import { openWakeUp } from './wake-up.ts'

interface WorkerOptions {
  db: Database
  /** For the listening connection, which stands outside the pool. */
  connection: Connection
  handlers: JobHandlers
  log: Log
  concurrency: number
  settings?: Partial<LeaseSettings>
  /** Shown as `claimed_by`. */
  name?: string
}

export interface Worker {
  name: string
  metrics: JobMetrics
  /** Takes no more jobs, lets those under way end for `graceSeconds`, gives the rest back, and waits for it. */
  stop(graceSeconds?: number): Promise<void>
}

const stopSeconds = 20

/** Claims jobs as slots come free and runs them. Every worker also sweeps, so lost workers need no master to be noticed. */
export const startWorker = (options: WorkerOptions): Worker => {
  const { db, connection, handlers, log, concurrency, name = `${hostname()}:${process.pid}` } = options
  const settings = { ...defaultLeaseSettings, ...options.settings }
  const metrics = createJobMetrics()
  const finisher = createFinisher(db)
  const attempts = new Set<{ job: Job; lease: Lease; ended: Promise<void> }>()
  const deadlineSecondsByKind = Object.fromEntries(
    [...handlers].map(([kind, handler]) => [kind, handler.deadlineSeconds]),
  )
  let isStopping = false
  let busySlots = 0

  const begin = (job: Job): void => {
    const handler = handlers.get(job.kind)
    if (!handler) return
    const { deadlineSeconds } = handler
    const lease = holdLease({ db, job, settings, deadlineSeconds, metrics, log })
    metrics.claimed += 1
    metrics.running += 1
    busySlots += 1
    // The slot is free when the run is over: the next job need not wait for the last one's commit.
    const onRunEnd = (): void => {
      busySlots -= 1
      claimer.rouse()
    }
    const attempt = { job, lease, ended: Promise.resolve() }
    attempts.add(attempt)
    attempt.ended = runAttempt({
      db,
      job,
      handler,
      handlers,
      lease,
      finisher,
      onRunEnd,
      settings,
      metrics,
      log,
    }).finally(() => {
      metrics.running -= 1
      attempts.delete(attempt)
      claimer.rouse()
    })
    if (isStopping) lease.stop('released')
  }

  const claim = async (count: number): Promise<number> => {
    const { leaseSeconds, maxRunningPerOrg } = settings
    try {
      const jobs = await claimJobs(db, {
        workerName: name,
        deadlineSecondsByKind,
        leaseSeconds,
        maxRunningPerOrg,
        count,
      })
      for (const job of jobs) begin(job)
      return jobs.length
    } catch (error) {
      log.warn({ error: describeError(error) }, 'no jobs could be claimed')
      return 0
    }
  }
  const claimer = createClaimer({
    countRoom: () => (handlers.size === 0 ? 0 : Math.min(concurrency - busySlots, concurrency * 2 - attempts.size)),
    claim,
  })

  const sweep = async (): Promise<void> => {
    try {
      const swept = await inTransaction(db, async (trx) => {
        const jobs = await sweepJobs(trx, settings.backoff)
        for (const job of jobs) await settleJob(handlers, trx, job)
        return jobs
      })
      metrics.swept += swept.length
      for (const job of swept)
        log.warn({ job: job.id, state: job.state, error: job.lastError }, 'a lost attempt was ended')
    } catch (error) {
      log.warn({ error: describeError(error) }, 'the sweep for lost attempts failed')
    }
    if (!isStopping) planSweep()
  }
  let sweeper: NodeJS.Timeout | undefined
  const planSweep = (): void => {
    sweeper = setTimeout(() => {
      sweeping = sweep()
    }, vary(settings.sweepSeconds) * 1000)
  }
  // One that takes the place of a dead one finds what that left behind.
  let sweeping = sweep()

  const wakeUp = openWakeUp({
    connection,
    log,
    onListening: () => {
      claimer.rouse()
      for (const { lease } of attempts) void lease.beat()
    },
    onQueued: claimer.rouse,
    onCanceled: (id) => {
      for (const { job, lease } of attempts) if (job.id === id) void lease.beat()
    },
  })
  const poll = setInterval(claimer.rouse, vary(settings.pollSeconds) * 1000)
  claimer.rouse()

  return {
    name,
    metrics,
    stop: async (graceSeconds = 5) => {
      isStopping = true
      clearTimeout(sweeper)
      clearInterval(poll)
      await claimer.stop()
      const ends = Promise.all([...attempts].map(({ ended }) => ended))
      await Promise.race([ends, sleep(graceSeconds * 1000, undefined, { ref: false })])
      for (const { lease } of attempts) lease.stop('released')
      // A run that does not heed its signal is left behind; its lease expires.
      await Promise.race([ends, sleep(stopSeconds * 1000, undefined, { ref: false })])
      await sweeping
      await wakeUp.close()
    },
  }
}

const vary = (seconds: number): number => seconds * (0.8 + Math.random() * 0.4)
