import { once } from 'node:events'
import { pino } from 'pino'
import { createApp } from '../src/app.ts'
import { loadConfig } from '../src/config.ts'
import { type Connection, openDatabase } from '../src/db/database.ts'
import { createJobHandlers } from '../src/job-handlers.ts'
import type { JobHandler } from '../src/jobs/handler.ts'
import { collectHandlers } from '../src/jobs/index.ts'
import type { LeaseSettings } from '../src/jobs/settings.ts'
import { startWorker } from '../src/jobs/worker.ts'
import { testSecretKey } from './secret-key.ts'

/** Where a worker is struck: when it first says that it is in this phase, with such a message. */
export interface Trap {
  phase: string
  message?: string
  signal: 'SIGKILL' | 'SIGSTOP'
}

export interface JobWorkerOptions {
  connection: Connection
  dataFolder: string
  settings: Partial<LeaseSettings>
  concurrency: number
  env?: Record<string, string>
  trap?: Trap
}

/** A worker process of the real program, for tests that kill it. */
const options: JobWorkerOptions = JSON.parse(process.argv[2] ?? '{}')
const { connection, dataFolder, settings, concurrency, env, trap } = options

/** The signal comes from inside, at the very call: from outside a short phase would be missed. */
const layTrap = (handler: JobHandler, { phase, message = '', signal }: Trap): JobHandler => {
  let isSprung = false
  return {
    ...handler,
    run: (run) =>
      handler.run({
        ...run,
        report(progress) {
          run.report(progress)
          if (isSprung || progress.phase !== phase || !progress.message?.includes(message)) return
          isSprung = true
          process.kill(process.pid, signal)
        },
      }),
  }
}

const terminated = once(process, 'SIGTERM')
const log = pino({ level: 'fatal' }, process.stderr)
const config = loadConfig({
  NMP_ROLE: 'worker',
  NMP_SECRET_KEY: testSecretKey,
  NMP_DATA_DIR: dataFolder,
  NMP_CHECK_PICTURES_MAX_BYTES: '0',
  ...env,
})
const { db, close } = openDatabase({ connection, log })
const app = await createApp({ config, log, db, publicUrl: 'http://localhost' })
const handlers = createJobHandlers(app.context).map((handler) => (trap ? layTrap(handler, trap) : handler))
const worker = startWorker({ db, connection, handlers: collectHandlers(handlers), log, concurrency, settings })
process.stdout.write('working\n')
await terminated
await worker.stop(2)
await app.close()
await close()
