import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../../../fixtures/fixture.ts'
import { createFixtureImport, importFixture, waitForImport } from '../../test/import-dataset.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { type S3Fate, type S3Proxy, startS3Proxy } from '../../test/s3-proxy.ts'
import { checkStore } from '../storage/care/check.ts'
import { collectBlobs, collectRuns } from '../storage/care/collection.ts'
import { getTestS3Endpoint, s3Settings } from '../storage/s3/s3-server.contract.ts'

const lerobot = getFixture('lerobot')
const hdf5 = getFixture('hdf5')
const place = { org: 'ada', project: 'default' }
const path = '/api/v1/orgs/ada/projects/default/imports'
const sources = [
  ['recorded-v3.0-two-cameras', lerobot],
  ['recorded-v2.1', lerobot],
  ['robomimic_lift_low_dim.hdf5', hdf5],
] as const
const quick = { backoff: { baseSeconds: 1, capSeconds: 1 }, pollSeconds: 0.2 }

describe('imports on S3', { timeout: 240_000 }, () => {
  let proxy: S3Proxy
  let program: TestProgram
  let bearer: string
  /** By source, as a folder store gives it. */
  const digests = new Map<string, string>()

  const digestOf = async (asked: TestProgram, session: string, id: string) =>
    (await asked.call('GET', `${path}/${id}/report`, { bearer: session })).body.item.result.digest
  // An option that changes nothing here, and makes the request another one: the same request would take over the result.
  const create = (slug: string) =>
    createFixtureImport(program, bearer, {
      ...place,
      slug,
      folder: join(lerobot, 'recorded-v2.1'),
      options: { task: slug },
    })
  const settle = (id: string) => waitForImport(program, bearer, place, id, 200)

  beforeAll(async () => {
    const local = await startProgram()
    const session = await local.signIn(await local.addUser('ada@example.org'))
    local.startWorker(quick)
    for (const [name, folder] of sources) {
      const slug = name.replaceAll(/[._]/g, '-')
      const job = await importFixture(local, session, { ...place, slug, folder: join(folder, name) })
      digests.set(name, await digestOf(local, session, job.id))
    }
    await local.close()
    proxy = await startS3Proxy(getTestS3Endpoint())
    program = await startProgram(s3Settings(proxy.url))
    bearer = await program.signIn(await program.addUser('ada@example.org'))
    program.startWorker(quick)
  })
  afterEach(() => proxy.setFate(() => 'passes'))
  afterAll(async () => {
    await program?.close()
    await proxy?.close()
  })

  test.each(sources)('%s is the dataset that a folder store gives', async (name, folder) => {
    const slug = name.replaceAll(/[._]/g, '-')
    const job = await importFixture(program, bearer, { ...place, slug, folder: join(folder, name) })
    expect(job).toMatchObject({ status: 'succeeded', consistency_status: 'ok', attempt_count: 1 })
    expect(await digestOf(program, bearer, job.id)).toBe(digests.get(name))
    const { body } = await program.call('GET', `${path}/${job.id}/previews/episode-0.parquet`, { bearer })
    expect((await fetch(body.url)).status).toBe(200)
  })

  test('come out the same when S3 refuses, breaks and cuts every third request', async () => {
    const { id } = await create('noisy')
    const fates: S3Fate[] = ['is refused', 'breaks', 'is cut']
    proxy.setFate((index) => (index % 3 === 1 ? (fates[Math.floor(index / 3) % 3] ?? 'passes') : 'passes'))
    const before = proxy.faults
    const job = await settle(id)
    expect(job).toMatchObject({ status: 'succeeded', consistency_status: 'ok' })
    // Each kind of them at least once; what is stored already is not written again.
    expect(proxy.faults - before).toBeGreaterThan(3)
    expect(await digestOf(program, bearer, id)).toBe(digests.get('recorded-v2.1'))
  })

  test('wait for S3 when it is away, and succeed', async () => {
    const { id } = await create('away')
    proxy.setFate(() => 'is refused')
    const look = async () => (await program.call('GET', `${path}/${id}`, { bearer })).body.item
    let job = await look()
    for (; job.attempt_count === 0 || job.status === 'running'; job = await look()) await sleep(20)
    expect(job).toMatchObject({ status: 'queued', last_error: expect.stringContaining('S3 gave an unexpected answer') })
    proxy.setFate(() => 'passes')
    expect(await settle(id)).toMatchObject({ status: 'succeeded', consistency_status: 'ok' })
    expect(await digestOf(program, bearer, id)).toBe(digests.get('recorded-v2.1'))
  })

  test('fail after three attempts when it stays away, with a report', async () => {
    const { id } = await create('gone')
    proxy.setFate(() => 'is refused')
    const job = await settle(id)
    expect(job).toMatchObject({ status: 'failed', attempt_count: 3, error_code: 'not_ready' })
    proxy.setFate(() => 'passes')
    const { body } = await program.call('GET', `${path}/${id}/report`, { bearer })
    expect(body.item).toMatchObject({ outcome: 'failed', error: { message: job.error_message } })
  })

  test('leave nothing that a collection does not remove', async () => {
    const { db, storage, config } = program.context
    await collectRuns(db, storage, { listActiveJobs: async () => new Set(), graceSeconds: -60 })
    await collectBlobs(db, storage, { graceSeconds: -60 })
    const { findings } = await checkStore(db, storage, {
      level: 'content',
      secondLookSeconds: 0,
      listActiveJobs: async () => new Set(),
    })
    expect(findings).toEqual([])
    const known = new Set((await db.selectFrom('blobs').select('store_key').execute()).map((row) => row.store_key))
    for await (const { key } of storage.listObjects('runs/')) expect(known).toContain(key)
    expect(await readdir(join(config.NMP_DATA_DIR, 'work'))).toEqual([])
  })
})
