import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseUrl } from '../../test/database.ts'
import { waitUntil } from '../../test/wait-until.ts'
import { type Database, type OpenDatabase, openDatabase } from './database.ts'
import { type EmbeddedPostgres, openEmbeddedPostgres } from './embedded.ts'
import { openReplica } from './replica.ts'

const log = pino({ level: 'silent' })
const settings = { fsync: 'off' }
let parent: string
let server: EmbeddedPostgres
let standby: EmbeddedPostgres
let primary: OpenDatabase
let url: string

const isReplica = async (db: Database): Promise<boolean> =>
  (await sql<{ is: boolean }>`select pg_is_in_recovery() as is`.execute(db)).rows[0]?.is ?? false
const countRows = async (db: Database): Promise<number> =>
  Number((await sql<{ n: number }>`select count(*) as n from written`.execute(db)).rows[0]?.n)

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'nmp-replica-'))
  chmodSync(parent, 0o755)
  const [first, second] = [join(parent, 'server'), join(parent, 'standby')]
  await (await openEmbeddedPostgres({ folder: first, log, settings })).stop()
  execFileSync('cp', ['-a', first, second])
  server = await openEmbeddedPostgres({ folder: first, log, settings })
  const { host, port, user, password } = server.connection
  const way = `host=${host} port=${port} user=${user} password=${password}`
  writeFileSync(join(second, 'data', 'standby.signal'), '')
  writeFileSync(join(second, 'data', 'postgresql.auto.conf'), `primary_conninfo = '${way}'\n`)
  standby = await openEmbeddedPostgres({ folder: second, log, settings })
  primary = openDatabase({ connection: server.connection, log })
  url = databaseUrl(standby.connection)
  await primary.pool.query('create table written (n int)')
})

afterAll(async () => {
  await primary?.close()
  await standby?.stop()
  await server?.stop()
  await rm(parent, { recursive: true, force: true, maxRetries: 5 })
})

test('a query that is wrong is told as it is, and asked once', async () => {
  const replica = openReplica({ url, primary: primary.db, log })
  let asked = 0
  const ask = async (db: Database): Promise<unknown> => {
    asked += 1
    return sql`select 1 / 0`.execute(db)
  }
  await expect(replica.read(ask)).rejects.toThrow('division by zero')
  expect(asked).toBe(1)
  await replica.close()
})

test('a replica is asked while it keeps up; one that lags, is gone or is none is not', async () => {
  const replica = openReplica({ url, primary: primary.db, log, maxLagSeconds: 0, judgeSeconds: 0 })
  try {
    await waitUntil(async () => (await replica.read(isReplica)) || undefined)
    await waitUntil(async () => (await replica.read(countRows)) === 0 || undefined)

    const other = openDatabase({ connection: standby.connection, log, maxConnections: 1 })
    await other.pool.query('select pg_wal_replay_pause()')
    await primary.pool.query('insert into written values (1)')
    // With a second of lag it is asked no more, and what was written is seen.
    await waitUntil(async () => (await replica.read(countRows)) === 1 || undefined)
    expect(await replica.read(isReplica)).toBe(false)
    await other.pool.query('select pg_wal_replay_resume()')
    await waitUntil(async () => (await replica.read(isReplica)) || undefined)
    await other.close()

    await standby.stop()
    expect(await replica.read(countRows)).toBe(1)
    expect(await replica.read(isReplica)).toBe(false)
  } finally {
    await replica.close()
  }

  const none = openReplica({ url: databaseUrl(server.connection), primary: primary.db, log })
  expect(await none.read(countRows)).toBe(1)
  await none.close()
})
