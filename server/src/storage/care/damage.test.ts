import { createHash, randomBytes } from 'node:crypto'
import { readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getFixture } from '../../../../fixtures/fixture.ts'
import { openExporter } from '../../../test/exporter.ts'
import { pushFiles } from '../../../test/hub-push.ts'
import { importFixture, uploadBytes, waitForImport } from '../../../test/import-dataset.ts'
import { startProgram, type TestProgram } from '../../../test/program.ts'
import { waitUntil } from '../../../test/wait-until.ts'
import { checkWhatIsDue, walk } from '../../consistency/schedule.ts'
import { checkImports } from '../../consistency/service.ts'
import { archiveUrl, posterUrl } from '../../media/urls.ts'
import { listBlobs } from '../blobs.ts'

const dataPath = 'data/chunk-000/file-000.parquet'
const place = { org: 'ada', project: 'default' }

let program: TestProgram
let ada: { bearer: string; token: string }
let eve: { bearer: string; token: string }
let job: { id: string; dataset_id: string | null; revision_id: string | null }

beforeAll(async () => {
  program = await startProgram()
  const join = async (name: string) => {
    const user = await program.addUser(`${name}@example.org`)
    const token = await program.makeToken(user, ['workspace:read', 'imports:write'])
    return { bearer: await program.signIn(user), token }
  }
  ada = await join('ada')
  eve = await join('eve')
  program.startWorker({ backoff: { baseSeconds: 0.1, capSeconds: 1 } })
  job = await importFixture(program, ada.bearer, {
    ...place,
    slug: 'kept',
    folder: getFixture('lerobot/recorded-v3.0-two-cameras'),
  })
}, 120_000)
afterAll(() => program.close())

/** Where the bytes of a file of the dataset lie. */
const placeOf = async (path: string): Promise<string> => {
  const { db, storage } = program.context
  const blobs = await listBlobs(db, { kind: 'revision', id: job.revision_id ?? '' })
  const key = blobs.find(({ logicalPath }) => logicalPath === `dataset/${path}`)?.storeKey ?? ''
  return (await storage.bare.locateObject(key)) ?? ''
}
const spoil = async (path: string): Promise<Buffer<ArrayBuffer>> => {
  const file = await placeOf(path)
  const good = await readFile(file)
  const bad = Buffer.from(good)
  bad.fill(0x55, Math.floor(bad.length / 3), Math.floor(bad.length / 2))
  await writeFile(file, bad)
  return good
}
const read = async (path: string, headers: Record<string, string> = {}, repo = 'ada/kept') => {
  const answer = await fetch(`${program.url}/hf/datasets/${repo}/resolve/main/${path}`, {
    headers: { authorization: `Bearer ${ada.token}`, ...headers },
  })
  return { status: answer.status, etag: answer.headers.get('etag'), bytes: Buffer.from(await answer.arrayBuffer()) }
}
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const readStatus = async () => (await program.call('GET', '/api/v1/status')).body.item
const readJob = async () =>
  (await program.call('GET', `/api/v1/orgs/ada/projects/default/imports/${job.id}`, { bearer: ada.bearer })).body.item
const untilDamaged = (count: number) =>
  waitUntil(async () => (await readStatus()).storage_check.damaged_count === count || undefined, {
    seconds: 30,
    describe: () => `not ${count} contents are damaged`,
  })
const subjectOf = () => ({
  dataset: { id: job.dataset_id ?? '', visibility: 'private' as const },
  revision: { id: job.revision_id ?? '' },
})
/** Undefined where it is cut off. */
const downloadTar = () =>
  fetch(archiveUrl(program.context, subjectOf())).then((answer) =>
    answer.arrayBuffer().then(
      () => answer.status,
      () => undefined,
    ),
  )

test('rot is not given out, ranges and exports included, and the good bytes of a stranger heal it for everybody', async () => {
  const good = await spoil(dataPath)
  expect(await read(dataPath)).toMatchObject({ status: 502 })
  await untilDamaged(1)
  const range = await read(dataPath, { range: 'bytes=0-99' })
  expect(range.status).toBe(502)
  expect(JSON.parse(range.bytes.toString())).toMatchObject({ error: expect.stringContaining('damaged') })
  expect(await readStatus()).toMatchObject({ status: 'degraded' })
  const metrics = (await program.call('GET', '/metrics')).body
  expect(metrics).toContain('nmp_damaged_contents_total{event="found",fault="mismatch"} 1')

  const exporter = await openExporter(program, ada.bearer, 'ada', 'default')
  const version = await exporter.derive(job.dataset_id ?? '', {})
  const failed = await exporter.waitForEnd(version.id, await exporter.queue(version.id))
  expect(failed).toMatchObject({ status: 'failed', error_message: expect.stringContaining('damaged or gone') })

  await uploadBytes(program, eve.bearer, 'again.parquet', good)
  const healed = await read(dataPath)
  expect(healed).toMatchObject({ status: 200, etag: `"${hashOf(healed.bytes)}"` })
  expect(healed.bytes.equals(good)).toBe(true)
  expect(await readStatus()).toMatchObject({ status: 'ok', storage_check: { damaged_count: 0 } })
  const exported = await exporter.waitForEnd(version.id, await exporter.queue(version.id))
  expect(exported).toMatchObject({ status: 'succeeded' })
  await exporter.close()
}, 120_000)

