import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openCodec } from '@nmp/formats/codec'
import { isCamera } from '@nmp/formats/feature'
import { openFolder } from '@nmp/formats/file-tree'
import { openDataset } from '@nmp/formats/layouts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../../../fixtures/fixture.ts'
import { isLongRun } from '../../../fixtures/test-where.ts'
import { readBarCodes } from '../../../formats/test/bar-code.ts'
import { hashPackets } from '../../../formats/test/packet-hashes.ts'
import { type Exporter, openExporter, readColumn } from '../../test/exporter.ts'
import { importFixture } from '../../test/import-dataset.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { inTransaction } from '../db/database.ts'
import { createProject } from '../organizations/projects/service.ts'
import { createOrg } from '../organizations/service.ts'
import { getVersion } from '../versions/service.ts'
import { publishExport } from './publish.ts'
import { getExport } from './service.ts'

const versionsPath = '/api/v1/orgs/acme/derived-dataset-versions'
const top = 'observation.images.top'
const wrist = 'observation.images.wrist'
const sets = {
  v3: getFixture('lerobot/recorded-v3.0-two-cameras'),
  v2: getFixture('lerobot/recorded-v2.1'),
  images: getFixture('lerobot/recorded-v3.0-images'),
  hdf5: getFixture('hdf5/actpp_sim_insertion_compressed'),
}

let program: TestProgram
let bearer: string
let exporter: Exporter
const datasets: Record<string, string> = {}

beforeAll(async () => {
  program = await startProgram()
  const user = await program.addUser('ada@example.org')
  bearer = await program.signIn(user)
  exporter = await openExporter(program, bearer, 'acme', 'lab')
  const { db } = program.context
  const org = await createOrg(db, 'operator', { slug: 'acme', name: 'Acme', adminUserId: user.id })
  await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
  const worker = program.startWorker()
  for (const [slug, folder] of Object.entries(sets)) {
    const job = await importFixture(program, bearer, { org: 'acme', project: 'lab', slug, folder })
    datasets[slug] = job.dataset_id ?? ''
  }
  await worker.stop(5)
}, 240_000)
afterAll(async () => {
  await program.close()
  await exporter.close()
})

const call = (method: string, path: string, body?: unknown) =>
  program.call(method, path, { bearer, ...(body === undefined ? {} : { body }) })
const derive = (source: keyof typeof sets, recipe: object) => exporter.derive(datasets[source] ?? '', recipe)
const exportAndOpen = (source: keyof typeof sets, recipe: object) =>
  exporter.exportAndOpen(datasets[source] ?? '', recipe)

