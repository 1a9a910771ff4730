/** The thread of request-thread.ts: the routes of the API, asked by messages instead of a socket. */
import { parentPort, workerData } from 'node:worker_threads'
import type { Config } from './config.ts'
import { openDatabase } from './db/database.ts'
import { createRequestMeter } from './http/request-meter.ts'
import { createHttpListener } from './http/server.ts'
import { createAuthenticator } from './identity/authenticate.ts'
import { createLog } from './log.ts'
import { closeContext, openContext } from './open-context.ts'
import { authorize } from './organizations/service.ts'
import type { ThreadAnswer, ThreadData, ThreadQuestion } from './request-messages.ts'
import { routes } from './routes.ts'

const given = workerData as ThreadData
// The rate was limited, the address read and the request logged where it came in.
const quiet = { info: 'warn', debug: 'warn' } as const
const { NMP_LOG_LEVEL: level } = given.config
const config: Config = {
  ...given.config,
  NMP_RATE_LIMIT: 0,
  NMP_TRUST_PROXY: 0,
  NMP_READ_MODEL_CACHE_BYTES: Math.floor(given.config.NMP_READ_MODEL_CACHE_BYTES / 4),
}
const log = createLog(level === 'info' || level === 'debug' ? quiet[level] : level)
const { publicUrl, connection } = given
const database = openDatabase({ connection, log, maxConnections: 4 })
const { db } = database
const context = await openContext({ config, log, db, connection, publicUrl })
const http = await createHttpListener({
  context,
  routes,
  meter: createRequestMeter(context.metrics),
  ...createAuthenticator({ db, secrets: context.secrets, publicUrl, config }),
  authorize: (principal, rule, params) => authorize(db, principal, rule, params),
  mounts: [],
})

parentPort?.on('message', async (question: ThreadQuestion) => {
  if (question === 'end') return end()
  const { status, headers, body } = await http.answer(question.request)
  // In memory of its own, which can be handed over; small answers share theirs with others.
  const bytes = Uint8Array.from(body)
  const answer: ThreadAnswer = { id: question.id, status, headers, body: bytes }
  parentPort?.postMessage(answer, [bytes.buffer])
})

async function end(): Promise<void> {
  parentPort?.close()
  await http.close()
  await closeContext(context)
  await database.close()
}