test('what nobody knew to be bad leaves by no download and no export: what is read whole is compared', async () => {
  const good = await spoil(dataPath)
  expect(await downloadTar()).not.toBe(200)
  await untilDamaged(1)
  await uploadBytes(program, eve.bearer, 'again.parquet', good)
  expect(await downloadTar()).toBe(200)

  await spoil(dataPath)
  const exporter = await openExporter(program, ada.bearer, 'ada', 'default')
  const version = await exporter.derive(job.dataset_id ?? '', { selected_episode_indices: [0] }, 'again')
  const failed = await exporter.waitForEnd(version.id, await exporter.queue(version.id))
  expect(failed).toMatchObject({ status: 'failed', error_message: expect.stringContaining('damaged or gone') })
  await exporter.close()
  await uploadBytes(program, eve.bearer, 'again.parquet', good)
  await untilDamaged(0)
}, 120_000)

test('what rots between its upload and its import is not imported: it is read while it is worked on, and nothing comes of it', async () => {
  const { db, storage } = program.context
  const bytes = await readFile(getFixture('hdf5/robomimic_0.5_lift_image.hdf5'))
  const id = await uploadBytes(program, eve.bearer, 'lift.hdf5', bytes)
  const [blob] = await listBlobs(db, { kind: 'upload', id })
  const file = (await storage.bare.locateObject(blob?.storeKey ?? '')) ?? ''
  // A pixel: no parser stumbles over it.
  const middle = Math.floor(bytes.length / 2)
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  await writeFile(file, bytes)
  const eves = { org: 'eve', project: 'default' }
  const { body } = await program.call('POST', '/api/v1/orgs/eve/projects/default/imports', {
    bearer: eve.bearer,
    body: { source_kind: 'hdf5', dataset_slug: 'rotten', upload_ids: [id] },
  })
  const ended = await waitForImport(program, eve.bearer, eves, body.item.id)
  expect(ended).toMatchObject({ status: 'failed', error_message: expect.stringContaining('damaged or gone') })
  const shown = await program.call('GET', '/api/v1/orgs/eve/projects/default/datasets/rotten', { bearer: eve.bearer })
  expect(shown.status).toBe(404)
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  await uploadBytes(program, eve.bearer, 'again.hdf5', bytes)
  await untilDamaged(0)
}, 120_000)

test('good bytes heal what nobody knew to be gone', async () => {
  const file = await placeOf(dataPath)
  const good = await readFile(file)
  await rm(file)
  await pushFiles({ url: program.url, token: eve.token }, 'eve/same', [{ path: 'copy.parquet', content: good }])
  expect((await read(dataPath)).bytes.equals(good)).toBe(true)
})

test('of a large file that does not hold the last block is never sent', async () => {
  const content = randomBytes(1_000_000)
  await pushFiles({ url: program.url, token: ada.token }, 'ada/large', [{ path: 'large.bin', content }])
  const sha256 = hashOf(content)
  const { storeKey } = await program.context.db
    .selectFrom('blobs')
    .select('store_key as storeKey')
    .where('sha256', '=', sha256)
    .executeTakeFirstOrThrow()
  const file = (await program.context.storage.bare.locateObject(storeKey)) ?? ''
  expect(hashOf((await read('large.bin', {}, 'ada/large')).bytes)).toBe(sha256)
  await writeFile(file, Buffer.concat([content.subarray(0, 500_000), Buffer.alloc(500_000, 7)]))
  const answer = await fetch(`${program.url}/hf/datasets/ada/large/resolve/main/large.bin`, {
    headers: { authorization: `Bearer ${ada.token}` },
  })
  let received = 0
  await expect(async () => {
    for await (const piece of answer.body ?? []) received += piece.byteLength
  }).rejects.toThrow()
  expect(received).toBeLessThan(content.byteLength)
  await untilDamaged(1)
  expect((await read('large.bin', {}, 'ada/large')).status).toBe(502)
  await writeFile(file, content)
  // By what worker processes do every ten minutes.
  await checkWhatIsDue(program.context)
  expect(await readStatus()).toMatchObject({ storage_check: { damaged_count: 0 } })
})