describe('exports', () => {
  test('a subset of v3.0: same rows, same packets, renumbered; the tar is the same twice', async () => {
    const worker = program.startWorker()
    const recipe = { selected_episode_indices: [5, 0, 2, 5], notes: 'every second' }
    const { dataset, job, link, bytes, version, folder } = await exportAndOpen('v3', recipe)
    await using opened = dataset
    await using source = await openDataset(await openFolder(sets.v3))
    expect(opened.episodeCount).toBe(3)
    for (const [position, from] of [0, 2, 5].entries()) {
      for (const name of ['action', 'observation.state'])
        expect(await readColumn(opened, position, name)).toEqual(await readColumn(source, from, name))
      expect(opened.getEpisode(position).tasks).toEqual(source.getEpisode(from).tasks)
      for (const camera of [top, wrist])
        expect(await hashPackets(await opened.getEpisode(position).openCamera(camera))).toEqual(
          await hashPackets(await source.getEpisode(from).openCamera(camera)),
        )
    }
    const again = await derive('v3', { ...recipe, selected_episode_indices: [0, 2, 5], notes: 'other words' })
    const second = await exporter.waitForEnd(again.id, await exporter.queue(again.id))
    expect(second.checksum_sha256).toBe(job.checksum_sha256)
    const part = await fetch(link, { headers: { range: 'bytes=512-1023' } })
    expect(part.status).toBe(206)
    expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(512, 1024))
    const { body: files } = await call('GET', `${versionsPath}/${version.id}/files?limit=3`)
    expect(files.items).toHaveLength(3)
    const { body: rest } = await call('GET', `${versionsPath}/${version.id}/files?cursor=${files.next_cursor}`)
    const listed = [...files.items, ...rest.items]
    expect(listed.map(({ path }) => path)).toContain('meta/info.json')
    const info = listed.find(({ path }) => path === 'meta/info.json')
    const fetched = Buffer.from(await (await fetch(info.url)).arrayBuffer())
    expect(fetched).toEqual(await readFile(join(folder, 'meta/info.json')))
    await worker.stop(5)
  }, 60_000)

  test('everything at once on v2.1: cropped and resized frames are the right ones, actions and statistics are right', async () => {
    const worker = program.startWorker()
    const recipe = {
      excluded_episode_indices: [1],
      first_n_episodes: 2,
      camera_keys: ['observation.images.laptop'],
      crop: { left_pct: 0, top_pct: 0, width_pct: 100, height_pct: 50 },
      resize: { width: 160, height: 64, mode: 'fit' },
      action: { smoothing_window: 5, smoothing_mode: 'median', scale: 0.5, clip_min: -0.2, clip_max: 0.4 },
    }
    const preview = await call('POST', `${versionsPath}/preview`, {
      source: { dataset_kind: 'project', dataset_id: datasets.v2 },
      recipe,
    })
    expect(preview.status, JSON.stringify(preview.body)).toBe(200)
    const { folder, dataset, job } = await exportAndOpen('v2', recipe)
    await using opened = dataset
    await using source = await openDataset(await openFolder(sets.v2))
    expect(opened.features.filter(isCamera).map(({ name, width, height }) => [name, width, height])).toEqual([
      ['observation.images.laptop', 160, 64],
    ])
    expect(job.shard_count).toBeGreaterThan(0)
    await using codec = openCodec()
    for (const [position, from] of [0, 2].entries()) {
      const frames = await opened.getEpisode(position).openCamera('observation.images.laptop')
      const codes = await readBarCodes(frames, codec)
      expect(codes.map(({ frame }) => frame)).toEqual(codes.map((_, index) => index))
      expect(new Set(codes.map(({ episode }) => episode))).toEqual(new Set([from]))
      const before = await readColumn(source, from, 'action')
      const width = before.length / source.getEpisode(from).length
      const after = await readColumn(opened, position, 'action')
      for (const [at, value] of after.entries()) {
        const [frame, dimension] = [Math.floor(at / width), at % width]
        const window = [-2, -1, 0, 1, 2].map((step) => before[(frame + step) * width + dimension])
        const known = window.filter((_, place) => frame + place - 2 >= 0 && frame + place - 2 < before.length / width)
        const sorted = (known as number[]).sort((a, b) => a - b)
        const middle = (sorted.length - 1) / 2
        const median = ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle)] as number)) / 2
        expect(value).toBeCloseTo(Math.min(0.4, Math.max(-0.2, median * 0.5)), 6)
      }
    }
    const stored = JSON.parse(await readFile(join(folder, 'meta/stats.json'), 'utf8'))
    const { statistics } = preview.body.item
    expect(statistics.exact).toBe(true)
    for (const feature of statistics.features)
      for (const [key, values] of Object.entries(feature.statistics as Record<string, number[]>))
        for (const [at, value] of values.entries()) expect(value).toBeCloseTo(stored[feature.name][key][at], 6)
    expect(preview.body.item).toMatchObject({ episode_count: 2, frame_count: opened.frameCount })
    await worker.stop(5)
  }, 60_000)

  test('HDF5 and picture datasets: what is made of them exports as anything else', async () => {
    const worker = program.startWorker()
    const { dataset: hdf5 } = await exportAndOpen('hdf5', { resize: { width: 64, height: 64, mode: 'fill' } })
    expect(new Set(hdf5.features.filter(isCamera).map(({ width, height }) => `${width}x${height}`))).toEqual(
      new Set(['64x64']),
    )
    await hdf5.close()
    const crop = { left_pct: 25, top_pct: 25, width_pct: 50, height_pct: 50 }
    const { dataset: images } = await exportAndOpen('images', { crop, action: { smoothing_window: 3 } })
    const [camera] = images.features.filter(isCamera)
    expect(camera).toMatchObject({ storage: 'image', width: 64, height: 48 })
    await images.close()
    await worker.stop(5)
  }, 90_000)

  test('workers killed in one phase after another: the same checksum as an undisturbed run, ready once', async () => {
    const recipe = { first_n_episodes: 4, crop: { left_pct: 10, top_pct: 10, width_pct: 60, height_pct: 60 } }
    const calm = await derive('v3', recipe)
    const worker = program.startWorker()
    const undisturbed = await exporter.waitForEnd(calm.id, await exporter.queue(calm.id))
    expect(undisturbed.status).toBe('succeeded')
    await worker.stop(5)
    const version = await derive('v3', recipe)
    const jobId = await exporter.queue(version.id)
    const settings = {
      leaseSeconds: 1.5,
      heartbeatSeconds: 0.3,
      sweepSeconds: 0.3,
      backoff: { baseSeconds: 0.1, capSeconds: 0.2 },
    }
    // Attempts are bounded; a test that kills more often than a person would gives more of them.
    await program.context.db.updateTable('jobs').set({ max_attempts: 30 }).where('state', '=', 'queued').execute()
    const phases = ['encoding', 'reading', 'writing', 'verifying', 'packing', 'publishing']
    for (const phase of isLongRun ? phases : ['encoding', 'writing', 'publishing']) {
      const child = startJobWorker(settings, phase)
      const [, signal] = await once(child, 'exit')
      expect(signal, phase).toBe('SIGKILL')
    }
    const survivor = program.startWorker(settings)
    const job = await exporter.waitForEnd(version.id, jobId)
    await survivor.stop(5)
    expect(job).toMatchObject({ status: 'succeeded', checksum_sha256: undisturbed.checksum_sha256 })
    const { body: jobs } = await call('GET', `${versionsPath}/${version.id}/export-jobs`)
    expect(jobs.items).toHaveLength(1)
    expect(await exporter.findArtifact(version.id)).toMatchObject({ status: 'ready', versionStatus: 'materialized' })
    const { body: inbox } = await call('GET', '/api/v1/users/me/notifications?limit=200')
    const told = inbox.items.filter((entry: { resource_id: string }) => entry.resource_id === version.id)
    // Newest first: the data was made, killed while it was packed, and is told once; then it can be downloaded.
    expect(told.map(({ kind }: { kind: string }) => kind)).toEqual(['export_ready', 'transform_done'])
    expect(Date.parse(told[0].created_at)).toBeGreaterThan(Date.parse(told[1].created_at))
    // The same artifact made again, as after it was lost: nobody is told a second time.
    const row = await getExport(program.context.db, jobId)
    const again = await getVersion(program.context.db, version.id)
    await inTransaction(program.context.db, (trx) =>
      publishExport(trx, row, again, {
        checksum: job.checksum_sha256 ?? '',
        sizeBytes: 1,
        notes: [],
        summary: again.summary as never,
      }),
    )
    const { body: later } = await call('GET', '/api/v1/users/me/notifications?limit=200')
    expect(later.items.filter((entry: { resource_id: string }) => entry.resource_id === version.id)).toHaveLength(2)
  }, 120_000)

  test('cancel: queued at once, running within a heartbeat; the artifact is planned again and can be retried', async () => {
    const version = await derive('v3', { resize: { width: 256, height: 256, mode: 'fit' } })
    const jobId = await exporter.queue(version.id)
    expect(await exporter.queue(version.id)).toBe(jobId)
    const path = `${versionsPath}/${version.id}/export-jobs/${jobId}`
    const canceled = await call('POST', `${path}/cancel`)
    expect(canceled.body.item).toMatchObject({ status: 'canceled' })
    expect((await call('POST', `${path}/cancel`)).body.item).toMatchObject({ status: 'canceled' })
    expect(await exporter.findArtifact(version.id)).toMatchObject({
      status: 'planned',
      versionStatus: 'materialization_required',
    })
    const retried = await call('POST', `${path}/retry`)
    expect(retried.status, JSON.stringify(retried.body)).toBe(201)
    const next = retried.body.item
    expect(next).toMatchObject({ retry_of: jobId, status: 'queued' })
    const worker = program.startWorker({ heartbeatSeconds: 0.3 })
    while ((await exporter.findArtifact(version.id)).status !== 'running')
      await new Promise((resolve) => setTimeout(resolve, 20))
    const asked = await call('POST', `${versionsPath}/${version.id}/export-jobs/${next.id}/cancel`)
    expect(asked.status).toBe(200)
    expect((await exporter.waitForEnd(version.id, next.id)).status).toBe('canceled')
    expect(await exporter.findArtifact(version.id)).toMatchObject({
      status: 'planned',
      versionStatus: 'materialization_required',
    })
    await expect.poll(async () => countOpenJobs()).toBe(0)
    const { rows } = await program.context.db
      .selectFrom('blob_references')
      .selectAll()
      .where('owner_kind', '=', 'export')
      .execute()
      .then((found) => ({ rows: found }))
    expect(rows).toEqual([])
    await worker.stop(5)
  }, 60_000)

  test('download before the export, of an unknown artifact, and keys that are not there', async () => {
    const version = await derive('v3', {})
    const path = `${versionsPath}/${version.id}`
    const early = await call('GET', `${path}/artifacts/lerobot/download-url`)
    expect([early.status, early.body.code]).toEqual([409, 'artifact_not_ready'])
    expect((await call('GET', `${path}/artifacts/zip/download-url`)).status).toBe(404)
    const manifest = await call('GET', `${path}/artifacts/manifest/download-url`)
    expect(Object.keys(manifest.body).sort()).toEqual(['expires_at', 'url'])
    const document = await (await fetch(manifest.body.url)).json()
    expect(document).toMatchObject({ id: version.id, recipe: version.recipe, source: version.source })
    for (const keys of [['manifest'], [], 'lerobot', [5], undefined])
      expect((await call('POST', `${path}/export-jobs`, { artifact_keys: keys })).status).toBe(422)
    const repeated = await call('POST', `${path}/export-jobs`, { artifact_keys: ['lerobot', 'lerobot'] })
    expect(repeated.body.jobs).toHaveLength(1)
    const gone = await call('DELETE', path)
    expect(gone.status).toBe(200)
    expect((await call('GET', path)).status).toBe(404)
  })
})

async function countOpenJobs(): Promise<number> {
  const jobs = await program.context.db
    .selectFrom('jobs')
    .select('id')
    .where('state', 'in', ['queued', 'running'])
    .execute()
  return jobs.length
}

/** A process that dies when its job says that it is in this phase. */
function startJobWorker(settings: object, phase: string): ChildProcess {
  const { connection, config } = program.context
  const options = {
    connection,
    dataFolder: config.NMP_DATA_DIR,
    settings,
    concurrency: 2,
    trap: { phase, signal: 'SIGKILL' },
  }
  const entry = join(import.meta.dirname, '../../test/job-worker.ts')
  return spawn(process.execPath, [entry, JSON.stringify(options)], { stdio: ['ignore', 'ignore', 'inherit'] })
}
