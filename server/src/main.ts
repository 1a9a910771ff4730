import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApp } from './app.ts'
import { holdEntries } from './catalog/held-entries.ts'
import { listUnknownSettings, loadConfig } from './config.ts'
import type { Context } from './context.ts'
import { connectDatabase } from './db/connect.ts'
import type { Connection } from './db/database.ts'
import { recordPublicUrl } from './db/settings.ts'
import { describeError } from './errors.ts'
import { endEventStreams } from './events/event-hub.ts'
import { startHousekeeping } from './housekeeping.ts'
import { closeLingering } from './http/bodies/lingering-close.ts'
import { dropStalledReaders } from './http/bodies/stalled-readers.ts'
import { answerUnreadable } from './http/unreadable-request.ts'
import { forgetWorker } from './jobs/presence.ts'
import { expireClaims } from './jobs/statements/expire-claims.ts'
import { createLog } from './log.ts'
import { checkSandbox } from './platform/sandbox.ts'
import { runJobs } from './run-jobs.ts'
import { stopInOrder } from './stop-in-order.ts'
import { describeStorage } from './storage/describe-storage.ts'
import { checkBucket } from './storage/s3/bucket-check.ts'
import { renderWelcome } from './welcome.ts'
import { startWorkerProcess, type WorkerProcess } from './worker-process.ts'

const drainSeconds = 10

try {
  await run()
} catch (error) {
  process.stderr.write(`nmp did not start. ${describeError(error)}\n`)
  // The socket and the database may be open already and would keep the process; PostgreSQL stops when its last user is gone.
  process.exit(1)
}

async function run(): Promise<void> {
  const stopAsked = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')])
  const loaded = loadConfig()
  const workerCount = loaded.NMP_ROLE === 'all' ? loaded.NMP_WORKER_PROCESSES : 0
  const config = workerCount > 0 ? ({ ...loaded, NMP_ROLE: 'api' } as const) : loaded
  const log = createLog(config.NMP_LOG_LEVEL)
  for (const name of listUnknownSettings()) log.warn({ setting: name }, 'no such setting; it has no effect')
  await checkSandbox(config, log)
  const objects = describeStorage(config, '', '')
  if (objects.kind === 's3') await checkBucket(objects, log)

  const database = await connectDatabase(config, log)
  const server = createServer(
    { headersTimeout: 15_000, requestTimeout: 300_000, keepAliveTimeout: 65_000 },
    sayStarting,
  )
  server.on('clientError', answerUnreadable)
  dropStalledReaders(server, config.NMP_READER_SECONDS)
  closeLingering(server)
  server.listen(config.NMP_PORT, config.NMP_HOST)
  await once(server, 'listening')
  const address = addressOf(server)
  const publicUrl = config.NMP_PUBLIC_URL ?? address
  const app = await createApp({ config, log, db: database.db, connection: database.connection, publicUrl })
  const jobs = config.NMP_ROLE === 'api' ? undefined : runJobs(app.context, database.connection)
  const housekeeping = startHousekeeping(app.context)
  if (config.NMP_ROLE !== 'worker') await recordPublicUrl(database.db, publicUrl)
  server.off('request', sayStarting)
  server.on('request', app.handle)
  process.stdout.write(await renderWelcome(app.context, database.isEmbedded))
  process.stdout.write(`listening on ${address}\n`)
  const workers = startWorkers(app.context, database.connection, workerCount)
  if (config.NMP_ROLE !== 'worker')
    holdEntries(app.context).catch((error: unknown) =>
      log.warn({ error: describeError(error) }, 'no entries are held yet'),
    )

  await stopAsked
  const workersEnded = Promise.all(workers.map((worker) => worker.stop()))
  endEventStreams(app.context)
  const hasStopped = await stopInOrder(
    {
      'requests and jobs': () => Promise.all([drain(server), jobs?.stop(), workersEnded]),
      housekeeping: () => housekeeping.stop(),
      app: () => app.close(),
      database: () => database.close(),
    },
    log,
  )
  process.exit(hasStopped ? 0 : 1)
}

/** Beside this process, once it listens: its first answer waits for none of them. */
function startWorkers(context: Context, connection: Connection, count: number): WorkerProcess[] {
  const { db, log, metrics, publicUrl, commit } = context
  if (count === 0) return []
  const onLost = async (name: string): Promise<void> => {
    await expireClaims(db, name)
    await forgetWorker(db, name)
  }
  const begin = { kind: 'begin', connection, publicUrl, commit } as const
  const workers = Array.from({ length: count }, () => startWorkerProcess({ begin, log, onLost }))
  for (const [index, worker] of workers.entries())
    metrics.addSource({ process: count === 1 ? 'worker' : `worker-${index + 1}` }, worker.readMetrics)
  metrics.addReading('nmp_worker_processes', 'gauge', () => workers.filter((worker) => worker.isRunning()).length)
  metrics.addReading('nmp_worker_restarts_total', 'counter', () =>
    workers.reduce((total, worker) => total + worker.restartCount(), 0),
  )
  return workers
}

/** The socket is open before the program is ready, since its own address is part of what it is made of. */
function sayStarting(_request: unknown, response: ServerResponse): void {
  response.writeHead(503, { 'retry-after': '1', 'content-type': 'application/json' })
  response.end(JSON.stringify({ detail: 'The program is starting.', code: 'not_ready', request_id: '' }))
}

function addressOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo
  const host = family === 'IPv6' ? `[${address}]` : address
  return `http://${host === '0.0.0.0' || host === '[::]' ? 'localhost' : host}:${port}`
}

/** No new requests; those under way may finish, within bounds. */
async function drain(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), drainSeconds * 1000)
  const idle = setInterval(() => server.closeIdleConnections(), 100)
  await closed
  clearTimeout(timer)
  clearInterval(idle)
}
