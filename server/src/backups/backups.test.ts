import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import {
  appendFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { canMountDisk, ownMounts } from '../../../fixtures/small-disk.ts'
import { testWhere } from '../../../fixtures/test-where.ts'
import {
  backupFolder,
  listBackups,
  makeBackupKey,
  pruneBackups,
  restoreBackups,
  verifyBackups,
} from '../admin/backup-folder.ts'
import { type Config, loadConfig } from '../config.ts'
import { type ConnectedDatabase, connectDatabase } from '../db/connect.ts'
import { inTransaction } from '../db/database.ts'
import { dropBlobs, keepBlobs, publishBlobs, stageBlob } from '../storage/blobs.ts'
import { collectBlobs } from '../storage/care/collection.ts'
import { describeStorage } from '../storage/describe-storage.ts'
import { openStorage } from '../storage/open-storage.ts'
import type { ObjectStorage } from '../storage/storage.ts'
import { ensureStoreId } from '../storage/store-id.ts'
import { keepBackups } from './keep.ts'

const log = pino({ level: 'silent' })
let folder: string
let store: string
let config: Config
let source: ConnectedDatabase
let storage: ObjectStorage
/** After the second content, before the first is given up. */
let late: string
const first = randomBytes(300_000)
const second = randomBytes(50_000)

const settings = (name: string, more: Record<string, string> = {}): Config =>
  loadConfig({
    NMP_DATA_DIR: join(folder, name),
    NMP_BACKUP_KEY_FILE: join(folder, 'key'),
    NMP_BACKUP_DIR: store,
    ...more,
  })
const keep = () => keepBackups({ config, connection: source.connection, storage, log }, new AbortController().signal)
const note = (text: string) => source.pool.query('insert into program_settings values ($1, $2)', [text, '1'])
const publish = async (id: string, bytes: Buffer): Promise<void> => {
  const blob = await stageBlob(storage, { id, epoch: 0 }, Readable.from([bytes]))
  await inTransaction(source.db, (trx) => publishBlobs(trx, { kind: 'test', id }, [{ ...blob, logicalPath: 'a' }]))
}
const drop = (id: string) => inTransaction(source.db, (trx) => dropBlobs(trx, { kind: 'test', id }))
/** The clock of the log has microseconds, that of `--at` milliseconds. */
const nextMoment = async (): Promise<string> => {
  await sleep(3)
  const now = new Date().toISOString()
  await sleep(3)
  return now
}
const restore = (name: string, options: Record<string, string | boolean>, from = store) =>
  restoreBackups.runOffline(settings(name), [from], options)
const listLogs = async (): Promise<string[]> => {
  const [chain = ''] = await readdir(join(store, 'chains'))
  return (await readdir(join(store, 'chains', chain))).sort().map((name) => join('chains', chain, name))
}
const listContents = async (place = store): Promise<string[]> =>
  (await readdir(join(place, 'blobs'), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nmp-backups-'))
  store = join(folder, 'store')
  await mkdir(store)
  config = settings('source')
  await makeBackupKey.runOffline(config, [join(folder, 'key')], {})
  source = await connectDatabase(config, log)
  storage = await openStorage(describeStorage(config, '', ''))
  await ensureStoreId(source.db, storage)
  await publish('first', first)
  await note('before the first base')
  await keep()
  await publish('second', second)
  await note('late')
  await keep()
  late = await nextMoment()
  await note('last')
  await drop('first')
  await collectBlobs(source.db, storage, { graceSeconds: 0 })
  await keep()
})

afterAll(async () => {
  await storage.close()
  await source.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

const read = async (name: string) => {
  const restored = settings(name)
  const database = await connectDatabase(restored, log)
  const objects = await openStorage(describeStorage(restored, '', ''))
  try {
    const notes = await database.pool.query("select name from program_settings where value = '1' order by 1")
    const blobs = await database.pool.query('select store_key as key from blobs order by size_bytes desc')
    const bodies = []
    for (const { key } of blobs.rows) bodies.push(await buffer((await objects.getObject(key)).body))
    await ensureStoreId(database.db, objects)
    return { notes: notes.rows.map((row) => row.name), bodies }
  } finally {
    await objects.close()
    await database.close()
  }
}

describe('a folder of backups', () => {
  test('brings a time back: all that was acknowledged before it, nothing after, contents that were collected since', async () => {
    expect(await restore('late', { at: late })).toContain(`everything as of ${late}; 2 contents of 350000 bytes`)
    // Neither the key of the secrets nor anything of the work is there.
    expect((await readdir(join(folder, 'late'))).sort()).toEqual(['objects', 'postgres'])
    expect(await read('late')).toEqual({ notes: ['before the first base', 'late'], bodies: [first, second] })
  })

  test('has each content once, and nothing that can be read without the key', async () => {
    expect(await listContents()).toHaveLength(2)
    await keep()
    expect(await listContents()).toHaveLength(2)
    for (const entry of await readdir(store, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || entry.name === 'nmp-backups.json') continue
      const bytes = await readFile(join(entry.parentPath, entry.name))
      expect(bytes.subarray(0, 13).toString()).toBe('nmp-sealed-1\n')
      for (const plain of ['before the first base', 'program_settings', first.subarray(100, 120)])
        expect(bytes.includes(plain)).toBe(false)
    }
    const listed = await listBackups.runOffline(config, [store], { 'max-age': '15m' })
    expect(listed).toMatch(/^\S+Z to \S+Z {2}1 copies of the database and its log, \d+ bytes\n2 contents of \d+ bytes/)
    expect(await verifyBackups.runOffline(config, [store], {})).toMatch(/all good$/)
  })

  test('by itself grows by hand too: each is a moment of its own', async () => {
    const other = join(folder, 'by-hand')
    await mkdir(other)
    const context = { ...source, config }
    expect(await backupFolder.run(context, [other], {})).toMatch(/1 new contents of 50\d\d\d bytes/)
    expect(await backupFolder.run(context, [other], {})).toContain('0 new contents of 0 bytes')
    const moments = (await listBackups.runOffline(config, [other], {}))?.split('\n') ?? []
    expect(moments).toHaveLength(3)
    const slots = await source.pool.query('select count(*)::int as n from pg_replication_slots')
    expect(slots.rows).toEqual([{ n: 1 }])

    const tooOld = new Date(Date.now() - 7_200_000)
    for (const name of await listContents(other))
      await utimes(join(other, 'blobs', name.slice(0, 2), name), tooOld, tooOld)
    await drop('second')
    await collectBlobs(source.db, storage, { graceSeconds: 0 })
    moments.push(/as of (\S+);/.exec((await backupFolder.run(context, [other], {})) ?? '')?.[1] ?? '')
    expect(await pruneBackups.run(context, [other], { keep: '1d' })).toMatch(/0 copies .* 0 contents removed/)
    expect(await pruneBackups.run(context, [other], { keep: '0m' })).toMatch(/2 copies .* and 1 contents removed/)
    await restore('pruned', { at: moments.at(-1) ?? '' }, other)
    expect(await read('pruned')).toEqual({ notes: ['before the first base', 'last', 'late'], bodies: [] })
  })

  test('goes on in a new chain when the log it needs is gone', async () => {
    await source.pool.query('select pg_drop_replication_slot(slot_name) from pg_replication_slots')
    await note('in a new chain')
    await keep()
    expect(await readdir(join(store, 'chains'))).toHaveLength(2)
    await restore('new-chain', {})
    expect((await read('new-chain')).notes).toContain('in a new chain')
  })
})

test('`restore --partial` goes without a content that the folder has lost; it is known to be bad until its bytes come in', async () => {
  const copy = join(folder, 'partial-copy')
  await cp(store, copy, { recursive: true })
  const sizes = await Promise.all(
    (await listContents(copy)).map(async (name) => {
      const path = join(copy, 'blobs', name.slice(0, 2), name)
      return { path, size: (await stat(path)).size }
    }),
  )
  for (const { path, size } of sizes) if (size > first.length) await rm(path)
  expect(await restore('partial', { at: late, partial: true }, copy)).toContain(
    '1 contents of 50000 bytes, 1 are not in the backup: what needs them answers 502',
  )
  const restored = settings('partial')
  const database = await connectDatabase(restored, log)
  const objects = await openStorage(describeStorage(restored, '', ''))
  const find = (bytes: Buffer) => keepBlobs(database.db, [createHash('sha256').update(bytes).digest('hex')])
  try {
    const [kept] = (await find(second)).values()
    expect(await buffer((await objects.getObject(kept?.storeKey ?? '')).body)).toEqual(second)
    // Who asks whether the content is there is told to send it.
    expect((await find(first)).size).toBe(0)
  } finally {
    await objects.close()
    await database.close()
  }
})

describe('restore refuses', () => {
  /** In a copy of the folder, which each case damages in its own way. */
  const refuse = async (damage: (copy: string) => Promise<void>, sentence: RegExp, options = { at: late }) => {
    const copy = join(folder, 'copy')
    await cp(store, copy, { recursive: true })
    await damage(copy)
    await expect(restore('refused', options, copy)).rejects.toThrow(sentence)
    await expect(readdir(join(folder, 'refused')).catch(() => [])).resolves.toEqual([])
    await rm(copy, { recursive: true })
  }
  const turn = async (path: string, place: number): Promise<void> => {
    const bytes = await readFile(path)
    bytes[place] = (bytes[place] ?? 0) ^ 1
    await writeFile(path, bytes)
  }
  const find = async (what: string): Promise<string> => (await listLogs()).find((name) => name.includes(what)) ?? ''

  test('what was cut, turned or taken away, and leaves nothing behind', async () => {
    const base = await find('/base-')
    const [entry = ''] = (await listLogs()).filter((name) => name.endsWith('-added'))
    await refuse(async (copy) => turn(join(copy, base), 40_000), /base-.* is damaged/)
    await refuse(async (copy) => turn(join(copy, entry), 100), /log-.* is damaged: .*choose another minute/)
    await refuse(async (copy) => truncate(join(copy, entry), 60), /log-.* is damaged/)
    await refuse(async (copy) => rm(join(copy, entry)), /A part of the database's log is missing/)
    await refuse(async (copy) => rm(join(copy, 'blobs'), { recursive: true }), /contents .* are not in .*--partial/)
  })

  test('the same is what `backup verify` finds', async () => {
    const copy = join(folder, 'bad-copy')
    await cp(store, copy, { recursive: true })
    const base = await find('/base-')
    const [entry = ''] = (await listLogs()).filter((name) => name.endsWith('-added'))
    await turn(join(copy, base), 40_000)
    await appendFile(join(copy, entry), 'x')
    // Both: what only the damaged file lists cannot be missed.
    for (const content of await listContents(copy)) await rm(join(copy, 'blobs', content.slice(0, 2), content))
    const said = await verifyBackups.runOffline(config, [copy], {}).catch((error: Error) => error.message)
    for (const sentence of [/^base-.* is damaged/m, /log-.* is damaged/, /blobs\/.* is missing/, /3 wrong$/])
      expect(said).toMatch(sentence)
  })

  test('another key, times it does not have, folders that are in use', async () => {
    await makeBackupKey.runOffline(config, [join(folder, 'other-key')], {})
    await expect(makeBackupKey.runOffline(config, [join(folder, 'other-key')], {})).rejects.toThrow('exists already')
    await expect(restore('refused', { key: join(folder, 'other-key') })).rejects.toThrow(
      /was begun with the key \w+, and/,
    )
    await expect(restore('refused', { key: join(folder, 'no-key') })).rejects.toThrow('There is no key file')
    await expect(restore('refused', { key: join(store, 'nmp-backups.json') })).rejects.toThrow(
      'holds no key of backups',
    )
    for (const at of ['2020-01-01T00:00Z', '2120-01-01T00:00Z'])
      await expect(restore('refused', { at })).rejects.toThrow(
        / cannot be restored\. .* has 20\d\d-.*Choose a time in there/,
      )
    await expect(restore('refused', { at: 'yesterday' })).rejects.toThrow('is no time with its zone')
    await expect(restore('source', { at: late })).rejects.toThrow('A program is running on')
    await expect(restore('late', { at: late })).rejects.toThrow('has a database already')
    await expect(restore('refused', {}, folder)).rejects.toThrow('is not a folder of backups')
    await expect(restore('refused', {}, join(folder, 'nowhere'))).rejects.toThrow('There is no folder')
    await expect(backupFolder.run({ ...source, config }, [folder], {})).rejects.toThrow('has other files in it')
    expect(existsSync(join(folder, 'refused'))).toBe(false)
  })

  testWhere(canMountDisk())('a full disk, as `backup` does, and nothing is left on it', async () => {
    const small = join(folder, 'small')
    await mkdir(small)
    const admin = `${process.execPath} ${join(import.meta.dirname, '..', 'admin', 'main.ts')}`
    const script = `mount -t tmpfs -o size=2m nmp ${small} && mkdir ${small}/store &&
      { ${admin} backup ${small}/store; echo "backup $?"; ${admin} restore ${store}; echo "restore $?"; ls ${small} ${small}/store/tmp; }`
    const env = {
      ...process.env,
      NMP_DATA_DIR: join(folder, 'source'),
      NMP_BACKUP_KEY_FILE: join(folder, 'key'),
    }
    const restoring = script.replace(`${admin} restore`, `NMP_DATA_DIR=${small}/data ${admin} restore`)
    const { stdout, stderr } = await promisify(execFile)('unshare', [...ownMounts, 'sh', '-c', restoring], { env })
    expect(stdout).toBe(`backup 1\nrestore 1\n${small}:\nstore\n\n${small}/store/tmp:\n`)
    expect(stderr).toMatch(/^The disk of \S+store is full\. Make room there.*\nThe disk of \S+data is full\. .*\n$/)
  })

  test('a PostgreSQL of its own', async () => {
    const external = settings('refused', { NMP_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' })
    await expect(restoreBackups.runOffline(external, [store], {})).rejects.toThrow('by its own tools')
    const context = { ...source, config: external, isEmbedded: false }
    await expect(backupFolder.run(context, [store], {})).rejects.toThrow('by its own tools')
  })
})
