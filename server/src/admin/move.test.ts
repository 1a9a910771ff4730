import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, databaseUrl, type TestDatabase } from '../../test/database.ts'
import { loadConfig } from '../config.ts'
import { inTransaction, openDatabase } from '../db/database.ts'
import { createUser } from '../identity/users/service.ts'
import { openSecrets } from '../secrets/secrets.ts'
import { publishBlobs, stageBlob } from '../storage/blobs.ts'
import { describeStorage } from '../storage/describe-storage.ts'
import { openStorage } from '../storage/open-storage.ts'
import { s3Settings } from '../storage/s3/s3-server.contract.ts'
import { ensureStoreId } from '../storage/store-id.ts'
import { move } from './move.ts'

const log = pino({ level: 'silent' })
const bytes = randomBytes(300_000)
/** In `.ci/s3` the new place is a bucket, elsewhere a folder. */
const bucket = process.env.NMP_TEST_S3_ENDPOINT ? s3Settings(process.env.NMP_TEST_S3_ENDPOINT) : {}

interface Place {
  database: TestDatabase
  settings: Record<string, string>
}

let folder: string
let old: Place
const opened: TestDatabase[] = []

async function openPlace(name: string, store: Record<string, string> = {}): Promise<Place> {
  const database = await createTestDatabase({ applicationName: 'nmp admin' })
  opened.push(database)
  const settings = { NMP_DATA_DIR: join(folder, name), NMP_DATABASE_URL: databaseUrl(database.connection), ...store }
  return { database, settings }
}

async function moveTo(from: Place, settings: Record<string, string>, options = {}): Promise<string | undefined> {
  const file = join(folder, 'target.env')
  await writeFile(
    file,
    Object.entries(settings)
      .map(([name, value]) => `${name}='${value}'\n`)
      .join(''),
  )
  return move.run({ ...from.database, config: loadConfig(from.settings), isEmbedded: false }, [file], options)
}

const openObjects = ({ settings }: Place) => openStorage(describeStorage(loadConfig(settings), '', ''))

/** Everything that lasts, as a program on that place has it. */
async function readAll(place: Place): Promise<{ users: unknown[]; content: Buffer; secret: string }> {
  const { db, pool } = place.database
  const storage = await openObjects(place)
  await ensureStoreId(db, storage)
  const { rows: users } = await pool.query('select t::text as row from users t order by 1')
  const { rows: sealed } = await pool.query("select value #>> '{}' as text from program_settings where name = 'test'")
  const { rows: blobs } = await pool.query('select store_key from blobs')
  const secrets = await openSecrets(db, loadConfig(place.settings))
  const content = await buffer((await storage.getObject(blobs[0].store_key)).body)
  return { users, content, secret: await secrets.open(sealed[0].text, 'test') }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nmp-move-'))
  old = await openPlace('old')
  const { db, pool } = old.database
  const storage = await openObjects(old)
  await ensureStoreId(db, storage)
  for (const name of ['ada', 'zoë'])
    await inTransaction(db, (trx) => createUser(trx, 'operator', { email: `${name}@example.org`, displayName: name }))
  const blob = await stageBlob(storage, { id: 'j', epoch: 0 }, Readable.from([bytes]))
  await inTransaction(db, (trx) => publishBlobs(trx, { kind: 'test', id: 'a' }, [{ ...blob, logicalPath: 'a' }]))
  const secrets = await openSecrets(db, loadConfig(old.settings))
  const sealed = JSON.stringify(await secrets.seal('a secret', 'test'))
  await pool.query("insert into program_settings (name, value) values ('test', $1)", [sealed])
})

afterAll(async () => {
  for (const database of opened) await database.close()
  await rm(folder, { recursive: true, force: true })
})

test('everything is brought to another place, objects ahead while the program runs, and back again', async () => {
  const fresh = await openPlace('new', bucket)
  const program = openDatabase({ connection: old.database.connection, log })
  await program.pool.query('select')
  await expect(moveTo(old, fresh.settings)).rejects.toThrow('The program is running on this database (1 sessions)')
  expect(await moveTo(old, fresh.settings, { 'objects-only': true })).toContain('1 objects of 300000 bytes. Now stop')
  await program.close()

  expect(await moveTo(old, fresh.settings)).toContain('0 objects of 0 bytes (1 were there already)')
  expect(await readAll(fresh)).toEqual({ ...(await readAll(old)), content: bytes, secret: 'a secret' })
  expect((await stat(join(folder, 'new', 'secret.key'))).mode & 0o777).toBe(0o600)

  const again = await openPlace('again')
  expect(await moveTo(fresh, again.settings)).toContain('1 objects of 300000 bytes.')
  expect(await readAll(again)).toEqual(await readAll(old))
  await expect(moveTo(old, again.settings)).rejects.toThrow('The database is not empty')
})

test('a place with another key, another store or no name is refused, and nothing is written there', async () => {
  const fresh = await openPlace('refused')
  const otherKey = { ...fresh.settings, NMP_SECRET_KEY: 'k'.repeat(40) }
  await expect(moveTo(old, otherKey)).rejects.toThrow('another secret key')
  await expect(moveTo(old, { NMP_PORT: '1' })).rejects.toThrow('must name NMP_DATABASE_URL or NMP_DATA_DIR')
  await expect(moveTo(old, { ...fresh.settings, NMP_DATABSE_URL: 'x' })).rejects.toThrow('sets NMP_DATABSE_URL')
  const strange = await openPlace('strange')
  await ensureStoreId(strange.database.db, await openObjects(strange))
  await expect(moveTo(old, { ...fresh.settings, NMP_DATA_DIR: join(folder, 'strange') })).rejects.toThrow(
    'The object store belongs to another database',
  )
  expect((await fresh.database.pool.query('select from users')).rowCount).toBe(0)
})

test('a damaged content stops the move before any row, and is left behind when that is said', async () => {
  const place = await openPlace('damaged')
  await moveTo(old, place.settings)
  const { rows } = await place.database.pool.query('select store_key from blobs')
  const storage = await openObjects(place)
  await storage.putObject(rows[0].store_key, Readable.from([Buffer.alloc(300_000)]))
  const fresh = await openPlace('healthy')
  await expect(moveTo(place, fresh.settings)).rejects.toThrow(`1 contents are damaged here (${rows[0].store_key})`)
  expect((await fresh.database.pool.query('select from users')).rowCount).toBe(0)
  expect(await moveTo(place, fresh.settings, { partial: true })).toContain('1 damaged contents were left behind')
  expect((await fresh.database.pool.query('select from users')).rowCount).toBe(2)
  expect(await (await openObjects(fresh)).findObject(rows[0].store_key)).toBeUndefined()
})
