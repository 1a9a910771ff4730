import { once } from 'node:events'
import { pino } from 'pino'
import { type Connection, openDatabase } from '../../src/db/database.ts'
import { collectHandlers } from '../../src/jobs/index.ts'
import { startWorker } from '../../src/jobs/worker.ts'
import { openStorage } from '../../src/storage/open-storage.ts'
import { chaosSettings, createChaosHandler, type Fence } from './job.ts'

export interface ChaosWorkerOptions {
  connection: Connection
  objectFolder: string
  fence: Fence
  concurrency: number
}

/** A worker process to kill and freeze. It says on standard output what it counted, so that a kill loses little of it. */
const { connection, objectFolder, fence, concurrency }: ChaosWorkerOptions = JSON.parse(process.argv[2] ?? '{}')
const terminated = once(process, 'SIGTERM')
const log = pino({ level: 'fatal' }, process.stderr)
const storage = await openStorage({
  kind: 'folder',
  folder: objectFolder,
  signingKey: 'chaos',
  publicUrl: 'http://localhost',
})
const { db, close } = openDatabase({ connection, log, maxConnections: concurrency + 2 })
const handlers = collectHandlers([createChaosHandler(storage, fence)])
const worker = startWorker({ db, connection, handlers, log, concurrency, settings: chaosSettings })

let said = ''
const say = (): void => {
  const line = JSON.stringify(worker.metrics)
  if (line !== said) process.stdout.write(`${line}\n`)
  said = line
}
const saying = setInterval(say, 50)
say()
await terminated
await worker.stop(2)
clearInterval(saying)
say()
await close()
await storage.close()
