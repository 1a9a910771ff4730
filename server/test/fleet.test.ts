import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { inTransaction, openDatabase } from '../src/db/database.ts'
import { signOperatorSession } from '../src/identity/sessions.ts'
import { createUser } from '../src/identity/users/service.ts'
import { openSecrets } from '../src/secrets/secrets.ts'
import { databaseUrl } from './database.ts'
import { onDatabase, unlimited } from './postgres-template.ts'

/** Two API and two worker processes of the real program, on one PostgreSQL and one object store (S3 where one is given). */
const root = join(import.meta.dirname, '..', '..')
const main = join(root, 'server', 'src', 'main.ts')
const publicUrl = 'http://nmp.example.org'
const name = `nmp_fleet_${randomBytes(6).toString('hex')}`

interface Member {
  role: string
  process: ChildProcess
  url: string
  /** All it has written so far. */
  read(): string
}

let folder: string
let fleet: Member[]
const { connection: serverConnection } = inject('testServer')
const log = pino({ level: 'silent' })
const server = openDatabase({ connection: serverConnection, log, maxConnections: 1, statementSeconds: unlimited })
const connection = onDatabase(serverConnection, name)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nmp-fleet-'))
  await server.pool.query(`create database ${name}`)
  // All at once on an empty database: one migrates, the others wait for it.
  fleet = await Promise.all(['api', 'api', 'worker', 'worker'].map(startMember))
})

afterAll(async () => {
  for (const member of fleet ?? []) member.process.kill('SIGKILL')
  await server.pool.query(`drop database if exists ${name} with (force)`)
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

async function startMember(role: string): Promise<Member> {
  const child = spawn(process.execPath, [main], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      NMP_ROLE: role,
      NMP_PORT: '0',
      NMP_PUBLIC_URL: publicUrl,
      NMP_DATABASE_URL: databaseUrl(connection),
      NMP_DATA_DIR: folder,
      ...s3Settings(),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (text) => {
    output += text
  })
  child.stderr.on('data', (text) => {
    output += text
  })
  while (!output.includes('listening on')) {
    if (child.exitCode !== null) throw new Error(`a process of the fleet ended:\n${output}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return { role, process: child, url: /listening on (\S+)/.exec(output)?.[1] ?? '', read: () => output }
}

function s3Settings(): Record<string, string> {
  const { NMP_TEST_S3_ENDPOINT: endpoint, NMP_TEST_S3_BUCKET: bucket } = process.env
  if (!endpoint || !bucket) return {}
  return {
    NMP_S3_ENDPOINT: endpoint,
    NMP_S3_BUCKET: bucket,
    NMP_S3_PREFIX: name,
    NMP_S3_ACCESS_KEY_ID: process.env.NMP_TEST_S3_ACCESS_KEY ?? '',
    NMP_S3_SECRET_ACCESS_KEY: process.env.NMP_TEST_S3_SECRET_KEY ?? '',
  }
}

const ask = (member: Member | undefined, path: string, bearer?: string, init: RequestInit = {}) =>
  fetch(`${member?.url}${path}`, {
    ...init,
    headers: { ...(bearer ? { authorization: `Bearer ${bearer}` } : {}), 'content-type': 'application/json' },
  })

test('all are ready, and share what one of them knows', async () => {
  for (const member of fleet) expect((await ask(member, '/readyz')).status).toBe(200)
  const [first, second] = fleet
  const database = openDatabase({ connection, log, maxConnections: 2 })
  const user = await inTransaction(database.db, (trx) =>
    createUser(trx, 'operator', { email: 'ada@example.org', displayName: '' }),
  )
  const session = await signOperatorSession({
    db: database.db,
    secrets: await openSecrets(database.db, { NMP_SECRET_KEY: undefined, NMP_DATA_DIR: folder }),
    publicUrl,
    userId: user.id,
    email: user.email,
    minutes: 5,
  })
  await database.close()

  const made = await ask(first, '/api/v1/users/me/tokens', session, { method: 'POST', body: '{"name":"ci"}' })
  const { token, item } = (await made.json()) as { token: string; item: { id: string } }
  expect((await ask(second, '/api/v1/users/me', token)).status).toBe(200)
  await ask(second, `/api/v1/users/me/tokens/${item.id}`, session, { method: 'DELETE' })
  expect((await ask(first, '/api/v1/users/me', token)).status).toBe(401)
  await ask(first, '/api/v1/users/me/sign-out', session, { method: 'POST' })
  expect((await ask(second, '/api/v1/users/me', session)).status).toBe(401)
})

test('headers over the limit are 431 in our error form', async () => {
  const refused = await fetch(`${fleet[0]?.url}/api/v1/version`, { headers: { 'x-long': 'a'.repeat(20_000) } })
  expect([refused.status, await refused.json()]).toEqual([
    431,
    { code: 'headers_too_large', detail: expect.stringContaining('16 KiB'), request_id: expect.any(String) },
  ])
})

test('workers tell what they claim, finish and lose, and serve nothing else', async () => {
  for (const member of fleet) {
    const metrics = await (await ask(member, '/metrics')).text()
    expect(metrics.includes('nmp_jobs_claimed_total')).toBe(member.role === 'worker')
    expect(metrics.includes('nmp_jobs_fenced_rejections_total')).toBe(member.role === 'worker')
    expect((await ask(member, '/api/v1/users/me')).status).toBe(member.role === 'worker' ? 404 : 401)
  }
})

test('each stops by itself when told, with exit code 0', async () => {
  const ends = fleet.map(async ({ process, read }) => {
    await once(process, 'exit')
    return process.exitCode === 0 ? '' : `${process.exitCode ?? process.signalCode}: ${read()}`
  })
  for (const member of fleet) member.process.kill('SIGTERM')
  expect(await Promise.all(ends)).toEqual(['', '', '', ''])
})
