import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getFixture } from '../../../fixtures/fixture.ts'
import { importFixture } from '../../test/import-dataset.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import type { Context } from '../context.ts'
import { listBlobs } from '../storage/blobs.ts'
import { checkWhatIsDue } from './schedule.ts'
import { checkImports } from './service.ts'

const dataset = getFixture('lerobot/recorded-v2.1')
const place = { org: 'ada', project: 'default' }

let program: TestProgram
let context: Context
let bearer: string
let importId: string
let revisionId: string

beforeAll(async () => {
  program = await startProgram()
  context = program.context
  bearer = await program.signIn(await program.addUser('ada@example.org'))
  program.startWorker()
  const job = await importFixture(program, bearer, { ...place, slug: 'checked', folder: dataset })
  importId = job.id
  revisionId = job.revision_id ?? ''
}, 120_000)
afterAll(() => program.close())

const readJob = async () =>
  (await program.call('GET', `/api/v1/orgs/ada/projects/default/imports/${importId}`, { bearer })).body.item
const check = (level: 'presence' | 'content') => checkImports(context, { level, secondLookSeconds: 0.05 })
const fileOf = async (logicalPath: string): Promise<string> => {
  const blobs = await listBlobs(context.db, { kind: 'revision', id: revisionId })
  const blob = blobs.find((one) => one.logicalPath === logicalPath)
  return (await context.storage.bare.locateObject(blob?.storeKey ?? '')) ?? ''
}
const infoPath = 'dataset/meta/info.json'

test('what was stored is ok at once, and stays so under every look', async () => {
  expect(await readJob()).toMatchObject({ consistency_status: 'ok', consistency_error: null })
  expect(await check('content')).toMatchObject({ examined: 1, faulty: [], unsureCount: 0 })
  expect(await readJob()).toMatchObject({ consistency_status: 'ok' })
})

test('a deleted object is missing, a damaged one a mismatch that only reading finds, a healed one ok again', async () => {
  const file = await fileOf(infoPath)
  await rename(file, `${file}.away`)
  expect(await check('presence')).toMatchObject({ faulty: [{ id: importId, status: 'missing_artifact' }] })
  const missing = await readJob()
  expect(missing.consistency_status).toBe('missing_artifact')
  expect(missing.consistency_error).toContain(infoPath)
  await rename(`${file}.away`, file)
  // What is known to be bad is read, whatever the level.
  expect(await check('presence')).toMatchObject({ faulty: [] })
  expect(await readJob()).toMatchObject({ consistency_status: 'ok' })

  const original = await readFile(file)
  await writeFile(file, Buffer.alloc(original.byteLength, 'x'))
  expect(await check('presence')).toMatchObject({ faulty: [] })
  expect(await check('content')).toMatchObject({ faulty: [{ status: 'checksum_mismatch' }] })
  expect(await readJob()).toMatchObject({ consistency_status: 'checksum_mismatch' })

  await writeFile(file, original)
  await check('content')
  expect(await readJob()).toMatchObject({ consistency_status: 'ok', consistency_error: null })
})

test('a store that is not mounted accuses nobody', async () => {
  const objects = join(context.config.NMP_DATA_DIR, 'objects', 'objects')
  await rename(objects, `${objects}.away`)
  await expect(check('presence')).rejects.toThrow('does not belong to this database')
  await checkWhatIsDue(context)
  await rename(`${objects}.away`, objects)
  expect(await readJob()).toMatchObject({ consistency_status: 'ok' })
})

test('what cannot be read is an error after the third time, and never missing', async () => {
  const { bare } = context.storage
  const blind: Context = {
    ...context,
    storage: {
      ...context.storage,
      bare: {
        ...bare,
        findObject: (key) =>
          key.startsWith('runs/') ? Promise.reject(new Error('EIO: read failed')) : bare.findObject(key),
      },
    },
  }
  const look = () => checkImports(blind, { level: 'presence', secondLookSeconds: 0.01 })
  expect(await look()).toMatchObject({ faulty: [], unsureCount: 1 })
  expect(await readJob()).toMatchObject({ consistency_status: 'ok', consistency_error: expect.stringContaining('EIO') })
  await look()
  expect(await look()).toMatchObject({ faulty: [{ status: 'error' }] })
  expect(await readJob()).toMatchObject({ consistency_status: 'error' })
  await check('presence')
  expect(await readJob()).toMatchObject({ consistency_status: 'ok' })
})

test('when a hundred seem wrong at once, the brake is pulled and none is marked', async () => {
  const { db } = context
  // A hundred and twenty imports that made the same revision.
  await sql`
      with made as (
        insert into jobs (id, org_id, kind, state, claim_epoch, result_digest, result_epoch, finished_at, consistency_status)
        select 'imp_many' || n, org_id, kind, state, claim_epoch, result_digest, result_epoch, finished_at, 'ok'
        from jobs, generate_series(1, 120) as n where id = ${importId} returning id
      )
      insert into imports (id, project_id, dataset_slug, title, source_kind, fingerprint, revision_id)
      select made.id, project_id, dataset_slug, title, source_kind, fingerprint, revision_id
      from made, imports where imports.id = ${importId}`.execute(db)
  const file = await fileOf(infoPath)
  await rename(file, `${file}.away`)
  expect(await check('presence')).toMatchObject({ isStopped: true, faulty: [] })
  const marked = await db.selectFrom('jobs').select('id').where('consistency_status', '=', 'missing_artifact').execute()
  expect(marked).toEqual([])
  await rename(`${file}.away`, file)
  await db.deleteFrom('jobs').where('id', 'like', 'imp_many%').execute()
})

test('the schedule looks at what is due, in one process at a time', async () => {
  const { db } = context
  await rm(await fileOf('read-model/manifest.json'))
  const old = new Date(Date.now() - 2 * 86_400_000)
  await db.updateTable('jobs').set({ consistency_checked_at: old }).where('id', '=', importId).execute()
  const quick = () => checkImports(context, { level: 'presence', dueDays: 1, secondLookSeconds: 0.05 })
  expect(await quick()).toMatchObject({ examined: 1, faulty: [{ status: 'missing_artifact' }] })
  expect(await quick()).toMatchObject({ examined: 0 })
})
