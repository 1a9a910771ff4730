import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { type Database, inTransaction } from '../db/database.ts'
import {
  computeResultDigest,
  dropBlobs,
  findBlob,
  keepBlobs,
  listBlobs,
  openBlob,
  type PublishedEntry,
  publishBlobs,
  stageBlob,
} from './blobs.ts'
import { checkStore } from './care/check.ts'
import { collectBlobs, collectRuns } from './care/collection.ts'
import { openStorage } from './open-storage.ts'
import type { BlobOwner } from './repository.ts'
import { createS3Config, testS3Endpoint } from './s3/s3-server.contract.ts'
import { bytesOf, readText, refusal } from './storage.contract.ts'
import type { ObjectStorage, StorageConfig } from './storage.ts'
import { ensureStoreId } from './store-id.ts'

const hashText = (text: string): string => createHash('sha256').update(text).digest('hex')
const nobody = async (): Promise<ReadonlySet<string>> => new Set()

const createFolderConfig = async (): Promise<StorageConfig> => ({
  kind: 'folder',
  folder: await mkdtemp(join(tmpdir(), 'nmp-blobs-')),
  signingKey: 'key',
  publicUrl: 'http://localhost',
})
const endpoint = testS3Endpoint
const backends = [
  ['a folder', createFolderConfig] as const,
  ...(endpoint === undefined ? [] : [['S3', async () => createS3Config(endpoint)] as const]),
]

