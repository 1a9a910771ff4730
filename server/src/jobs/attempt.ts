import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, inTransaction, isConnectionError } from '../db/database.ts'
import { describeError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Finisher } from './finisher.ts'
import { type JobHandler, type JobHandlers, settleJob } from './handler.ts'
import { type Claim, claimOf, type Job } from './job.ts'
import { JobStop, type Lease } from './lease.ts'
import type { JobMetrics } from './metrics.ts'
import { explainFailure } from './retry-rule.ts'
import type { LeaseSettings } from './settings.ts'
import { acknowledgeCancel } from './statements/cancel-job.ts'
import { failJob } from './statements/fail-job.ts'
import { finishJob, type JobResult } from './statements/finish-job.ts'
import { releaseJob } from './statements/release-job.ts'
import { deadlineSentence } from './statements/sweep-jobs.ts'

interface AttemptOptions {
  db: Database
  job: Job
  handler: JobHandler
  handlers: JobHandlers
  lease: Lease
  finisher: Finisher
  /** The run itself is over, and only its end is to be written. */
  onRunEnd(): void
  settings: LeaseSettings
  metrics: JobMetrics
  log: Log
}

/** Runs one claimed job to its end. Never throws: whatever cannot be written is left to the sweep. */
export const runAttempt = async (options: AttemptOptions): Promise<void> => {
  const { db, job, handler, lease, metrics, log } = options
  const claim = claimOf(job)
  try {
    const { signal, report } = lease
    const result = await handler.run({ db, job, claim, signal, report, log }).finally(options.onRunEnd)
    await finish(options, claim, result)
  } catch (error) {
    const stopped = signal(lease)
    if (!stopped) log.warn({ job: job.id, epoch: claim.epoch, error: describeError(error) }, 'an attempt failed')
    if (stopped?.why === 'lost') metrics.lost += 1
    else await writeEnd(options, () => endAttempt(options, claim, stopped, error))
  } finally {
    await lease.end()
  }
}

const signal = (lease: Lease): JobStop | undefined =>
  lease.signal.reason instanceof JobStop ? lease.signal.reason : undefined

/** A result is offered also after a stop by the clock: if the claim still holds it counts, and if not the fence refuses it. */
const finish = async (options: AttemptOptions, claim: Claim, result: JobResult): Promise<void> => {
  const { db, finisher, metrics, settings } = options
  const outcome = await finishJob(db, claim, result, { patienceSeconds: settings.leaseSeconds, finisher }).catch(
    async (error) => {
      // A commit whose answer was lost may have arrived; after any other fault it was rolled back.
      if (!isConnectionError(error)) await result.discard?.(error)
      throw error
    },
  )
  if (outcome !== 'finished') await result.discard?.()
  if (outcome === 'finished') metrics.finished += 1
  else if (outcome === 'cancel_pending')
    await writeEnd(options, () => endAttempt(options, claim, new JobStop('canceled')))
  else {
    metrics.lost += 1
    metrics.fencedRejections += 1
  }
}

const endAttempt = (options: AttemptOptions, claim: Claim, stop?: JobStop, error?: unknown) =>
  inTransaction(options.db, async (trx) => {
    const ended = await endStatement(trx, claim, options, stop, error)
    if (ended) await settleJob(options.handlers, trx, ended)
    return ended
  })

const endStatement = (
  db: Database,
  claim: Claim,
  { job, settings: { backoff } }: AttemptOptions,
  stop?: JobStop,
  error?: unknown,
): Promise<Job | undefined> => {
  if (stop?.why === 'canceled') return acknowledgeCancel(db, claim)
  if (stop?.why === 'released') return releaseJob(db, claim)
  if (stop?.why === 'deadline') {
    return failJob(db, claim, { retryable: false, code: 'deadline_exceeded', sentence: deadlineSentence }, backoff)
  }
  return failJob(db, claim, explainFailure(error, job.attemptCount), backoff)
}

/** Tries again while the database is away: the fence makes a second try of a write that did arrive harmless. */
const writeEnd = async (options: AttemptOptions, write: () => Promise<Job | undefined>): Promise<void> => {
  const { job, lease, metrics, settings, log } = options
  const deadline = performance.now() + settings.leaseSeconds * 1000
  for (;;) {
    try {
      const ended = await write()
      if (ended) countEnd(metrics, ended, signal(lease))
      else {
        metrics.lost += 1
        metrics.fencedRejections += 1
      }
      return
    } catch (error) {
      if (!isConnectionError(error) || performance.now() > deadline) {
        log.error({ job: job.id, error: describeError(error) }, 'the end of an attempt could not be written')
        metrics.lost += 1
        return
      }
      await sleep(200)
    }
  }
}

const countEnd = (metrics: JobMetrics, { state }: Job, stop: JobStop | undefined): void => {
  if (state === 'canceled') metrics.canceled += 1
  else if (state === 'failed') metrics.failed += 1
  else if (stop?.why === 'released') metrics.released += 1
  else metrics.retried += 1
}
