import { once } from 'node:events'
import { pino } from 'pino'
import { createApp } from '../src/app.ts'
import { loadConfig } from '../src/config.ts'
import { type Connection, openDatabase } from '../src/db/database.ts'
import { createJobHandlers } from '../src/job-handlers.ts'
import { collectHandlers } from '../src/jobs/index.ts'
import type { LeaseSettings } from '../src/jobs/settings.ts'
import { startWorker } from '../src/jobs/worker.ts'

export interface JobWorkerOptions {
  connection: Connection
  dataFolder: string
  settings: Partial<LeaseSettings>
  concurrency: number
}

/** A worker process of the real program, for tests that kill it. */
const { connection, dataFolder, settings, concurrency }: JobWorkerOptions = JSON.parse(process.argv[2] ?? '{}')
const terminated = once(process, 'SIGTERM')
const log = pino({ level: 'fatal' }, process.stderr)
const config = loadConfig({ NMP_ROLE: 'worker', NMP_DATA_DIR: dataFolder })
const { db, close } = openDatabase({ connection, log })
const app = await createApp({ config, log, db, publicUrl: 'http://localhost' })
const handlers = collectHandlers(createJobHandlers(app.context))
const worker = startWorker({ db, connection, handlers, log, concurrency, settings })
process.stdout.write('working\n')
await terminated
await worker.stop(2)
await app.close()
await close()
