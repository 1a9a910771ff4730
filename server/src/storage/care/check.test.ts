import { mkdtemp, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { type Database, inTransaction } from '../../db/database.ts'
import { publishBlobs, stageBlob } from '../blobs.ts'
import { type FolderStorage, openFolderStorage } from '../folder/folder.ts'
import { encodeKeyPath } from '../folder/folder-paths.ts'
import type { Blob } from '../repository.ts'
import { bytesOf, refusal } from '../storage.contract.ts'
import { ensureStoreId } from '../store-id.ts'
import { checkOwner, checkStore } from './check.ts'
import { collectBlobs } from './collection.ts'

const owner = { kind: 'import', id: 'imp_1' }
const quick = { secondLookSeconds: 0.05 }

let database: TestDatabase
let db: Database
let folder: string
let storage: FolderStorage
let blobs: Record<string, Blob>
const open = (path: string) =>
  openFolderStorage({ kind: 'folder', folder: path, signingKey: 'key', publicUrl: 'http://localhost' })

beforeAll(async () => {
  database = await createTestDatabase()
  db = database.db
})
afterAll(() => database?.close())
beforeEach(async () => {
  await sql`truncate blobs, blob_references, object_store`.execute(db)
  folder = await mkdtemp(join(tmpdir(), 'nmp-check-'))
  storage = await open(folder)
  await ensureStoreId(db, storage)
  blobs = {}
  for (const name of ['report', 'model', 'video']) {
    blobs[name] = await stageBlob(storage, { id: owner.id, epoch: 1 }, bytesOf(`the content of ${name}`))
  }
  const entries = Object.entries(blobs).map(([logicalPath, blob]) => ({ logicalPath, ...blob }))
  await inTransaction(db, (trx) => publishBlobs(trx, owner, entries))
  return () => rm(folder, { recursive: true, force: true })
})

const fileOf = (name: string): string => join(folder, 'objects', encodeKeyPath(blobs[name]?.storeKey ?? ''))
const checkContent = () => checkOwner(db, storage, owner, { ...quick, level: 'content' })

describe('the verdict on an owner', () => {
  test('all is well', async () => {
    expect(await checkContent()).toEqual({ status: 'ok', examined: 3, findings: [], soundKeys: [] })
  })

  test('a deleted object is missing', async () => {
    await rm(fileOf('model'))
    expect(await checkOwner(db, storage, owner, quick)).toMatchObject({
      status: 'missing_artifact',
      findings: [{ fault: 'missing', logicalPaths: ['model'] }],
    })
  })

  test('one flipped bit is found by reading, not by looking', async () => {
    await writeFile(fileOf('model'), 'the content of modem')
    expect(await checkOwner(db, storage, owner, quick)).toMatchObject({ status: 'ok' })
    expect(await checkContent()).toMatchObject({ status: 'checksum_mismatch', findings: [{ fault: 'mismatch' }] })
  })

  test('a truncated object is found by looking', async () => {
    await truncate(fileOf('model'), 3)
    expect(await checkOwner(db, storage, owner, quick)).toMatchObject({ status: 'checksum_mismatch' })
  })

  test("another object's bytes are a mismatch", async () => {
    await storage.copyObject(blobs.video?.storeKey ?? '', blobs.model?.storeKey ?? '')
    expect(await checkContent()).toMatchObject({ status: 'checksum_mismatch', findings: [{ logicalPaths: ['model'] }] })
  })

  test('what cannot be read is an error and never missing', async () => {
    await rm(fileOf('model'))
    await symlink(join(folder, 'elsewhere'), fileOf('model'))
    expect(await checkContent()).toMatchObject({ status: 'error', findings: [{ fault: 'unreadable' }] })
  })

  test('a mismatch outranks a missing object, and both are named', async () => {
    await rm(fileOf('video'))
    await truncate(fileOf('model'), 3)
    const { status, findings } = await checkContent()
    expect(status).toBe('checksum_mismatch')
    expect(findings.map((finding) => finding.fault).sort()).toEqual(['mismatch', 'missing'])
  })

  test('an object that is back at the second look was never missing', async () => {
    await rename(fileOf('model'), join(folder, 'aside'))
    const checking = checkOwner(db, storage, owner, { secondLookSeconds: 0.5 })
    setTimeout(() => void rename(join(folder, 'aside'), fileOf('model')), 200)
    expect(await checking).toMatchObject({ status: 'ok', findings: [] })
  })

  test('an object that changes from missing to unreadable is an error', async () => {
    await rm(fileOf('model'))
    const checking = checkOwner(db, storage, owner, { secondLookSeconds: 0.5 })
    setTimeout(() => void symlink(join(folder, 'elsewhere'), fileOf('model')), 200)
    expect(await checking).toMatchObject({ status: 'error', findings: [{ fault: 'unreadable' }] })
  })
})

describe('the store as a whole', () => {
  const listActiveJobs = async () => new Set<string>()
  const checkAll = () => checkStore(db, storage, { ...quick, listActiveJobs, graceSeconds: 0 })

  test('rows without objects and objects without rows', async () => {
    await rm(fileOf('model'))
    const orphan = await stageBlob(storage, { id: 'imp_2', epoch: 3 }, bytesOf('left by a killed worker'))
    expect(await checkAll()).toMatchObject({
      examinedBlobs: 3,
      examinedObjects: 3,
      findings: [{ fault: 'missing', sha256: blobs.model?.sha256 }],
      orphanKeys: [orphan.storeKey],
      stopped: false,
    })
  })

  test('young objects and those of jobs at work are no orphans', async () => {
    const young = await stageBlob(storage, { id: 'imp_2', epoch: 3 }, bytesOf('being written'))
    expect((await checkStore(db, storage, { ...quick, listActiveJobs, graceSeconds: 60 })).orphanKeys).toEqual([])
    const isActive = async () => new Set(['imp_2'])
    expect((await checkStore(db, storage, { ...quick, listActiveJobs: isActive, graceSeconds: 0 })).orphanKeys).toEqual(
      [],
    )
    expect((await checkAll()).orphanKeys).toEqual([young.storeKey])
  })

  test('a store that is not mounted accuses nobody and is not swept', async () => {
    await rename(join(folder, 'objects'), join(folder, 'unmounted'))
    storage = await open(folder)
    expect(await refusal(checkOwner(db, storage, owner, quick))).toBe('not_ready')
    expect(await refusal(checkAll())).toBe('not_ready')
    expect(await refusal(collectBlobs(db, storage, { graceSeconds: 0 }))).toBe('not_ready')
    expect(await refusal(ensureStoreId(db, storage))).toBe('not_ready')
  })

  test("another database's store is refused, and starting twice is not", async () => {
    await ensureStoreId(db, storage)
    await sql`truncate object_store`.execute(db)
    await expect(ensureStoreId(db, storage)).rejects.toThrow('belongs to another database')
  })

  test('processes that start together agree on one store', async () => {
    await sql`truncate blobs, blob_references, object_store`.execute(db)
    await rm(join(folder, 'objects'), { recursive: true })
    storage = await open(folder)
    await Promise.all(Array.from({ length: 5 }, () => ensureStoreId(db, storage)))
    await ensureStoreId(db, storage)
  })

  test('a hundred faults stop the check', async () => {
    const entries = Array.from({ length: 300 }, (_, index) => ({
      logicalPath: String(index),
      sha256: index.toString(16).padStart(64, '0'),
      sizeBytes: 1,
      storeKey: `runs/gone/1/${index}`,
    }))
    await inTransaction(db, (trx) => publishBlobs(trx, { kind: 'import', id: 'gone' }, entries))
    const { stopped, findings, examinedBlobs } = await checkAll()
    expect([stopped, findings.length]).toEqual([true, 100])
    expect(examinedBlobs).toBeLessThan(303)
  })
})
