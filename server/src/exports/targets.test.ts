import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Dataset, Episode } from '@nmp/formats/dataset'
import { isCamera } from '@nmp/formats/feature'
import { openFolder } from '@nmp/formats/file-tree'
import { openDataset } from '@nmp/formats/layouts'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getFixture } from '../../../fixtures/fixture.ts'
import { isLongRun } from '../../../fixtures/test-where.ts'
import { type Exporter, openExporter, readColumn, unpack } from '../../test/exporter.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { publishFolder } from '../../test/published-dataset.ts'
import { createProject } from '../organizations/projects/service.ts'
import { createOrg } from '../organizations/service.ts'

const fixture = getFixture('lerobot/recorded-v3.0-two-cameras')
const versionsPath = '/api/v1/orgs/acme/derived-dataset-versions'

let program: TestProgram
let exporter: Exporter
let datasetId: string
let place: { orgId: string; projectId: string }
let worker: ReturnType<TestProgram['startWorker']>

beforeAll(async () => {
  program = await startProgram()
  const user = await program.addUser('ada@example.org')
  const bearer = await program.signIn(user)
  const { db } = program.context
  const org = await createOrg(db, 'operator', { slug: 'acme', name: 'Acme', adminUserId: user.id })
  const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
  exporter = await openExporter(program, bearer, 'acme', 'lab')
  place = { orgId: org.id, projectId: project.id }
  datasetId = (await publishFolder(program.context, fixture, { ...place, slug: 'source' })).datasetId
  worker = program.startWorker()
}, 60_000)
afterAll(async () => {
  await program.close()
  await exporter.close()
})

const queue = (id: string, body: object) => exporter.call('POST', `${versionsPath}/${id}/export-jobs`, body)

async function make(id: string, key: string, options: object = {}) {
  const { status, body } = await queue(id, { artifact_keys: [key], options: { [key]: options } })
  expect(status, JSON.stringify(body)).toBe(200)
  const job = await exporter.waitForEnd(id, body.jobs[0].id)
  expect(job).toMatchObject({ status: 'succeeded', artifact_key: key, options, progress_pct: 100 })
  return job
}

async function download(id: string, key: string, checksum: string): Promise<string> {
  const { body } = await exporter.call('GET', `${versionsPath}/${id}/artifacts/${key}/download-url`)
  const answer = await fetch(body.url)
  const bytes = Buffer.from(await answer.arrayBuffer())
  expect(answer.headers.get('content-disposition')).toContain(`-${key}.tar`)
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(checksum)
  const folder = await mkdtemp(join(tmpdir(), 'nmp-target-'))
  await mkdir(join(folder, 'files'))
  await writeFile(join(folder, 'target.tar'), bytes)
  return unpack(join(folder, 'target.tar'), join(folder, 'files'))
}

test('a target of a version that was never exported: its own files are made first, then it, with its report', async () => {
  const version = await exporter.derive(datasetId, { selected_episode_indices: [1, 4] }, 'first')
  const job = await make(version.id, 'lerobot-v2.1')
  expect(job.report).toMatchObject({ losses: [] })
  const artifact = await exporter.findArtifact(version.id, 'lerobot-v2.1')
  expect(artifact).toMatchObject({
    status: 'ready',
    job_id: job.id,
    label: 'LeRobot v2.1',
    versionStatus: 'materialized',
  })
  expect((await exporter.findArtifact(version.id)).status).toBe('ready')
  const folder = await download(version.id, 'lerobot-v2.1', job.checksum_sha256)
  await using back = await openDataset(await openFolder(folder))
  await using source = await openDataset(await openFolder(fixture))
  expect(back).toMatchObject({ origin: { version: 'v2.1' }, episodeCount: 2 })
  for (const [position, from] of [1, 4].entries())
    expect(await readColumn(back, position, 'action')).toEqual(await readColumn(source, from, 'action'))
  const path = `${versionsPath}/${version.id}/files`
  const { body } = await exporter.call('GET', `${path}?artifact_key=lerobot-v2.1&limit=200`)
  expect(body.items.map((file: { path: string }) => file.path)).toContain('data/chunk-000/episode_000001.parquet')
  const own = await exporter.call('GET', `${path}?limit=200`)
  expect(own.body.items.map((file: { path: string }) => file.path)).toContain('data/chunk-000/file-000.parquet')
}, 120_000)

