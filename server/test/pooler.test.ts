import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { openDatabase, withoutPooler } from '../src/db/database.ts'
import { unlimited } from './postgres-template.ts'
import { callProgram } from './program.ts'
import { waitUntil } from './wait-until.ts'

const main = join(import.meta.dirname, '..', 'src', 'main.ts')
const name = `nmp_pooled_${randomBytes(6).toString('hex')}`
const log = pino({ level: 'silent' })

test('what needs a session goes past a pooler, and to the same place where there is none', () => {
  const [pooler, direct] = ['postgres://pooler/nmp', 'postgres://server/nmp']
  expect(withoutPooler({ connectionString: pooler, directUrl: direct })).toEqual({ connectionString: direct })
  expect(withoutPooler({ connectionString: direct, most: 5 })).toEqual({ connectionString: direct })
})

// Needs PgBouncer (Debian: `apt-get install pgbouncer`).
if (process.env.NMP_TEST_PGBOUNCER)
  describe('behind PgBouncer in transaction mode', { timeout: 300_000 }, describePgbouncer)

function describePgbouncer(): void {
  const { connection } = inject('testServer')
  const server = openDatabase({ connection, log, maxConnections: 1, statementSeconds: unlimited })
  const children: ChildProcess[] = []
  let folder: string
  let pooled: string
  let direct: string

  const start = async (env: Record<string, string>): Promise<{ url: string; read(): string; ended(): boolean }> => {
    const child = spawn(process.execPath, [main], {
      env: {
        PATH: process.env.PATH,
        NMP_PORT: '0',
        NMP_DATA_DIR: join(folder, 'data'),
        NMP_DATABASE_URL: pooled,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    children.push(child)
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        said += text
      })
    await waitUntil(async () => said.includes('listening on') || child.exitCode !== null || undefined)
    return { url: /listening on (\S+)/.exec(said)?.[1] ?? '', read: () => said, ended: () => child.exitCode !== null }
  }

  beforeAll(async () => {
    if (!('host' in connection)) throw new Error('The pooler is tried on the embedded server.')
    folder = await mkdtemp(join(tmpdir(), 'nmp-pooled-'))
    await server.pool.query(`create database ${name}`)
    const { host = '', port = 5432, user = '', password = '' } = connection
    const listener = createServer().listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const free = (listener.address() as { port: number }).port
    listener.close()
    await once(listener, 'close')
    const settings = join(folder, 'pgbouncer.ini')
    await writeFile(
      settings,
      `[databases]
* = host=${host} port=${port} user=${user} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${free}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
`,
    )
    // Like PostgreSQL it refuses root.
    const prefix = process.getuid?.() === 0 ? ['unshare', '-U', '--map-user=65534', '--map-group=65534'] : []
    const [program = '', ...words] = [...prefix, 'pgbouncer', settings]
    children.push(spawn(program, words, { stdio: 'ignore' }))
    pooled = `postgres://${user}@127.0.0.1:${free}/${name}`
    const place = new URLSearchParams({ host, port: String(port) })
    direct = `postgres://${user}:${encodeURIComponent(String(password))}@localhost/${name}?${place}`
  })

  afterAll(async () => {
    for (const child of children.reverse()) child.kill('SIGKILL')
    await server.pool.query(`drop database if exists ${name} with (force)`)
    await server.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  test('a pooler without the address of the server is refused, and says what to set', async () => {
    const { read } = await start({})
    expect(read()).toMatch(
      /is a pooler of connections .*: set NMP_DATABASE_DIRECT_URL to the address of PostgreSQL itself/,
    )
  })

  test('four connections carry migrations, jobs, many requests at once and live events', async () => {
    const { url, read } = await start({ NMP_DATABASE_DIRECT_URL: direct, NMP_DATABASE_POOL: '20', NMP_RATE_LIMIT: '0' })
    expect(read()).toContain('no statement is bounded in time')
    // The demo is a dataset of somebody, made by a job.
    await waitUntil(
      async () => (await callProgram(url, 'GET', '/api/v1/status')).body.item.worker_count === 1 || undefined,
    )
    const { rows } = await (async () => {
      const own = openDatabase({ connection: { connectionString: direct }, log, maxConnections: 1 })
      await waitUntil(async () => {
        const found = await own.pool.query("select count(*) from jobs where state = 'succeeded'")
        return Number(found.rows[0]?.count) > 0 || undefined
      })
      const listening = await own.pool.query(
        "select count(*) from pg_stat_activity where datname = current_database() and query ilike '%listen %'",
      )
      await own.close()
      return listening
    })()
    expect(Number(rows[0]?.count)).toBeGreaterThan(0)
    const pages = await Promise.all(
      Array.from({ length: 200 }, () => callProgram(url, 'GET', '/api/v1/catalog/datasets')),
    )
    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([200]))
    expect(read()).not.toMatch(/prepared statement|internal_error/)
  })
}
