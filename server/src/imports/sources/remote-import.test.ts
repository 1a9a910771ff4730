import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../../../../fixtures/fixture.ts'
import { chooseCases } from '../../../../fixtures/test-where.ts'
import { type HubServer, startHubServer } from '../../../test/hub-server.ts'
import { importFixture, waitForImport } from '../../../test/import-dataset.ts'
import { startProgram, type TestProgram } from '../../../test/program.ts'
import type { ImportJob } from '../record.ts'

const lerobot = getFixture('lerobot')
const hdf5 = getFixture('hdf5')
const sets = ['recorded-v2.0', 'recorded-v2.1', 'recorded-v3.0-many-files']
const imports = '/api/v1/orgs/ada/projects/default/imports'
const place = { org: 'ada', project: 'default' }

describe('an import from elsewhere', { timeout: 240_000 }, () => {
  let hub: HubServer
  let program: TestProgram
  let bearer: string
  let scratch: string
  let slugs = 0

  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'nmp-remote-'))
    execFileSync('tar', ['-czf', join(scratch, 'set.tgz'), '-C', lerobot, 'recorded-v2.1'])
    hub = await startHubServer(undefined, {
      extra: [
        { path: 'robomimic.hdf5', content: await readFile(join(hdf5, 'robomimic_lift_low_dim.hdf5')), isLarge: true },
        { path: 'set.tgz', content: await readFile(join(scratch, 'set.tgz')), isLarge: true },
      ],
    })
    for (const name of sets) await hub.addRepository(`lab/${name}`, join(lerobot, name), { tags: ['v1'] })
    await hub.addRepository('lab/private', join(lerobot, 'recorded-v2.1'), { token: 'hf_planted_secret' })
    await hub.addRepository('lab/gated', join(lerobot, 'recorded-v2.1'), { isGated: true })
    const evil = { path: '../../evil.json', content: Buffer.from('x'), isLarge: false }
    await hub.addRepository('lab/evil', join(lerobot, 'recorded-v2.1'), { extra: [evil] })
    program = await startProgram({ NMP_HF_ENDPOINT: hub.url, NMP_SOURCE_ALLOW: hub.allow })
    bearer = await program.signIn(await program.addUser('ada@example.org'))
    program.startWorker({ pollSeconds: 0.2, sweepSeconds: 0.2, backoff: { baseSeconds: 0.1, capSeconds: 0.5 } })
  })
  afterEach(() => hub.setFaults())
  afterAll(async () => {
    await program.close()
    await hub.close()
    await rm(scratch, { recursive: true, force: true })
  })

  const create = (body: Record<string, unknown>) =>
    program.call('POST', imports, { bearer, body: { dataset_slug: `set-${++slugs}`, ...body } })
  const bring = async (body: Record<string, unknown>): Promise<ImportJob> => {
    const { status, body: answer } = await create(body)
    expect(status, JSON.stringify(answer)).toBe(201)
    return waitForImport(program, bearer, place, answer.item.id)
  }
  const bringRepository = (name: string, more: Record<string, unknown> = {}) =>
    bring({ source_kind: 'huggingface', hf_repo_id: `lab/${name}`, ...more })
  const resultOf = async (job: ImportJob) =>
    (await program.call('GET', `${imports}/${job.id}/report`, { bearer })).body.item.result

  test.each([
    [
      { hf_repo_id: 'lab/recorded-v2.1' },
      { exists: true, private: false, gated: false, codebase_version: 'v2.1', file_count: 16 },
    ],
    [
      { hf_repo_id: 'lab/private' },
      { exists: false, revision: null, sentence: expect.stringContaining('give an access token') },
    ],
    [
      { hf_repo_id: 'lab/private', hf_token: 'hf_planted_secret' },
      { exists: true, private: true, codebase_version: 'v2.1' },
    ],
    [{ hf_repo_id: 'lab/gated' }, { exists: true, gated: true, sentence: expect.stringContaining('Accept its terms') }],
    [{ hf_repo_id: 'lab/set' }, { exists: true, codebase_version: null, sentence: 'lab/set contains HDF5 files.' }],
  ])('is told what it would find: %j', async (body, expected) => {
    const answer = await program.call('POST', `${imports}/check`, { bearer, body })
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    expect(answer.body.item).toMatchObject(expected)
  })

  test.each(chooseCases(sets, (name) => name === 'recorded-v2.1'))(
    '%s, from the hub, is the dataset that an upload of it gives',
    async (name) => {
      const job = await bringRepository(name, { hf_revision: 'v1' })
      expect(job).toMatchObject({
        status: 'succeeded',
        attempt_count: 1,
        consistency_status: 'ok',
        hf_repo_id: `lab/${name}`,
      })
      expect(job.hf_revision).toMatch(/^[0-9a-f]{40}$/)
      expect(job.downloaded_bytes).toBe(job.total_bytes)
      const uploaded = await importFixture(program, bearer, {
        ...place,
        slug: `upload-${++slugs}`,
        folder: join(lerobot, name),
      })
      expect((await resultOf(job)).digest).toBe((await resultOf(uploaded)).digest)
    },
  )

  test('comes out the same from a hub that breaks, refuses, waits and lies on the way', async () => {
    const quiet = await bringRepository('recorded-v3.0-many-files')
    hub.setFaults(
      { kind: 'status', status: 429, headers: { 'retry-after': '1' }, times: 1, on: /\/tree\// },
      { kind: 'cut', afterBytes: 5000, times: 4 },
      { kind: 'status', status: 503, times: 3 },
      { kind: 'ignore-range', times: 2 },
      { kind: 'flip', times: 1 },
      { kind: 'short', bytes: 100, times: 2, on: /\/resolve\// },
    )
    const noisy = await bringRepository('recorded-v3.0-many-files')
    expect(noisy).toMatchObject({ status: 'succeeded', consistency_status: 'ok' })
    expect(noisy.attempt_count).toBe(2)
    expect((await resultOf(noisy)).digest).toBe((await resultOf(quiet)).digest)
  })

  test('of bytes that are wrong every time fails after three attempts, with the file', async () => {
    hub.setFaults({ kind: 'flip', on: /info\.json$/ })
    const job = await bringRepository('recorded-v2.1')
    expect(job).toMatchObject({ status: 'failed', attempt_count: 3, error_code: 'source_corrupt', dataset_id: null })
    expect(job.error_message).toContain('meta/info.json arrived with different content than its source announced')
  })

  test('of a name that no repository can have is a 422 in its one form', async () => {
    const { status, body } = await program.call('POST', `${imports}/check`, {
      bearer,
      body: { hf_repo_id: 'lab/a--b' },
    })
    expect(status).toBe(422)
    expect(body.detail).toEqual([{ loc: ['body'], msg: expect.stringContaining('owner/name'), type: 'source_invalid' }])
  })

  test('of a private repository needs its token, and nothing keeps that', async () => {
    const refused = await bringRepository('private')
    expect(refused).toMatchObject({
      status: 'failed',
      attempt_count: 1,
      error_code: 'source_not_found',
      error_message: expect.stringContaining('give an access token'),
    })
    const job = await bringRepository('private', { hf_token: 'hf_planted_secret' })
    expect(job.status).toBe('succeeded')
    expect(JSON.stringify(job)).not.toContain('hf_planted')
    expect(hub.credentials.some((line) => line.startsWith('localhost') || line.includes('/storage/'))).toBe(false)
  })

  test.each([
    ['gated', 'source_forbidden', 'Accept its terms'],
    ['evil', 'invalid_path', 'leads outside its folder'],
    ['absent', 'source_not_found', 'There is no dataset repository lab/absent'],
  ])('of %s fails at once with a sentence', async (name, code, words) => {
    const job = await bringRepository(name)
    expect(job).toMatchObject({ status: 'failed', attempt_count: 1, error_code: code })
    expect(job.error_message).toContain(words)
  })

  test.each([
    ['robomimic.hdf5', 'hdf5'],
    ['set.tgz', 'lerobot'],
  ])('of %s at an address', async (name, kind) => {
    const address = `${hub.url}/datasets/lab/set/resolve/main/${name}?signature=planted_secret`
    const job = await bring({ source_kind: kind, source_uri: address })
    expect(job).toMatchObject({ status: 'succeeded', consistency_status: 'ok' })
    expect(job.source_uri).toContain(`/resolve/main/${name}`)
    expect(JSON.stringify(job)).not.toContain('planted_secret')
  })

  test('of an address inside is refused when it is asked for, and when it is redirected to', async () => {
    for (const source_uri of [
      'http://127.0.0.1:9/x.h5',
      'https://169.254.169.254/x.h5',
      'https://[::1]/x.h5',
      'file:///etc/passwd',
      'https://a:b@example.com/x.h5',
    ]) {
      const { status, body } = await create({ source_kind: 'hdf5', source_uri })
      expect(status, source_uri).toBe(422)
      expect(body.detail[0].loc).toEqual(['body', 'source_uri'])
    }
    hub.setFaults({ kind: 'redirect', location: 'https://169.254.169.254/latest', on: /x\.h5$/ })
    const job = await bring({ source_kind: 'hdf5', source_uri: `${hub.url}/x.h5` })
    expect(job).toMatchObject({ status: 'failed', attempt_count: 1, error_code: 'source_not_allowed' })
  })
})
