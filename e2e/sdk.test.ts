import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, createClient, JobError } from '@nmp/sdk/client'
import { downloadFile } from '@nmp/sdk/node-download'
import { uploadPaths } from '@nmp/sdk/node-files'
import { downloadVersion } from '@nmp/sdk/node-versions'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getFixture } from '../fixtures/fixture.ts'
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts'
import { cleanUp, makeFolder, type Program, startProgram } from './program.ts'

const folder = getFixture('lerobot/recorded-v2.1')
const place = { org_slug: 'admin', project_slug: 'default' }

let program: Program
let token: string
let client: Client
let proxy: FaultyProxy

beforeAll(async () => {
  program = await startProgram()
  const bearer = await program.mustAdmin('session', 'admin@localhost')
  const scopes = ['workspace:read', 'imports:write', 'datasets:write', 'versions:write', 'exports:write']
  const made = await program.call('POST', '/api/v1/users/me/tokens', { bearer, body: { name: 'sdk', scopes } })
  token = made.body.token
  client = createClient({ baseUrl: program.url, token })
  proxy = await startFaultyProxy(program.url, { cutAfterBytes: [4_000, 60_000], share: 0.6, delayMs: 5 })
})
afterAll(async () => {
  proxy.close()
  await cleanUp()
})

test('every step over a line that breaks: upload, import, version, export, download; nothing is doubled', async () => {
  const far = createClient({ baseUrl: proxy.url, token })
  const uploads = await uploadPaths(far.transport, [folder], { orgSlug: 'admin', projectSlug: 'default' })
  const phases = new Set<string | null>()
  const job = await far.imports.createAndWait(
    {
      ...place,
      body: { source_kind: 'lerobot', dataset_slug: 'broken-line', upload_ids: uploads.map(({ id }) => id) },
    },
    { onProgress: ({ progress_phase: phase }) => phases.add(phase) },
  )
  expect(job).toMatchObject({ status: 'succeeded', consistency_status: 'ok' })
  expect(phases.size).toBeGreaterThan(1)

  const lengths: number[] = []
  for await (const episode of far.catalog.iterateEpisodes({ dataset_id: job.dataset_id ?? '', limit: 1 }))
    lengths.push(episode.length_frames)
  expect(lengths).toEqual([64, 52, 75, 40])

  const { item: version } = await far.versions.createVersion({
    org_slug: 'admin',
    body: {
      slug: 'broken-line-short',
      name: 'Two episodes',
      source: { dataset_kind: 'catalog', dataset_id: job.dataset_id ?? '' },
      recipe: { selected_episode_indices: [3, 1] },
    },
  })
  const input = { org_slug: 'admin', version_id: version.id }
  const made = await far.exports.createAndWait(input)
  const target = join(await makeFolder(), 'broken-line.tar')
  const good = await downloadVersion(client, input, target)
  expect(good.sha256).toBe(made.checksum_sha256)
  const { url } = await client.exports.getArtifactDownloadUrl({ ...input, artifact_key: 'lerobot' })
  const bad = await downloadFile({
    findUrl: async () => url.replace(program.url, proxy.url),
    target: `${target}.bad`,
    sha256: good.sha256,
  })
  expect(await readFile(bad.path)).toEqual(await readFile(good.path))
  expect(proxy.cuts()).toBeGreaterThan(0)
  expect((await client.imports.listImports({ ...place, q: 'broken-line' })).items).toHaveLength(1)
  const { items: versions } = await client.versions.listVersions({ org_slug: 'admin', q: 'broken-line-short' })
  expect(versions.map(({ id }) => id)).toEqual([version.id])
  const jobs = await client.exports.listExportJobs(input)
  expect(jobs.items.map(({ status }) => status)).toEqual(['succeeded'])
  const several = await far.exports.createSeveralAndWait({
    ...input,
    artifact_keys: ['mcap', 'openpi-norm-stats'],
    options: { 'openpi-norm-stats': { horizon: 7 } },
  })
  expect(several).toMatchObject([
    { artifact_key: 'mcap', status: 'succeeded', options: {} },
    { artifact_key: 'openpi-norm-stats', status: 'succeeded', options: { horizon: 7 } },
  ])
})

test('a large upload over a line that breaks arrives as it was', async () => {
  const content = randomBytes(12 * 1024 * 1024)
  const line = await startFaultyProxy(program.url, { cutAfterBytes: [500_000, 5_000_000], share: 0.7, delayMs: 1 })
  const progress: number[] = []
  const upload = await createClient({ baseUrl: line.url, token }).uploads.send(new Blob([content]), {
    filename: 'large.bin',
    // The service compares the whole with this before it calls the upload finished.
    sha256: createHash('sha256').update(content).digest('hex'),
    chunkBytes: 2 * 1024 * 1024,
    onProgress: (sent) => progress.push(sent),
  })
  expect(upload.id).toMatch(/^upl_/)
  expect(progress.at(-1)).toBe(content.length)
  expect(line.cuts()).toBeGreaterThan(0)
  line.close()
})

