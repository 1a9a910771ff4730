import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { canMountDisk, ownMounts } from '../../fixtures/small-disk.ts'
import { hasProgram, testWhere } from '../../fixtures/test-where.ts'
import { createTestDatabase, databaseUrl, type TestDatabase } from './database.ts'
import { openRefusingBucket } from './refusing-bucket.ts'

const main = join(import.meta.dirname, '..', 'src', 'main.ts')

/** The program on a data folder below /mnt, which only it sees: a disk of so many megabytes. */
const startOn = (megabytes: number, dataDir: string) =>
  spawnSync(
    'unshare',
    [
      ...ownMounts,
      'sh',
      '-c',
      `mount -t tmpfs -o size=${megabytes}m nmp /mnt && "$0" "$1"; code=$?; find /mnt; exit $code`,
      process.execPath,
      main,
    ],
    {
      env: { PATH: process.env.PATH, NMP_DATA_DIR: dataDir, NMP_PORT: '0', NMP_LOG_LEVEL: 'silent' },
      encoding: 'utf8',
    },
  )

testWhere(canMountDisk())('a full disk is refused at the start, and nothing is written to it', () => {
  const { status, stderr, stdout } = startOn(20, '/mnt/some/folder')
  expect(stderr).toBe(
    'nmp did not start. The disk of /mnt/some/folder/postgres is full: 20 MB are free, and the embedded database needs 128 MB to start. Make room, or set NMP_DATA_DIR to a folder on another disk.\n',
  )
  expect([status, stdout]).toEqual([1, '/mnt\n'])
})

test('a data folder that cannot be is told in a sentence', () => {
  const dataDir = join(main, 'below-a-file')
  expect(() =>
    execFileSync(process.execPath, [main], { env: { PATH: process.env.PATH, NMP_DATA_DIR: dataDir }, stdio: 'pipe' }),
  ).toThrow(
    /nmp did not start\. The data folder .*below-a-file\/postgres cannot be used: ENOTDIR.* Correct NMP_DATA_DIR\./,
  )
})

test('a bucket that does not answer is refused before a database is made', () => {
  const { status, stderr } = spawnSync(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      NMP_DATA_DIR: join(main, 'never-looked-at'),
      NMP_S3_BUCKET: 'robots',
      NMP_S3_ENDPOINT: 'http://127.0.0.1:1',
      NMP_S3_ACCESS_KEY_ID: 'key',
      NMP_S3_SECRET_ACCESS_KEY: 'secret',
    },
    encoding: 'utf8',
  })
  expect(stderr).toMatch(/^nmp did not start\. The bucket robots at http:\/\/127\.0\.0\.1:1 does not answer: /)
  expect(status).toBe(1)
})

/** The program until it ends, which it does with an exit code and a sentence. */
async function startInVain(env: Record<string, string>, command: string[] = []): Promise<[number | null, string]> {
  const [program = '', ...words] = [...command, process.execPath, main]
  const child = spawn(program, words, {
    env: { PATH: process.env.PATH, NMP_PORT: '0', NMP_DEMO: '0', NMP_DATA_DIR: join(main, 'never-looked-at'), ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  return [code, said]
}

test('a key that may not write to the bucket is refused, and nothing is made', async () => {
  const bucket = await openRefusingBucket((method) => (method === 'PUT' ? [403, 'AccessDenied'] : undefined))
  const [code, said] = await startInVain({
    NMP_S3_BUCKET: 'robots',
    NMP_S3_ENDPOINT: bucket.endpoint,
    NMP_S3_ACCESS_KEY_ID: 'key',
    NMP_S3_SECRET_ACCESS_KEY: 'secret',
  })
  bucket.close()
  expect(said).toMatch(
    /^nmp did not start\. The bucket robots .* refuses PutObject \(403 AccessDenied\): give the key of/,
  )
  expect([code, bucket.objects.size]).toEqual([1, 0])
})

test('an address where no database is', async () => {
  const [code, said] = await startInVain({ NMP_DATABASE_URL: 'postgres://nmp:secret@127.0.0.1:1/nmp' })
  expect(said).toMatch(
    /^nmp did not start\. The database at 127\.0\.0\.1:1\/nmp does not answer: .* NMP_DATABASE_URL names it\.\n$/,
  )
  expect(code).toBe(1)
})

const countTables = async ({ pool }: TestDatabase): Promise<number> =>
  (await pool.query(`select count(*)::integer as count from pg_tables where schemaname = 'public'`)).rows[0].count

/** PostgreSQL itself, which says of itself something else to whoever connects to this database. */
test.each([
  [
    'an older PostgreSQL',
    `create function said.current_setting(text) returns text language sql as $$ select '140012' $$`,
    'The database is PostgreSQL 14, and nmp needs 15 or newer: upgrade it, or set NMP_DATABASE_URL to another one.',
  ],
  [
    'a clock an hour apart',
    `create function said.clock_timestamp() returns timestamptz language sql as $$ select pg_catalog.clock_timestamp() - interval '1 hour' $$`,
    /^The clock of this machine is 3\d{3} seconds ahead of that of the database: set both by NTP, then start again\.$/,
  ],
])('%s is refused, and the database is as empty as before', async (_, change, sentence) => {
  const database = await createTestDatabase({ isEmpty: true })
  const { rows } = await database.pool.query('select current_database() as name')
  await database.pool.query(
    `create schema said; ${change}; alter database ${rows[0].name} set search_path = said, pg_catalog, public`,
  )
  const [code, said] = await startInVain({ NMP_DATABASE_URL: databaseUrl(database.connection) })
  expect(said).toMatch(/^nmp did not start\. .*\n$/)
  expect(said.replace('nmp did not start. ', '').trimEnd()).toEqual(
    typeof sentence === 'string' ? sentence : expect.stringMatching(sentence),
  )
  expect([code, await countTables(database)]).toEqual([1, 0])
  await database.close()
})

test('a database that a newer program has used is refused, and left as it is', async () => {
  const database = await createTestDatabase()
  const tables = await countTables(database)
  await database.pool.query(
    `insert into schema_migrations (version, name, checksum) values (9999, '9999_to_come.sql', 'none')`,
  )
  const [code, said] = await startInVain({ NMP_DATABASE_URL: databaseUrl(database.connection) })
  expect(said).toMatch(
    /^nmp did not start\. The database has schema version 9999, .* Start a newer program, or restore/,
  )
  expect([code, await countTables(database)]).toEqual([1, tables])
  await database.close()
})

const inContainer = ['unshare', ...ownMounts, '--pid', '--fork', '--kill-child', '--mount-proc']

testWhere(canMountDisk() && hasProgram('flock'))(
  'a data folder that a program in another container has is refused, and that one goes on',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'nmp-two-places-'))
    const env = {
      PATH: process.env.PATH,
      NMP_DATA_DIR: folder,
      NMP_PORT: '0',
      NMP_DEMO: '0',
      NMP_WORKER_PROCESSES: '0',
    }
    const first = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    let url = ''
    for await (const piece of first.stdout) {
      url = /listening on (\S+)/.exec(String(piece))?.[1] ?? ''
      if (url) break
    }
    const [code, said] = await startInVain({ NMP_DATA_DIR: folder }, inContainer)
    expect(said).toMatch(`is in use on another machine or in another container (${hostname()})`)
    expect([code, (await fetch(`${url}/readyz`)).status]).toEqual([1, 200])
    const ended = once(first, 'exit')
    first.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  },
)