test('options: kept with the job; others make it anew, the same ones do not; what is lost is named', async () => {
  const version = await exporter.derive(datasetId, { selected_episode_indices: [0] }, 'second')
  const key = 'openpi-norm-stats'
  const first = await make(version.id, key, { horizon: 5 })
  expect(first.report.losses).toContainEqual({
    feature: 'observation.images.top',
    reason: 'norm_stats.json holds statistics of state and actions only.',
  })
  expect((await make(version.id, key, { horizon: 5 })).id).toBe(first.id)
  const second = await make(version.id, key, { horizon: 9 })
  expect(second.id).not.toBe(first.id)
  expect(second.checksum_sha256).not.toBe(first.checksum_sha256)
  const folder = await download(version.id, key, second.checksum_sha256)
  expect(Object.keys(JSON.parse(await readFile(join(folder, 'norm_stats.json'), 'utf8')).norm_stats)).toEqual([
    'state',
    'actions',
  ])
  // Made once more of the same with the first options: the same bytes.
  expect((await make(version.id, key, { horizon: 5 })).checksum_sha256).toBe(first.checksum_sha256)
}, 120_000)

test('what a version can be exported as, and what is refused', async () => {
  const version = await exporter.derive(datasetId, { selected_episode_indices: [2] }, 'third')
  const { body } = await exporter.call('GET', `${versionsPath}/${version.id}/export-targets`)
  const stats = body.items.find(({ key }: { key: string }) => key === 'openpi-norm-stats')
  expect(stats).toMatchObject({ estimated_files: 1, options: { properties: { horizon: { default: 50 } } } })
  expect(stats.losses.map(({ feature }: { feature: string }) => feature)).toContain('observation.images.wrist')
  const v2 = body.items.find(({ key }: { key: string }) => key === 'lerobot-v2.1')
  expect(v2).toMatchObject({ losses: [], estimated_files: 7, readers: expect.stringContaining('openpi') })
  const preview = (options: object) =>
    exporter.call(
      'GET',
      `${versionsPath}/${version.id}/export-targets?options=${encodeURIComponent(JSON.stringify(options))}`,
    )
  const asked = await preview({ zarr: { container: 'folder' }, robomimic: { next_obs: false } })
  for (const key of ['zarr', 'robomimic']) {
    const [usual, given] = [body, asked.body].map(({ items }) => items.find((one: { key: string }) => one.key === key))
    if (key === 'zarr') expect(given.estimated_files).toBeGreaterThan(20 * usual.estimated_files)
    else expect(given.estimated_bytes).toBeLessThan(0.6 * usual.estimated_bytes)
  }
  for (const [options, sentence] of [
    [{ rlds: { image: 'png' } }, 'rlds has no option \\"image\\"; it has name, images, shard_mb.'],
    [{ parquet: {} }, 'options names \\"parquet\\", which is none of lerobot,'],
    [[1], 'options is JSON by artifact key'],
  ] as const) {
    const refused = await preview(options)
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([422, expect.stringContaining(sentence)])
  }
  const wrong = await queue(version.id, {
    artifact_keys: ['openpi-norm-stats'],
    options: { 'openpi-norm-stats': { horizon: 'far' } },
  })
  expect(wrong.status).toBe(422)
  expect(JSON.stringify(wrong.body)).toContain('horizon of openpi-norm-stats must be a whole number')
  const stray = await queue(version.id, { artifact_keys: ['lerobot'], options: { rlds: {} } })
  expect(stray.status).toBe(422)
  expect((await queue(version.id, { artifact_keys: ['parquet'] })).status).toBe(422)
  expect((await exporter.findArtifact(version.id)).status).toBe('planned')
})

