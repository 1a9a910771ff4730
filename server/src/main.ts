import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type App, createApp } from './app.ts'
import { listUnknownSettings, loadConfig } from './config.ts'
import { type ConnectedDatabase, connectDatabase } from './db/connect.ts'
import { recordPublicUrl } from './db/settings.ts'
import { startDemo } from './demo/service.ts'
import { describeError } from './errors.ts'
import { endEventStreams } from './events/event-hub.ts'
import { startHousekeeping } from './housekeeping.ts'
import { dropStalledReaders } from './http/stalled-readers.ts'
import { answerUnreadable } from './http/unreadable-request.ts'
import { createJobHandlers } from './job-handlers.ts'
import { collectHandlers } from './jobs/index.ts'
import { addJobMetrics } from './jobs/meter.ts'
import { startWorker, type Worker } from './jobs/worker.ts'
import { createLog } from './log.ts'
import { renderWelcome } from './welcome.ts'

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
  const config = loadConfig()
  const log = createLog(config.NMP_LOG_LEVEL)
  for (const name of listUnknownSettings()) log.warn({ setting: name }, 'no such setting; it has no effect')

  const database = await connectDatabase(config, log)
  const server = createServer(
    { headersTimeout: 15_000, requestTimeout: 300_000, keepAliveTimeout: 65_000 },
    sayStarting,
  )
  server.on('clientError', answerUnreadable)
  dropStalledReaders(server, config.NMP_READER_SECONDS)
  server.listen(config.NMP_PORT, config.NMP_HOST)
  await once(server, 'listening')
  const address = addressOf(server)
  const publicUrl = config.NMP_PUBLIC_URL ?? address
  const app = await createApp({ config, log, db: database.db, connection: database.connection, publicUrl })
  const worker = config.NMP_ROLE === 'api' ? undefined : startJobs(app, database)
  const housekeeping = startHousekeeping(app.context)
  const demo = config.NMP_DEMO === 'all' && config.NMP_ROLE !== 'api' ? startDemo(app.context) : undefined
  if (config.NMP_ROLE !== 'worker') await recordPublicUrl(database.db, publicUrl)
  server.off('request', sayStarting)
  server.on('request', app.handle)
  process.stdout.write(await renderWelcome(app.context, database.isEmbedded))
  process.stdout.write(`listening on ${address}\n`)

  await stopAsked
  endEventStreams(app.context)
  await drain(server)
  await demo?.stop()
  await worker?.stop()
  await housekeeping.stop()
  await app.close()
  await database.close()
  process.exit(0)
}

function startJobs({ context }: App, { db, connection }: ConnectedDatabase): Worker {
  const { config, log } = context
  const worker = startWorker({
    db,
    connection,
    log,
    handlers: collectHandlers(createJobHandlers(context)),
    concurrency: config.NMP_JOB_CONCURRENCY,
  })
  addJobMetrics(context.metrics, worker.metrics)
  return worker
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
