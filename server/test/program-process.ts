import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { createApp } from '../src/app.ts'
import { loadConfig } from '../src/config.ts'
import { type Connection, openDatabase } from '../src/db/database.ts'
import { createJobHandlers } from '../src/job-handlers.ts'
import { collectHandlers } from '../src/jobs/index.ts'
import type { LeaseSettings } from '../src/jobs/settings.ts'
import { startWorker } from '../src/jobs/worker.ts'
import { testSecretKey } from './secret-key.ts'

export interface ProgramProcessOptions {
  connection: Connection
  dataFolder: string
  settings: Partial<LeaseSettings>
}

/** API and worker in a process of their own, for tests of what surrounds a process: its disk, its limits. */
const { connection, dataFolder, settings }: ProgramProcessOptions = JSON.parse(process.argv[2] ?? '{}')
const terminated = once(process, 'SIGTERM')
const log = pino({ level: 'silent' })
const config = loadConfig({
  NMP_SECRET_KEY: testSecretKey,
  NMP_DATA_DIR: dataFolder,
  NMP_RATE_LIMIT: '0',
  NMP_LOG_LEVEL: 'silent',
  // Tests give it disks of a few megabytes.
  NMP_DISK_RESERVE_BYTES: '50000',
  NMP_CHECK_PICTURES_MAX_BYTES: '0',
})
const { db, close } = openDatabase({ connection, log })
const server = createServer()
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const publicUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const app = await createApp({ config, log, db, connection, publicUrl })
server.on('request', app.handle)
const handlers = collectHandlers(createJobHandlers(app.context))
const worker = startWorker({ db, connection, handlers, log, concurrency: 1, settings })
process.stdout.write(`${publicUrl}\n`)
await terminated
await worker.stop(0)
server.closeAllConnections()
server.close()
await app.close()
await close()