test('second tasks, files beside the data and scattered splits are named before the export and in its report', async () => {
  const change = ({ intact: _, ...dataset }: Dataset): Dataset => ({
    ...dataset,
    features: dataset.features.filter((feature) => !isCamera(feature)),
    sidecars: new Map([['calibration.json', { offset: 1 }]]),
    getEpisode: (position) => ({
      ...giveTwoTasks(dataset.getEpisode(position)),
      splits: position === 1 ? ['test', 'short'] : ['train'],
    }),
  })
  const published = await publishFolder(program.context, fixture, { ...place, slug: 'tasks' }, change)
  const version = await exporter.derive(published.datasetId, { selected_episode_indices: [0, 1, 2] }, 'fifth')
  const { body } = await exporter.call('GET', `${versionsPath}/${version.id}/export-targets`)
  const second = { feature: 'task', reason: 'A demo has one text, the first; 3 episodes have several.' }
  const beside = { feature: 'calibration.json', reason: 'Files beside the data are in the LeRobot v3 export only.' }
  const scattered = { feature: 'split train', reason: expect.stringContaining('whose episodes follow each other') }
  const also = { feature: 'split short', reason: expect.stringContaining('in the first of them') }
  for (const [key, losses] of [
    ['lerobot', []],
    ['robomimic', [second, beside]],
    ['lerobot-v2.1', [scattered, beside]],
    ['gr00t', [scattered, beside]],
    ['rlds', [also, beside]],
  ] as const) {
    expect(body.items.find((item: { key: string }) => item.key === key).losses, key).toEqual(losses)
    if (key === 'robomimic' || key === 'lerobot-v2.1' || key === 'rlds')
      expect((await make(version.id, key)).report.losses, key).toEqual(losses)
  }
}, 120_000)

const giveTwoTasks = (episode: Episode): Episode => ({
  ...episode,
  tasks: ['reach', 'place'],
  readBlocks: async function* (request) {
    for await (const block of episode.readBlocks(request))
      yield {
        ...block,
        taskIndex: Uint32Array.from({ length: block.frameCount }, (_, row) => (block.startFrame + row) % 2),
      }
  },
})

test('a target whose version cannot be made says so; canceled, it can be retried', async () => {
  const version = await exporter.derive(datasetId, { resize: { width: 64, height: 64, mode: 'fit' } }, 'fourth')
  const { body } = await queue(version.id, { artifact_keys: ['lerobot-v2.1'] })
  const { job_id: own } = await exporter.findArtifact(version.id)
  await exporter.call('POST', `${versionsPath}/${version.id}/export-jobs/${own}/cancel`)
  const job = await exporter.waitForEnd(version.id, body.jobs[0].id)
  expect(job).toMatchObject({ status: 'failed', error_message: expect.stringContaining('It was canceled.') })
  const retried = await exporter.call('POST', `${versionsPath}/${version.id}/export-jobs/${job.id}/retry`)
  expect(retried.status).toBe(201)
  const made = await exporter.waitForEnd(version.id, retried.body.item.id)
  expect(made).toMatchObject({ status: 'succeeded', artifact_key: 'lerobot-v2.1', retry_of: job.id })
}, 120_000)

test('forms with pictures that are asked for in one go: written by the job of the first, with the bytes that each has alone', async () => {
  const recipe = { selected_episode_indices: [5] }
  const version = await exporter.derive(datasetId, recipe, 'together')
  const options = { robomimic: { next_obs: false } }
  const { body } = await queue(version.id, { artifact_keys: ['rlds', 'robomimic', 'zarr', 'mcap'], options })
  const checksums = new Map<string, string>()
  for (const { id, artifact_key: key } of body.jobs) {
    const job = await exporter.waitForEnd(version.id, id)
    expect(job, key).toMatchObject({ status: 'succeeded', progress_pct: 100, report: { losses: [] } })
    expect(await exporter.findArtifact(version.id, key)).toMatchObject({ status: 'ready', job_id: id })
    await download(version.id, key, job.checksum_sha256)
    checksums.set(key, job.checksum_sha256)
  }
  // Names in the store say whose job wrote them; nothing is left there for those that only published.
  const { rows } = await sql<{ key: string; writer: string; tries: number; staged: number }>`
    select e.artifact_key as key, split_part(b.store_key, '/', 2) as writer, j.attempt_count as tries,
      (select count(*) from blob_references left_over where left_over.owner_id = e.id) as staged
    from exports e join jobs j on j.id = e.id
      join lateral (select b.store_key from blob_references r join blobs b on b.sha256 = r.sha256
        where r.owner_id = e.version_id and r.logical_path like 'targets/' || e.artifact_key || '/%'
        order by b.size_bytes desc limit 1) b on true
    where e.version_id = ${version.id} and e.artifact_key <> 'lerobot' order by e.id`.execute(program.context.db)
  const [lead, , , mcap] = body.jobs
  const once = { tries: 1, staged: 0 }
  expect(rows).toEqual([
    { key: 'rlds', writer: expect.stringContaining(lead.id), ...once },
    { key: 'robomimic', writer: expect.stringContaining(lead.id), ...once },
    { key: 'zarr', writer: expect.stringContaining(lead.id), ...once },
    { key: 'mcap', writer: expect.stringContaining(mcap.id), ...once },
  ])
  const alone = await exporter.derive(datasetId, recipe, 'alone')
  expect((await make(alone.id, 'zarr')).checksum_sha256).toBe(checksums.get('zarr'))
}, 120_000)

