import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { extract } from 'tar-stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { onDatabase } from '../../test/postgres-template.ts'
import { type Config, loadConfig } from '../config.ts'
import { type Connection, inTransaction, openDatabase } from '../db/database.ts'
import { migrateDatabase } from '../db/migrations.ts'
import { createUser } from '../identity/users/service.ts'
import { describeStorage } from '../storage/describe-storage.ts'
import { openStorage } from '../storage/open-storage.ts'
import { ensureStoreId } from '../storage/store-id.ts'
import { backup } from './backup.ts'
import { makeBackupKey } from './backup-folder.ts'
import { restore } from './backup-restore.ts'

const run = promisify(execFile)
const silent = pino({ level: 'silent' })

/** What later migrations may bring: rows in a cycle, computed columns, sequences of every kind, triggers, odd names. */
const oddTables = `
  create sequence ticket_numbers increment 5 start 100;
  create table "Odd ""name""" (
    id bigint generated always as identity primary key,
    "select" text, doubled bigint generated always as (id * 2) stored,
    data bytea, at timestamptz, f double precision, tags text[], peer bigint);
  create table cycle_a (id int primary key, b int not null);
  create table cycle_b (id int primary key, a int not null references cycle_a deferrable initially immediate);
  alter table cycle_a add constraint to_b foreign key (b) references cycle_b deferrable initially deferred;
  create function count_up() returns trigger language plpgsql as $$ begin new.id := new.id + 1000; return new; end $$;
  create trigger moves before insert on cycle_a for each row execute function count_up();`

let folder: string
let source: TestDatabase
let config: Config
const opened: TestDatabase[] = []

const openAnother = async (): Promise<TestDatabase> => {
  const database = await createTestDatabase()
  opened.push(database)
  return database
}
const settingsIn = (name: string): Config => loadConfig({ NMP_DATA_DIR: join(folder, name) })
const storageOf = (settings: Config) => openStorage(describeStorage(settings, '', ''))
const write = (file: string, options = {}) =>
  backup.run({ ...source, config, isEmbedded: true }, [join(folder, file)], options)
const bring = (target: TestDatabase, file: string, options = {}, settings = settingsIn('other')) =>
  restore.run({ ...target, config: settings, isEmbedded: true }, [join(folder, file)], options)
const countRows = async (database: TestDatabase): Promise<number> =>
  (await database.pool.query('select count(*) from users')).rows[0].count

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nmp-backup-'))
  source = await openAnother()
  config = settingsIn('source')
  await source.pool.query(oddTables)
  for (let index = 0; index < 20; index += 1)
    await inTransaction(source.db, (trx) =>
      createUser(trx, 'operator', { email: `p${index}@example.org`, displayName: 'Zoë \\ \t\n \u{1f916}' }),
    )
  await source.pool.query(`
    insert into "Odd ""name""" ("select", data, at, f, tags)
      values (E'a\\tb\\n\\\\.', '\\x00ff', '-infinity', 0.1::float8 + 0.2, array['x', null, '{}']), ('\\N', null, null, 'NaN', '{}');
    begin; insert into cycle_a values (1, 1); insert into cycle_b values (1, 1001); commit;
    select nextval('ticket_numbers')`)
  const storage = await storageOf(config)
  await ensureStoreId(source.db, storage)
  for (const [name, size] of Object.entries({ empty: 0, small: 11, 'größe/x': 300_000 }))
    await storage.putObject(`runs/j/1/${name}`, Readable.from([randomBytes(size)]))
})

afterAll(async () => {
  for (const database of opened) await database.close()
  await rm(folder, { recursive: true, force: true })
})

/** In each entry a byte of its header and the first, a middle and the last byte of its content. */
const listPlaces = async (bytes: Buffer): Promise<number[]> => {
  const places: number[] = []
  const entries = extract()
  entries.on('entry', (header, stream, next) => {
    const { byteOffset, size } = header as typeof header & { byteOffset: number }
    places.push(byteOffset - 512 + 124)
    if (size > 0) places.push(byteOffset, byteOffset + (size >> 1), byteOffset + size - 1)
    stream.on('end', () => next())
    stream.resume()
  })
  await pipeline(Readable.from([bytes]), entries)
  return places
}

const asUser = (connection: Connection, user: string): Connection => {
  if (!('connectionString' in connection)) return { ...connection, user, password: 'owner' }
  const url = new URL(connection.connectionString)
  Object.assign(url, { username: user, password: 'owner' })
  return { connectionString: url.href }
}

