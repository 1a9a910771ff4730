import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { createApp } from '../src/app.ts'
import { loadConfig } from '../src/config.ts'
import type { Context } from '../src/context.ts'
import { type Database, inTransaction } from '../src/db/database.ts'
import { createLocalAccount } from '../src/identity/local-accounts.ts'
import { createUser } from '../src/identity/users/service.ts'
import { checkResponse } from './response-check.ts'
import { testSecretKey } from './secret-key.ts'

export interface SignInProgram {
  /** Where it listens; also its public URL, unless the settings name one. */
  origin: string
  context: Context
  /** The answer of the API to a bearer at `/api/v1/users/me`. */
  askWho(bearer: string): Promise<{ status: number; email: string | undefined }>
  /** Mails written so far, oldest first, once there are as many as expected. */
  readMails(count: number): Promise<string[]>
  stop(): Promise<void>
}

/** The whole program on a loopback port, over a database of the test's own; passkeys need it to have a name. */
export async function startSignInProgram(
  db: Database,
  settings: Record<string, string> = {},
  host: '127.0.0.1' | 'localhost' = '127.0.0.1',
): Promise<SignInProgram> {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-sign-in-'))
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://${host}:${(server.address() as AddressInfo).port}`
  const config = loadConfig({ NMP_SECRET_KEY: testSecretKey, NMP_DATA_DIR: folder, NMP_RATE_LIMIT: '0', ...settings })
  const app = await createApp({
    config,
    log: pino({ level: 'silent' }),
    db,
    publicUrl: config.NMP_PUBLIC_URL ?? origin,
    checkResponse,
  })
  server.on('request', app.handle)
  return {
    origin,
    context: app.context,
    async askWho(bearer) {
      const response = await fetch(`${origin}/api/v1/users/me`, { headers: { authorization: `Bearer ${bearer}` } })
      const body = (await response.json()) as { user?: { email: string } }
      return { status: response.status, email: body.user?.email }
    },
    async readMails(count) {
      const mails = join(folder, 'mail')
      for (let tries = 0; tries < 100; tries += 1) {
        const names = (await readdir(mails).catch(() => [])).filter((name) => name.endsWith('.eml')).sort()
        if (names.length >= count) return Promise.all(names.map((name) => readFile(join(mails, name), 'utf8')))
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      throw new Error(`There are fewer than ${count} mails.`)
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await app.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A person with an account of the embedded provider. */
export async function addPerson(db: Database, email: string, password?: string): Promise<string> {
  const user = await inTransaction(db, (trx) => createUser(trx, 'operator', { email, displayName: 'Ada Lovelace' }))
  await createLocalAccount(db, user.id, password)
  return user.id
}