test('the first of several is canceled while it waits: the others are made all the same', async () => {
  const version = await exporter.derive(datasetId, { selected_episode_indices: [3] }, 'lead-canceled')
  await make(version.id, 'lerobot')
  await worker.stop(5)
  const { body } = await queue(version.id, { artifact_keys: ['rlds', 'zarr', 'robomimic'] })
  const [lead, zarr, robomimic] = body.jobs
  const jobs = `${versionsPath}/${version.id}/export-jobs`
  expect((await exporter.call('POST', `${jobs}/${robomimic.id}/cancel`)).body.item.status).toBe('canceled')
  expect((await exporter.call('POST', `${jobs}/${lead.id}/cancel`)).body.item.status).toBe('canceled')
  worker = program.startWorker()
  expect(await exporter.waitForEnd(version.id, zarr.id)).toMatchObject({ status: 'succeeded' })
  expect((await exporter.findArtifact(version.id, 'robomimic')).status).toBe('planned')
}, 120_000)

test('one of several that cannot be written keeps the first from nothing, and fails by its own sentence', async () => {
  const version = await exporter.derive(datasetId, { selected_episode_indices: [3] }, 'follower-fails')
  await make(version.id, 'lerobot')
  await worker.stop(5)
  const { body } = await queue(version.id, { artifact_keys: ['rlds', 'zarr'] })
  const [lead, zarr] = body.jobs
  await sql`update exports set options = '{"container": "box"}' where id = ${zarr.id}`.execute(program.context.db)
  worker = program.startWorker()
  expect(await exporter.waitForEnd(version.id, lead.id)).toMatchObject({ status: 'succeeded' })
  expect(await exporter.waitForEnd(version.id, zarr.id)).toMatchObject({
    status: 'failed',
    error_message: expect.stringContaining('container of zarr must be'),
  })
}, 120_000)

test.each([
  ['robomimic', { next_obs: false }, 'demo.hdf5'],
  ['zarr', {}, 'dataset.zarr.zip'],
])(
  '%s: a worker killed while it writes: the next one gives what an undisturbed run gives',
  async (key, options, path) => {
    const settings = {
      leaseSeconds: 1.5,
      heartbeatSeconds: 0.3,
      sweepSeconds: 0.3,
      backoff: { baseSeconds: 0.1, capSeconds: 0.2 },
    }
    const version = await exporter.derive(datasetId, { selected_episode_indices: [0, 3] }, `killed-${key}`)
    const calm = await make(version.id, key, options)
    const { body: files } = await exporter.call('GET', `${versionsPath}/${version.id}/files?artifact_key=${key}`)
    expect(files.items.map((file: { path: string }) => file.path)).toEqual([path])
    const again = await exporter.derive(datasetId, { selected_episode_indices: [0, 3] }, `killed-${key}-again`)
    await make(again.id, 'lerobot')
    await worker.stop(5)
    const { body } = await queue(again.id, { artifact_keys: [key], options: { [key]: options } })
    await program.context.db.updateTable('jobs').set({ max_attempts: 9 }).where('state', '=', 'queued').execute()
    for (const phase of isLongRun ? ['reading', 'writing', 'packing', 'publishing'] : ['writing']) {
      const [, signal] = await once(startTrappedWorker(settings, phase), 'exit')
      expect(signal, phase).toBe('SIGKILL')
    }
    worker = program.startWorker({ ...settings, leaseSeconds: 30 })
    const job = await exporter.waitForEnd(again.id, body.jobs[0].id)
    expect(job).toMatchObject({ status: 'succeeded', checksum_sha256: calm.checksum_sha256, report: { losses: [] } })
  },
  120_000,
)

/** A process that dies when its job says that it is in this phase. */
function startTrappedWorker(settings: object, phase: string) {
  const { connection, config } = program.context
  const trap = { phase, signal: 'SIGKILL' }
  const options = { connection, dataFolder: config.NMP_DATA_DIR, settings, concurrency: 1, trap }
  const entry = join(import.meta.dirname, '../../test/job-worker.ts')
  return spawn(process.execPath, [entry, JSON.stringify(options)], { stdio: ['ignore', 'ignore', 'inherit'] })
}