const withOddTables = async (): Promise<TestDatabase> => {
  const target = await openAnother()
  await target.pool.query(oddTables)
  return target
}

describe('a backup', () => {
  test('comes back whole: rows, sequences, keys, triggers, objects', async () => {
    await write('whole.tar', { objects: true })
    expect((await stat(join(folder, 'whole.tar'))).mode & 0o777).toBe(0o600)
    const target = await withOddTables()
    const settings = settingsIn('target')
    expect(await bring(target, 'whole.tar', { objects: true }, settings)).toContain('4 objects of 300043 bytes')

    for (const table of ['users', 'projects', '"Odd ""name"""', 'cycle_a', 'cycle_b', 'program_settings']) {
      const query = `select t::text as row from ${table} t order by 1`
      expect((await target.pool.query(query)).rows).toEqual((await source.pool.query(query)).rows)
    }
    const next = await target.pool.query(
      `insert into "Odd ""name""" default values returning id, nextval('ticket_numbers') as ticket`,
    )
    expect(next.rows).toEqual([{ id: 3, ticket: 105 }])
    await expect(target.pool.query('insert into cycle_b values (2, 77)')).rejects.toThrow('foreign key')
    await expect(target.pool.query('delete from audit_events')).rejects.toThrow('append-only')
    await target.pool.query('begin; insert into cycle_a values (2, 1); commit')
    expect((await target.pool.query('select id from cycle_a order by 1')).rows).toEqual([{ id: 1001 }, { id: 1002 }])

    const [from, to] = [await storageOf(config), await storageOf(settings)]
    for await (const { key } of from.listObjects(''))
      expect(await buffer((await to.getObject(key)).body)).toEqual(await buffer((await from.getObject(key)).body))
    await ensureStoreId(target.db, to)
  })

  test('comes back for a database user who owns the tables and nothing else', async () => {
    await write('plain-user.tar')
    const role = `nmp_owner_${randomBytes(4).toString('hex')}`
    await source.pool.query(`create role ${role} login password 'owner'`)
    await source.pool.query(`create database ${role} owner ${role}`)
    const owned = openDatabase({ connection: asUser(onDatabase(source.connection, role), role), log: silent })
    try {
      await migrateDatabase(owned.pool)
      await owned.pool.query(oddTables)
      await restore.run(
        { ...owned, connection: source.connection, config: settingsIn('owned'), isEmbedded: false },
        [join(folder, 'plain-user.tar')],
        {},
      )
      expect((await owned.pool.query('select count(*) from users')).rows).toEqual([{ count: 20 }])
      await expect(owned.pool.query('delete from audit_events')).rejects.toThrow('append-only')
    } finally {
      await owned.close()
      await source.pool.query(`drop database ${role} with (force)`)
      await source.pool.query(`drop role ${role}`)
    }
  })

  test('is of one moment, whatever is committed while it is taken', async () => {
    const holder = await source.pool.connect()
    await holder.query('begin; lock table cycle_b in access exclusive mode')
    const writing = write('moment.tar')
    await expect
      .poll(async () => (await source.pool.query('select 1 from pg_locks where not granted')).rowCount)
      .toBeGreaterThan(0)
    await source.pool.query(`insert into program_settings values ('late', '1')`)
    await holder.query('commit')
    holder.release()
    await writing
    const target = await withOddTables()
    await bring(target, 'moment.tar')
    const late = `select from program_settings where name = 'late'`
    expect((await source.pool.query(late)).rowCount).toBe(1)
    expect((await target.pool.query(late)).rowCount).toBe(0)
  })

  test('is a tar that other programs check', async () => {
    await write('checked.tar', { objects: true })
    const out = await mkdtemp(join(folder, 'untarred-'))
    await run('tar', ['-xf', join(folder, 'checked.tar'), '-C', out])
    const { stdout } = await run('sha256sum', ['-c', 'SHA256SUMS'], { cwd: out })
    expect(
      stdout
        .trim()
        .split('\n')
        .every((line) => line.endsWith(': OK')),
    ).toBe(true)
    const manifest = JSON.parse(await readFile(join(out, 'manifest.json'), 'utf8'))
    expect(manifest.tables.find((table: { name: string }) => table.name === 'users').rows).toBe(20)
    const lines = (await readFile(join(out, 'objects.jsonl'), 'utf8')).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).key)).toContain('runs/j/1/größe/x')
  })

  test('that is encrypted comes back with its key only, and whole only', async () => {
    const [key, other] = [join(folder, 'backup.key'), join(folder, 'other.key')]
    for (const path of [key, other]) await makeBackupKey.runOffline(config, [path], {})
    expect((await stat(key)).mode & 0o777).toBe(0o600)
    await write('sealed', { key, objects: true })
    const bytes = await readFile(join(folder, 'sealed'))
    expect(bytes.includes('p7@example.org')).toBe(false)
    const target = await withOddTables()
    const settings = settingsIn('sealed-target')
    await expect(bring(target, 'sealed', {}, settings)).rejects.toThrow('Which key? Say --key FILE')
    await expect(bring(target, 'sealed', { key: other }, settings)).rejects.toThrow('another key sealed it')
    await writeFile(join(folder, 'cut'), bytes.subarray(0, bytes.length - 20))
    await expect(bring(target, 'cut', { key }, settings)).rejects.toThrow(/cut is damaged .* Nothing was changed/)
    expect(await countRows(target)).toBe(0)
    await bring(target, 'sealed', { key, objects: true }, settings)
    expect(await countRows(target)).toBe(20)
  })

  test('that cannot be finished leaves nothing, and none of an older one is lost', async () => {
    await writeFile(join(folder, 'blocked.tar'), 'the older one')
    const gone = await createTestDatabase()
    await gone.close()
    await expect(backup.run({ ...gone, config, isEmbedded: true }, [join(folder, 'blocked.tar')], {})).rejects.toThrow(
      'Cannot use a pool',
    )
    expect(await readFile(join(folder, 'blocked.tar'), 'utf8')).toBe('the older one')
    expect((await readdir(folder)).filter((name) => name.includes('.part'))).toEqual([])
  })
})

