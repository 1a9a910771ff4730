/** The process of worker-process.ts: jobs and nothing else, on the database of the process that started it, and never without that. */
import { once } from 'node:events'
import { loadConfig } from './config.ts'
import { openDatabase } from './db/database.ts'
import { describeError } from './errors.ts'
import { startHousekeeping } from './housekeeping.ts'
import { createLog } from './log.ts'
import { closeContext, openContext } from './open-context.ts'
import { addProcessMetrics } from './platform/process-meter.ts'
import { runJobs } from './run-jobs.ts'
import type { FromWorker, ToWorker } from './worker-messages.ts'

/** Without its parent it gives its jobs back, within this time. */
const orphanSeconds = 3

const stopAsked = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]).then(() => undefined)
const orphaned = (process.connected ? once(process, 'disconnect') : Promise.resolve()).then(() => {
  setTimeout(() => process.exit(1), orphanSeconds * 1000)
  return 0
})

try {
  await run()
} catch (error) {
  process.stderr.write(`The worker of nmp did not start. ${describeError(error)}\n`)
  process.exit(1)
}

async function run(): Promise<void> {
  const [{ connection, publicUrl, commit }] = (await once(process, 'message')) as [ToWorker & { kind: 'begin' }]
  const loaded = loadConfig()
  const config = { ...loaded, NMP_ROLE: 'worker', NMP_COMMIT: commit ?? loaded.NMP_COMMIT } as const
  const log = createLog(config.NMP_LOG_LEVEL, 'worker')
  const database = openDatabase({ connection, log })
  const context = await openContext({ config, log, db: database.db, connection, publicUrl })
  addProcessMetrics(context.metrics)
  const jobs = runJobs(context, connection)
  const housekeeping = startHousekeeping(context)
  process.on('message', async (message: ToWorker) => {
    if (message.kind === 'metrics') say({ kind: 'metrics', id: message.id, text: await context.metrics.render() })
  })
  say({ kind: 'ready', name: jobs.name })

  const graceSeconds = await Promise.race([stopAsked, orphaned])
  await jobs.stop(graceSeconds)
  await housekeeping.stop()
  await closeContext(context)
  await database.close()
  process.exit(0)
}

function say(message: FromWorker): void {
  // A parent that is gone is noticed by its channel.
  process.send?.(message, () => undefined)
}
