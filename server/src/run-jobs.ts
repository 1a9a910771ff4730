import type { Context } from './context.ts'
import type { Connection } from './db/database.ts'
import { startDemo } from './demo/service.ts'
import { createJobHandlers } from './job-handlers.ts'
import { collectHandlers } from './jobs/index.ts'
import { addJobMetrics } from './jobs/meter.ts'
import { announceWorker } from './jobs/presence.ts'
import { startWorker } from './jobs/worker.ts'

export interface RunningJobs {
  /** As jobs name it that it has claimed. */
  name: string
  stop(graceSeconds?: number): Promise<void>
}

/** What a process does that runs jobs; on a new database it makes the demo dataset as well. */
export function runJobs(context: Context, connection: Connection): RunningJobs {
  const { config, db, log, metrics } = context
  const concurrency = config.NMP_JOB_CONCURRENCY
  const handlers = collectHandlers(createJobHandlers(context))
  const worker = startWorker({ db, connection, log, handlers, concurrency })
  addJobMetrics(metrics, worker.metrics)
  const presence = announceWorker(db, { name: worker.name, concurrency }, log)
  const demo = config.NMP_DEMO === 'all' ? startDemo(context) : undefined
  return {
    name: worker.name,
    async stop(graceSeconds) {
      await demo?.stop()
      await worker.stop(graceSeconds)
      await presence.stop()
    },
  }
}