describe('restore refuses', () => {
  test('a file that is cut or changed anywhere, and changes nothing', async () => {
    await write('good.tar', { objects: true })
    const bytes = await readFile(join(folder, 'good.tar'))
    const target = await withOddTables()
    const settings = settingsIn('untouched')
    const cuts = [
      0,
      100,
      512,
      1024,
      5_000,
      bytes.length >> 1,
      bytes.length - 1024 - 512,
      bytes.length - 1024,
      bytes.length - 512,
      bytes.length - 1,
    ]
    for (const size of cuts) {
      await writeFile(join(folder, 'bad.tar'), bytes)
      await truncate(join(folder, 'bad.tar'), size)
      await expect(bring(target, 'bad.tar', { objects: true }, settings), `cut at ${size}`).rejects.toThrow(
        /damaged|not a backup|not an nmp backup|made by a newer/,
      )
    }
    for (const place of await listPlaces(bytes)) {
      const changed = Buffer.from(bytes)
      changed[place] = (changed[place] ?? 0) ^ 0x01
      await writeFile(join(folder, 'bad.tar'), changed)
      await expect(bring(target, 'bad.tar', { objects: true }, settings), `changed at ${place}`).rejects.toThrow(
        /damaged|not a backup|not an nmp backup|made by a newer|different tables|schema version|another database/,
      )
    }
    expect(await countRows(target)).toBe(0)
    const storage = await storageOf(settings)
    for await (const { key } of storage.listObjects('')) expect.fail(`${key} was restored`)
  })

  test('a database with rows, another schema, objects that are not there, a store of another database', async () => {
    await write('plain.tar')
    await expect(bring(source, 'plain.tar')).rejects.toThrow('The database is not empty')
    expect(await countRows(source)).toBe(20)

    const target = await withOddTables()
    await expect(bring(target, 'plain.tar', { objects: true })).rejects.toThrow('made without --objects')
    await expect(bring(target, 'none.tar')).rejects.toThrow('There is no file')
    await target.pool.query("insert into schema_migrations (version, name, checksum) values (9999, 'x', 'x')")
    await expect(bring(target, 'plain.tar')).rejects.toThrow(
      /The backup has schema version \d+, and this program makes 9999/,
    )
    await expect(bring(await openAnother(), 'plain.tar')).rejects.toThrow('have different tables')

    await write('full.tar', { objects: true })
    const taken = settingsIn('taken')
    await ensureStoreId((await openAnother()).db, await storageOf(taken))
    await expect(bring(await withOddTables(), 'full.tar', { objects: true }, taken)).rejects.toThrow('another database')
  })
})