describe.each(backends)('blobs in %s', (_name, createConfig) => {
  let database: TestDatabase
  let db: Database
  let config: StorageConfig
  let storage: ObjectStorage
  beforeAll(async () => {
    database = await createTestDatabase()
    db = database.db
    config = await createConfig()
    storage = await openStorage(config)
    await ensureStoreId(db, storage)
  })
  afterAll(async () => {
    await database?.close()
    await storage?.close()
    if (config?.kind === 'folder') await rm(config.folder, { recursive: true })
  })
  beforeEach(() => sql`truncate blobs, blob_references`.execute(db))

  let count = 0
  const newOwner = (): BlobOwner => ({ kind: 'test', id: `owner-${++count}` })
  const newRun = () => ({ id: `imp_${++count}`, epoch: 1 })
  const stage = async (logicalPath: string, text: string, run = newRun()): Promise<Required<PublishedEntry>> => ({
    logicalPath,
    ...(await stageBlob(storage, run, bytesOf(text))),
  })
  const publish = (owner: BlobOwner, entries: PublishedEntry[]) =>
    inTransaction(db, (trx) => publishBlobs(trx, owner, entries))
  const readBlob = async (owner: BlobOwner, path: string): Promise<string> => {
    const { body } = await openBlob(db, storage, owner, path)
    return Buffer.concat(await body.toArray()).toString()
  }
  const collect = () => collectBlobs(db, storage, { graceSeconds: 0 })
  const check = () =>
    checkStore(db, storage, { listActiveJobs: nobody, graceSeconds: 0, secondLookSeconds: 0, level: 'content' })

  describe('publication', () => {
    test('a result is read under the names it was published with', async () => {
      const owner = newOwner()
      const entries = [
        await stage('meta/info.json', 'info'),
        await stage('data/ü.parquet', 'data'),
        await stage('copy', 'data'),
      ]
      await publish(owner, entries)
      expect(await readBlob(owner, 'data/ü.parquet')).toBe('data')
      expect((await listBlobs(db, owner)).map((blob) => [blob.logicalPath, blob.sizeBytes])).toEqual([
        ['copy', 4],
        ['data/ü.parquet', 4],
        ['meta/info.json', 4],
      ])
      expect((await listBlobs(db, owner, { afterPath: 'copy', limit: 1 })).map((blob) => blob.logicalPath)).toEqual([
        'data/ü.parquet',
      ])
      expect(await findBlob(db, owner, 'absent')).toBeUndefined()
      expect(await refusal(openBlob(db, storage, owner, 'absent'))).toBe('not_found')
    })

    test('equal content is stored once, and the copy is named', async () => {
      const [one, other] = [await stage('x', 'same'), await stage('y', 'same')]
      expect(await publish(newOwner(), [one])).toEqual({ redundantKeys: [] })
      const owner = newOwner()
      expect(await publish(owner, [other])).toEqual({ redundantKeys: [other.storeKey] })
      expect((await findBlob(db, owner, 'y'))?.storeKey).toBe(one.storeKey)
    })

    test('nothing is published by a transaction that fails', async () => {
      const owner = newOwner()
      const entry = await stage('x', 'rolled back')
      const failing = inTransaction(db, async (trx) => {
        await publishBlobs(trx, owner, [entry])
        throw new Error('the lease is lost')
      })
      await expect(failing).rejects.toThrow('the lease is lost')
      expect(await listBlobs(db, owner)).toEqual([])
      expect(await keepBlobs(db, [entry.sha256])).toEqual(new Map())
    })

    test('known content needs no second upload, unless it was collected meanwhile', async () => {
      const owner = newOwner()
      await publish(owner, [await stage('x', 'known')])
      const known = (await keepBlobs(db, [hashText('known'), hashText('unknown')])).get(hashText('known'))
      expect(known?.sizeBytes).toBe(5)
      const entry = { logicalPath: 'again', sha256: hashText('known'), sizeBytes: 5 }
      const second = newOwner()
      await publish(second, [entry])
      expect(await readBlob(second, 'again')).toBe('known')
      await inTransaction(db, (trx) => dropBlobs(trx, owner))
      await inTransaction(db, (trx) => dropBlobs(trx, second))
      await collect()
      expect(await refusal(publish(newOwner(), [entry]))).toBe('not_ready')
    })

    test('bytes that are not those announced are dropped', async () => {
      const run = newRun()
      const staging = stageBlob(storage, run, bytesOf('wrong'), {
        expectedSha256: hashText('right'),
        expectedSizeBytes: 5,
      })
      await expect(staging).rejects.toThrow('do not match')
      expect(await refusal(stageBlob(storage, run, bytesOf('short'), { expectedSizeBytes: 6 }))).toBe('not_ready')
      expect(await storage.listObjects(`runs/${run.id}/`)[Symbol.asyncIterator]().next()).toMatchObject({ done: true })
    })

    test('the digest of a result depends on paths, sizes and contents and not on their order', async () => {
      const entries = [await stage('a', '1'), await stage('b', '2')]
      const digest = computeResultDigest(entries)
      expect(computeResultDigest([...entries].reverse())).toBe(digest)
      expect(computeResultDigest([await stage('a', '1'), await stage('b', '3')])).not.toBe(digest)
      expect(computeResultDigest([await stage('a', '1'), await stage('c', '2')])).not.toBe(digest)
    })

    test('results of thousands of files, published at the same time, do not block each other for good', async () => {
      // More than one statement each; of more than two, the last would wait for the lock of all others.
      const shared = Array.from({ length: 5_200 }, (_, index) => ({
        logicalPath: `file-${index}`,
        sha256: hashText(`shared ${index}`),
        sizeBytes: 1,
      }))
      const owners = [newOwner(), newOwner()]
      await Promise.all(
        owners.map((owner, shift) => {
          const entries = shared.map((entry, index) => ({ ...entry, storeKey: `runs/many/${shift}/${index}` }))
          return publish(owner, [...entries.slice(shift * 1000), ...entries.slice(0, shift * 1000)])
        }),
      )
      for (const owner of owners) expect(await listBlobs(db, owner, { limit: 10_000 })).toHaveLength(5_200)
    })
  })

  describe('collection', () => {
    test('keeps what is needed or young, removes what nobody needs', async () => {
      const [kept, dropped] = [newOwner(), newOwner()]
      const [one, two, both] = [
        await stage('1', 'only kept'),
        await stage('2', 'only dropped'),
        await stage('3', 'both'),
      ]
      await publish(kept, [one, both])
      await publish(dropped, [two, both])
      await inTransaction(db, (trx) => dropBlobs(trx, dropped))
      expect(await collectBlobs(db, storage, { graceSeconds: 3600 })).toEqual({ examined: 3, deleted: 0 })
      expect(await collect()).toEqual({ examined: 3, deleted: 1 })
      expect(await storage.findObject(two.storeKey)).toBeUndefined()
      expect([await readBlob(kept, '1'), await readBlob(kept, '3')]).toEqual(['only kept', 'both'])
    })

    test('content that comes back while it is removed keeps its new copy', async () => {
      const old = await stage('x', 'comes back')
      const first = newOwner()
      await publish(first, [old])
      await inTransaction(db, (trx) => dropBlobs(trx, first))
      await sql`update blobs set state = 'deleting'`.execute(db) // a collector was killed after its first step
      const fresh = await stage('x', 'comes back')
      const owner = newOwner()
      expect(await publish(owner, [fresh])).toEqual({ redundantKeys: [] })
      await collect()
      expect(await readBlob(owner, 'x')).toBe('comes back')
      await collectRuns(db, storage, { listActiveJobs: nobody, graceSeconds: 0 })
      expect(await storage.findObject(old.storeKey)).toBeUndefined()
      expect(await readText(storage, fresh.storeKey)).toBe('comes back')
    })

    test('a collector killed between its steps is finished by the next', async () => {
      const blob = await stage('x', 'half collected')
      const owner = newOwner()
      await publish(owner, [blob])
      await inTransaction(db, (trx) => dropBlobs(trx, owner))
      await sql`update blobs set state = 'deleting'`.execute(db)
      await storage.deleteObject(blob.storeKey)
      expect(await collect()).toMatchObject({ deleted: 1 })
      expect((await db.selectFrom('blobs').selectAll().execute()).length).toBe(0)
    })

    test('the database refuses a reference to content that is being removed', async () => {
      const blob = await stage('x', 'dying')
      const owner = newOwner()
      await publish(owner, [blob])
      await inTransaction(db, (trx) => dropBlobs(trx, owner))
      await sql`update blobs set state = 'deleting'`.execute(db)
      const row = { owner_kind: 'test', owner_id: 'late', logical_path: 'x', sha256: blob.sha256, org_id: null }
      await expect(db.insertInto('blob_references').values(row).execute()).rejects.toThrow('is not live')
    })

    test('what a run left is removed once its job is over, and what it published stays', async () => {
      const [active, over] = [newRun(), newRun()]
      const [working, left, published] = [
        await stage('1', 'working', active),
        await stage('2', 'left', over),
        await stage('3', 'published', over),
      ]
      await publish(newOwner(), [published])
      const listActiveJobs = async (ids: readonly string[]) => new Set(ids.filter((id) => id === active.id))
      await collectRuns(db, storage, { listActiveJobs, graceSeconds: 3600 })
      expect(await storage.findObject(left.storeKey)).toBeDefined()
      await collectRuns(db, storage, { listActiveJobs, graceSeconds: 0 })
      expect(await storage.findObject(left.storeKey)).toBeUndefined()
      expect(await readText(storage, working.storeKey)).toBe('working')
      expect(await readText(storage, published.storeKey)).toBe('published')
    })

    test('publishers, droppers and collectors without any grace never lose what someone needs', async () => {
      const texts = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(100) + randomBytes(4).toString('hex'))
      const active = new Set<string>()
      const tally = { published: 0, reused: 0, collected: 0 }
      // Less would prove nothing.
      const isEnough = () => tally.published >= 60 && tally.reused >= 10 && tally.collected >= 20
      const pick = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)] as T

      const publisher = async (): Promise<void> => {
        while (!isEnough()) {
          const run = newRun()
          active.add(run.id)
          const text = pick(texts)
          const owner = newOwner()
          const known = Math.random() < 0.5 ? (await keepBlobs(db, [hashText(text)])).get(hashText(text)) : undefined
          const entry = known
            ? { logicalPath: 'x', sha256: known.sha256, sizeBytes: known.sizeBytes }
            : await stage('x', text, run)
          await sleep(Math.random() * 5)
          const outcome = await refusal(publish(owner, [entry]))
          active.delete(run.id)
          if (outcome === 'accepted') {
            tally[known ? 'reused' : 'published']++
            expect(await readBlob(owner, 'x')).toBe(text)
            await sleep(Math.random() * 10)
            expect(await readBlob(owner, 'x')).toBe(text)
            await inTransaction(db, (trx) => dropBlobs(trx, owner))
          } else {
            expect(outcome).toBe('not_ready')
          }
        }
      }
      const collector = async (): Promise<void> => {
        while (!isEnough()) {
          tally.collected += (await collect()).deleted
          const listActiveJobs = async (ids: readonly string[]) => new Set(ids.filter((id) => active.has(id)))
          await collectRuns(db, storage, { listActiveJobs, graceSeconds: 0 })
        }
      }
      await Promise.all([publisher(), publisher(), publisher(), publisher(), collector(), collector()])

      await collect()
      await collectRuns(db, storage, { listActiveJobs: nobody, graceSeconds: 0 })
      expect(await check()).toMatchObject({ examinedObjects: 0, findings: [], orphanKeys: [] })
    })
  })
})