test('bytes that arrive as others are noticed and sent anew, also where they are hashed as they pass', async () => {
  const content = randomBytes(3 * 1024 * 1024)
  const path = join(await makeFolder(), 'damaged.bin')
  await writeFile(path, content)
  const line = await startFaultyProxy(program.url, {
    cutAfterBytes: [0, 0],
    share: 0,
    delayMs: 0,
    damageAtByte: 1024 * 1024,
  })
  const [upload] = await uploadPaths(createClient({ baseUrl: line.url, token }).transport, [path])
  // Twice the file went through, and what the service holds in the end is the file.
  expect(line.bytes()).toBeGreaterThan(2 * content.length)
  line.close()
  const { headers } = await client.transport.send(new URL(upload?.url ?? '').pathname, {
    method: 'HEAD',
    headers: { 'tus-resumable': '1.0.0' },
  })
  expect(headers.get('upload-checksum')).toBe(`sha256 ${createHash('sha256').update(content).digest('base64')}`)
})

test('an upload that was stopped goes on in another run of the program', async () => {
  const content = randomBytes(6 * 1024 * 1024)
  const notes = new Map<string, string>()
  const memory = {
    get: (key: string) => notes.get(key),
    set: (key: string, url: string) => void notes.set(key, url),
    delete: (key: string) => void notes.delete(key),
  }
  const stop = new AbortController()
  const options = { filename: 'stopped.bin', memory, memoryKey: 'stopped.bin', chunkBytes: 1024 * 1024 }
  const stopped = client.uploads.send(new Blob([content]), {
    ...options,
    signal: stop.signal,
    onProgress: (sent) => {
      if (sent >= 2 * 1024 * 1024) stop.abort()
    },
  })
  await expect(stopped).rejects.toThrow()
  const progress: number[] = []
  await client.uploads.send(new Blob([content]), { ...options, onProgress: (sent) => progress.push(sent) })
  expect(progress[0]).toBeGreaterThanOrEqual(2 * 1024 * 1024)
  expect(progress.at(-1)).toBe(content.length)
})

test('a download that was stopped fetches what is missing; a wrong sum leaves nothing behind', async () => {
  const uploads = await uploadPaths(client.transport, [getFixture('lerobot/recorded-v3.0-many-files')])
  const job = await client.imports.createAndWait({
    ...place,
    body: { source_kind: 'lerobot', dataset_slug: 'many-files', upload_ids: uploads.map(({ id }) => id) },
  })
  const findUrl = async (): Promise<string> => {
    const { item } = await client.catalog.getCatalogDataset({ dataset_id: job.dataset_id ?? '' })
    return item.export_artifacts[0]?.href ?? ''
  }
  const target = join(await makeFolder(), 'set.tar')
  // In many parts, though the set is small.
  const partBytes = 32 * 1024
  const stop = new AbortController()
  const onProgress = (done: number, size: number): void => {
    if (done > size * 0.7) stop.abort()
  }
  await expect(
    downloadFile({ findUrl, target, partBytes, parallel: 1, signal: stop.signal, onProgress }),
  ).rejects.toThrow()
  expect(existsSync(target)).toBe(false)
  const begun: number[] = []
  const whole = await downloadFile({ findUrl, target, partBytes, onProgress: (done) => begun.push(done) })
  expect(begun[0]).toBeGreaterThan(whole.sizeBytes / 3)
  const straight = Buffer.from(await (await fetch(await findUrl())).arrayBuffer())
  expect(createHash('sha256').update(straight).digest('hex')).toBe(whole.sha256)

  const other = await makeFolder()
  const wrong = downloadFile({ findUrl, target: join(other, 'wrong.tar'), sha256: '0'.repeat(64) })
  await expect(wrong).rejects.toThrow('instead of 0000')
  expect(await readdir(other)).toEqual([])
})

test('checks are run and waited for', async () => {
  const [{ id: dataset_id } = { id: '' }] = (await client.datasets.listProjectDatasets(place)).items
  const seen: string[] = []
  const onProgress = ({ signals }: { signals: { status: string } }): void => void seen.push(signals.status)
  const summary = await client.checks.runAndWait({ dataset_id, pictures: false, again: true }, { onProgress })
  expect(summary).toMatchObject({ dataset_id, signals: { status: 'succeeded' } })
  expect(summary.rules.length).toBeGreaterThan(20)
  expect(seen.at(-1)).toBe('succeeded')
  expect(await client.checks.wait({ dataset_id, pictures: false })).toEqual(summary)
})

test('an import that fails throws its reason; one that is waited for can be left', async () => {
  const { id } = await client.uploads.send(new Blob(['no HDF5 at all']), { filename: 'x.hdf5' })
  const body = { source_kind: 'hdf5' as const, dataset_slug: 'broken', upload_ids: [id] }
  const failed = await client.imports.createAndWait({ ...place, body }).catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(JobError)
  expect((failed as JobError).message).toMatch(/^The import imp_\w+ failed: .*HDF5/)
  const stop = new AbortController()
  const left = client.imports.createAndWait({ ...place, body }, { signal: stop.signal, onProgress: () => stop.abort() })
  await expect(left).rejects.toThrow('abort')
})
