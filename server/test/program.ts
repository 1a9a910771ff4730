import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { Scope } from '../src/access/scopes.ts'
import { createApp } from '../src/app.ts'
import { loadConfig } from '../src/config.ts'
import type { Context } from '../src/context.ts'
import { inTransaction } from '../src/db/database.ts'
import { createLocalAccount } from '../src/identity/local-accounts.ts'
import { signOperatorSession } from '../src/identity/sessions.ts'
import { createToken } from '../src/identity/tokens/service.ts'
import { createUser, type User } from '../src/identity/users/service.ts'
import { createJobHandlers } from '../src/job-handlers.ts'
import { collectHandlers } from '../src/jobs/index.ts'
import { announceWorker } from '../src/jobs/presence.ts'
import type { LeaseSettings } from '../src/jobs/settings.ts'
import { startWorker, type Worker } from '../src/jobs/worker.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { checkResponse } from './response-check.ts'
import { testSecretKey } from './secret-key.ts'

export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: what a stranger gets from JSON.parse
  body: any
}

interface CallOptions {
  bearer?: string
  body?: unknown
  headers?: Record<string, string>
}

export interface TestProgram {
  url: string
  context: Context
  /** One request as a stranger would make it; the bearer is a session or a token. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  addUser(email: string): Promise<User>
  signIn(user: User, minutes?: number): Promise<string>
  makeToken(user: User, scopes: readonly Scope[]): Promise<string>
  /** Runs jobs from now on, as the program's own worker does; stopped by `close`. */
  startWorker(settings?: Partial<LeaseSettings>): Worker
  close(): Promise<void>
}

/** The real program on a database of its own, listening on loopback, every answer checked against its schema. */
export async function startProgram(env: Record<string, string> = {}, given?: TestDatabase): Promise<TestProgram> {
  const database = given ?? (await createTestDatabase())
  const folder = await mkdtemp(join(tmpdir(), 'nmp-program-'))
  const config = loadConfig({
    NMP_SECRET_KEY: testSecretKey,
    NMP_DATA_DIR: folder,
    NMP_RATE_LIMIT: '0',
    NMP_LOG_LEVEL: 'silent',
    // A job beside every import would be in the way of what tests wait for; those of the checks ask for it.
    NMP_CHECK_PICTURES_MAX_BYTES: '0',
    ...env,
  })
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { db } = database
  const app = await createApp({
    config,
    log: pino({ level: 'silent' }),
    db,
    connection: database.connection,
    publicUrl: url,
    checkResponse,
  })
  server.on('request', app.handle)
  const workers: Worker[] = []
  const presences: { stop(): Promise<void> }[] = []
  return {
    url,
    context: app.context,
    call: (method, path, options) => callProgram(url, method, path, options),
    addUser: (email) =>
      inTransaction(db, async (trx) => {
        const user = await createUser(trx, 'operator', { email, displayName: '' })
        await createLocalAccount(trx, user.id)
        return user
      }),
    signIn: (user, minutes = 60) =>
      signOperatorSession({
        db,
        secrets: app.context.secrets,
        publicUrl: url,
        userId: user.id,
        email: user.email,
        minutes,
      }),
    async makeToken(user, scopes) {
      const caller = {
        kind: 'session',
        userId: user.id,
        email: user.email,
        hasSecondProof: false,
        sessionId: '',
        expiresAt: new Date(),
        requestId: 'test',
      } as const
      return (
        await createToken(db, caller, {
          name: 'test',
          scopes,
          expiresInDays: 1,
          from: { address: '127.0.0.1', userAgent: 'test' },
        })
      ).secret
    },
    startWorker(settings = {}) {
      const handlers = collectHandlers(createJobHandlers(app.context))
      const { connection } = database
      const worker = startWorker({ db, connection, handlers, log: app.context.log, concurrency: 2, settings })
      workers.push(worker)
      presences.push(announceWorker(db, { name: worker.name, concurrency: 2 }, app.context.log))
      return worker
    },
    async close() {
      for (const worker of workers) await worker.stop(0)
      for (const presence of presences) await presence.stop()
      server.closeAllConnections()
      server.close()
      await app.close()
      await database.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export async function callProgram(
  url: string,
  method: string,
  path: string,
  { bearer, body, headers = {} }: CallOptions = {},
): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    redirect: 'manual',
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
}