test('the walk over everything finds damage, says so to whom it concerns, and takes it back when it is gone', async () => {
  const { db } = program.context
  const info = 'meta/info.json'
  const good = await spoil(info)
  await sql`update blobs set read_at = now() - interval '31 days'`.execute(db)
  expect(await readStatus()).toMatchObject({ status: 'degraded', storage_check: { is_on_schedule: false } })
  const found = await walk(program.context, { secondLookSeconds: 0 })
  expect(found).toMatchObject({ damaged: [hashOf(good)], isStopped: false })
  const { count } = await db
    .selectFrom('blobs')
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  expect(found.readCount).toBe(count)
  expect(await readStatus()).toMatchObject({
    status: 'degraded',
    storage_check: { damaged_count: 1, period_days: 30, last_walk: { content_count: found.readCount } },
  })
  const operator = await program.signIn(await program.addUser('admin@localhost'))
  const details = (await program.call('GET', '/api/v1/status/details', { bearer: operator })).body.item
  expect(details).toMatchObject({
    workers: [{ concurrency: 2 }],
    storage: 'folder',
    disk: { reserve_bytes: 1024 ** 3 },
  })
  expect(details.damaged).toMatchObject([{ sha256: hashOf(good), fault: 'mismatch' }])
  expect(details.damaged[0].needed_by).toContainEqual({
    kind: 'revision',
    id: job.revision_id,
    path: `dataset/${info}`,
    org_slug: 'ada',
    dataset_id: job.dataset_id,
    title: 'kept',
  })
  expect((await program.call('GET', '/api/v1/status/details', { bearer: ada.bearer })).status).toBe(403)
  expect(await readJob()).toMatchObject({ consistency_status: 'checksum_mismatch' })
  expect(await downloadTar()).not.toBe(200)

  await writeFile(await placeOf(info), good)
  expect(await walk(program.context, { secondLookSeconds: 0 })).toMatchObject({ healed: [hashOf(good)] })
  expect(await readJob()).toMatchObject({ consistency_status: 'ok', consistency_error: null })
  expect(await readStatus()).toMatchObject({ storage_check: { damaged_count: 0, is_on_schedule: true } })
  expect((await walk(program.context, { secondLookSeconds: 0 })).readCount).toBeLessThan(count)

  // Within the period that is set: two days ago is soon enough for 30 days, and too long ago for one.
  await sql`update blobs set read_at = now() - interval '2 days'`.execute(db)
  expect((await walk(program.context, { secondLookSeconds: 0 })).readCount).toBeLessThan(count)
  const daily = { ...program.context, config: { ...program.context.config, NMP_CHECK_PERIOD_DAYS: 1 } }
  await sql`update blobs set read_at = now() - interval '2 days'`.execute(db)
  expect((await walk(daily, { secondLookSeconds: 0 })).readCount).toBe(count)
})

test('a damaged video is a 502 that says so, for its pictures and its bytes', async () => {
  const camera = 'observation.images.top'
  const path = `videos/${camera}/chunk-000/file-000.mp4`
  const file = await placeOf(path)
  const good = await readFile(file)
  await writeFile(file, Buffer.alloc(good.byteLength, 0x55))
  const subject = subjectOf()
  const poster = await fetch(posterUrl(program.context, subject, { episode: 1, camera, frame: 3 }))
  expect([poster.status, await poster.json()]).toEqual([502, expect.objectContaining({ code: 'content_damaged' })])
  expect((await readStatus()).storage_check.damaged_count).toBe(1)
  expect((await read(path, { range: 'bytes=0-99' })).status).toBe(502)
  await checkImports(program.context, { level: 'presence', secondLookSeconds: 0 })
  expect(await readJob()).toMatchObject({ consistency_status: 'checksum_mismatch' })

  await uploadBytes(program, eve.bearer, 'again.mp4', good)
  expect(await readJob()).toMatchObject({ consistency_status: 'ok', consistency_error: null })
  expect((await fetch(posterUrl(program.context, subject, { episode: 1, camera, frame: 3 }))).status).toBe(200)
  await truncate(await placeOf(path), 1000)
  expect((await read(path, { range: 'bytes=0-99' })).status).toBe(502)
})
