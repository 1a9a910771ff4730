import { createHash, randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type S3Proxy, startS3Proxy } from '../../test/s3-proxy.ts'
import { backupFolder, makeBackupKey, restoreBackups, verifyBackups } from '../admin/backup-folder.ts'
import { type Config, loadConfig } from '../config.ts'
import { type ConnectedDatabase, connectDatabase } from '../db/connect.ts'
import { inTransaction } from '../db/database.ts'
import { dropBlobs, publishBlobs, stageBlob } from '../storage/blobs.ts'
import { collectBlobs } from '../storage/care/collection.ts'
import { describeStorage } from '../storage/describe-storage.ts'
import { storeIdKey } from '../storage/keys.ts'
import { openStorage } from '../storage/open-storage.ts'
import { getTestS3Endpoint, s3Settings } from '../storage/s3/s3-server.contract.ts'
import type { ObjectStorage } from '../storage/storage.ts'
import { ensureStoreId } from '../storage/store-id.ts'
import { keepBackups } from './keep.ts'

const log = pino({ level: 'silent' })

describe('backups of contents in a bucket', { timeout: 240_000 }, () => {
  let folder: string
  let store: string
  let proxy: S3Proxy
  let bucket: Record<string, string>
  let config: Config
  let source: ConnectedDatabase
  let storage: ObjectStorage
  /** When both contents were there. */
  let late: string
  /** Larger than a part of an upload to S3. */
  const first = randomBytes(12_000_000)
  const second = randomBytes(50_000)

  const settings = (name: string, place: Record<string, string>): Config =>
    loadConfig({
      NMP_DATA_DIR: join(folder, name),
      NMP_BACKUP_KEY_FILE: join(folder, 'key'),
      NMP_BACKUP_DIR: store,
      ...place,
    })
  const keep = () => keepBackups({ config, connection: source.connection, storage, log }, new AbortController().signal)
  const publish = async (id: string, bytes: Buffer): Promise<void> => {
    const blob = await stageBlob(storage, { id, epoch: 0 }, Readable.from([bytes]))
    await inTransaction(source.db, (trx) => publishBlobs(trx, { kind: 'test', id }, [{ ...blob, logicalPath: 'a' }]))
  }
  const restore = (name: string, place: Record<string, string>) =>
    restoreBackups.runOffline(settings(name, place), [store], { at: late })
  const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
  /** The contents that a program on the restored folder would serve, by their hashes, the largest first. */
  const read = async (name: string, place: Record<string, string>): Promise<string[]> => {
    const restored = settings(name, place)
    const database = await connectDatabase(restored, log)
    const objects = await openStorage(describeStorage(restored, '', ''))
    try {
      await ensureStoreId(database.db, objects)
      const blobs = await database.pool.query('select store_key as key from blobs order by size_bytes desc')
      const bodies: string[] = []
      for (const { key } of blobs.rows) bodies.push(hash(await buffer((await objects.getObject(key)).body)))
      return bodies
    } finally {
      await objects.close()
      await database.close()
    }
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'nmp-s3-backups-'))
    store = join(folder, 'store')
    await mkdir(store)
    proxy = await startS3Proxy(getTestS3Endpoint())
    bucket = s3Settings(proxy.url)
    config = settings('source', bucket)
    await makeBackupKey.runOffline(config, [join(folder, 'key')], {})
    source = await connectDatabase(config, log)
    storage = await openStorage(describeStorage(config, '', ''))
    await ensureStoreId(source.db, storage)
    await publish('first', first)
    await keep()
  })
  afterAll(async () => {
    await storage?.close()
    await source?.close()
    await proxy?.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  test('a bucket that does not answer, or is cut off, ends a backup and leaves the folder good; the next one has everything', async () => {
    await publish('second', second)
    for (const fate of ['is refused', 'is cut'] as const) {
      proxy.setFate(() => fate)
      await expect(keep()).rejects.toThrow()
      proxy.setFate(() => 'passes')
      expect(await verifyBackups.runOffline(config, [store], {})).toMatch(/1 contents: .* all good$/)
    }
    await keep()
    expect(await verifyBackups.runOffline(config, [store], {})).toMatch(/2 contents: .* all good$/)
    await sleep(3)
    late = new Date().toISOString()
    await sleep(3)
    await inTransaction(source.db, (trx) => dropBlobs(trx, { kind: 'test', id: 'first' }))
    await collectBlobs(source.db, storage, { graceSeconds: 0 })
    await keep()
  })

  test('are restored to an empty bucket, whole', async () => {
    const other = s3Settings(getTestS3Endpoint())
    expect(await restore('empty', other)).toContain('2 contents of 12050000 bytes')
    expect(await readdir(join(folder, 'empty'))).toEqual(['postgres'])
    expect(await read('empty', other)).toEqual([hash(first), hash(second)])
  })

  test('are restored beside a bucket that survived: only what it lost since is written', async () => {
    expect(await restore('survived', bucket)).toContain('1 contents of 12000000 bytes, 1 were there already')
    expect(await read('survived', bucket)).toEqual([hash(first), hash(second)])
  })

  test('are restored to a folder', async () => {
    expect(await restore('folder', {})).toContain('2 contents of 12050000 bytes')
    expect(await read('folder', {})).toEqual([hash(first), hash(second)])
  })

  test('are not restored to the bucket of another database, nor when the bucket does not answer', async () => {
    const foreign = s3Settings(getTestS3Endpoint())
    const objects = await openStorage(describeStorage(settings('foreign', foreign), '', ''))
    await objects.putObject(storeIdKey, Readable.from([Buffer.from('another')]))
    await objects.close()
    await expect(restore('refused', foreign)).rejects.toThrow('The object store belongs to another database.')
    proxy.setFate(() => 'is refused')
    await expect(restore('refused', s3Settings(proxy.url))).rejects.toThrow()
    proxy.setFate(() => 'passes')
    expect((await readdir(folder)).includes('refused')).toBe(false)
  })

  test('a content that is gone from the bucket is named, and everything else is there', async () => {
    const { rows } = await source.pool.query<{ key: string }>('select store_key as key from blobs')
    for (const { key } of rows) await storage.deleteObject(key)
    const other = join(folder, 'by-hand')
    await mkdir(other)
    await expect(backupFolder.run({ ...source, config }, [other], {})).rejects.toThrow(
      /has everything as of \S+ but 1 contents that are damaged or gone here/,
    )
  })
})
