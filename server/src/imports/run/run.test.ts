import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFile } from '@nmp/formats/bytes'
import { openFolder } from '@nmp/formats/file-tree'
import { openDataset } from '@nmp/formats/layouts'
import { openVideo } from '@nmp/formats/video'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../../../../fixtures/fixture.ts'
import { createFixtureImport, importFixture, uploadBytes, waitForImport } from '../../../test/import-dataset.ts'
import { startProgram, type TestProgram } from '../../../test/program.ts'
import { listRevisionFiles } from '../../datasets/service.ts'
import type { Worker } from '../../jobs/worker.ts'
import { layOutFiles } from '../../storage/local-tree.ts'
import type { ImportJob } from '../record.ts'

let program: TestProgram
let bearer: string
let scratch: string
let orgId: string
const place = { org: 'ada', project: 'default' }
const path = '/api/v1/orgs/ada/projects/default/imports'

beforeAll(async () => {
  program = await startProgram()
  bearer = await program.signIn(await program.addUser('ada@example.org'))
  scratch = await mkdtemp(join(tmpdir(), 'nmp-run-test-'))
  const org = await program.context.db.selectFrom('organizations').select('id').executeTakeFirstOrThrow()
  orgId = org.id
})
afterAll(async () => {
  await program.close()
  await rm(scratch, { recursive: true, force: true })
})

const call = (method: string, rest: string) => program.call(method, `${path}${rest}`, { bearer })
const getReport = async (job: ImportJob) => (await call('GET', `/${job.id}/report`)).body.item

/** The stored dataset as a folder of its own. */
async function takeOut(job: ImportJob): Promise<string> {
  const { db, storage } = program.context
  const folder = join(scratch, job.id)
  await mkdir(folder)
  const files = []
  for await (const file of listRevisionFiles(db, job.revision_id ?? '', orgId)) files.push(file)
  await layOutFiles(storage, files, folder)
  return folder
}

async function readAll(folder: string) {
  await using dataset = await openDataset(await openFolder(folder))
  const episodes = []
  for (let position = 0; position < dataset.episodeCount; position++) {
    const { length, tasks, sourceIndex } = dataset.getEpisode(position)
    const action: number[] = []
    for await (const { columns } of dataset.getEpisode(position).readBlocks({ columns: ['action'] }))
      action.push(...(columns.get('action') as Float32Array))
    episodes.push({ length, tasks, sourceIndex, action })
  }
  const cameras = dataset.features.filter(({ kind }) => kind === 'camera').map(({ name }) => name)
  return { fps: dataset.fps, version: dataset.origin.version, cameras, episodes }
}

/** Objects below the import's own prefix that no row names: what an attempt left behind. */
async function listLeavings(importId: string): Promise<string[]> {
  const { db, storage } = program.context
  const known = new Set((await db.selectFrom('blobs').select('store_key').execute()).map((row) => row.store_key))
  const left: string[] = []
  for await (const { key } of storage.listObjects(`runs/${importId}/`)) if (!known.has(key)) left.push(key)
  return left
}
const listWorkFolders = () => readdir(join(program.context.config.NMP_DATA_DIR, 'work')).catch(() => [])

describe('an import', () => {
  let worker: Worker
  beforeAll(() => {
    worker = program.startWorker()
  })

  test.each([
    ['recorded-v3.0-two-cameras', 'lerobot-v3', 'v3.0'],
    ['recorded-v3.0-images', 'lerobot-v3', 'v3.0'],
    ['recorded-v2.1', 'lerobot-v2', 'v2.1'],
    ['recorded-v2.0', 'lerobot-v2', 'v2.0'],
  ])('of %s is stored as a dataset that reads the same', async (name, layout, version) => {
    const folder = getFixture(`lerobot/${name}`)
    const job = await importFixture(program, bearer, {
      ...place,
      slug: name.replaceAll('.', '-').replaceAll('_', '-'),
      folder,
    })
    expect(job).toMatchObject({
      status: 'succeeded',
      progress_pct: 100,
      progress_phase: 'publish',
      progress_message: expect.stringContaining('were imported from'),
      consistency_status: 'ok',
      error_message: null,
      hdf5: null,
      raw_object_path: `revisions/${job.revision_id}/raw`,
      read_model_path: `revisions/${job.revision_id}/read-model`,
      report_object_path: `imports/${job.id}/report.json`,
    })
    expect(job.downloaded_bytes).toBe(job.total_bytes)
    expect(job.consistency_checked_at).not.toBeNull()
    const [stored, source] = [await readAll(await takeOut(job)), await readAll(folder)]
    expect({ ...stored, version: '' }).toEqual({ ...source, version: '' })
    expect(stored.version).toBe('v3.0')
    const report = await getReport(job)
    expect(report.source).toMatchObject({ layout, version })
    expect(report.counts).toMatchObject({ episodes_imported: source.episodes.length, episodes_left_out: 0 })
    // Data and videos of a v3 source are kept byte for byte, and are stored once.
    if (version === 'v3.0') expect(report.result.kept_files).toBeGreaterThan(0)
    expect(await listLeavings(job.id)).toEqual([])
    expect(await listWorkFolders()).toEqual([])
  })

  test('has previews that can be fetched and are what the record says', async () => {
    const folder = getFixture('lerobot/recorded-v3.0-two-cameras')
    const job = await importFixture(program, bearer, { ...place, slug: 'previews', folder })
    const kinds = job.preview_assets.map(({ kind }) => kind).sort()
    expect(kinds).toEqual([
      'image_preview',
      'image_preview',
      'timeseries_arrow',
      'timeseries_parquet',
      'video_mp4',
      'video_mp4',
      'video_webm',
      'video_webm',
    ])
    const starts: Record<string, string> = {
      'image/png': '89504e47',
      'video/webm': '1a45dfa3',
      'application/vnd.apache.parquet': '50415231',
      'application/vnd.apache.arrow.file': '4152524f57',
    }
    const numbers = job.preview_assets.find(({ kind }) => kind === 'timeseries_parquet')?.metadata
    for (const asset of job.preview_assets) {
      const { body } = await call('GET', `/${job.id}/previews/${asset.path.split('/').at(-1)}`)
      expect(new Date(body.expires_at).getTime()).toBeGreaterThan(Date.now() + 600_000)
      const response = await fetch(body.url)
      expect(response.headers.get('content-type')).toBe(asset.content_type)
      const bytes = Buffer.from(await response.arrayBuffer())
      expect(bytes.length).toBe(asset.size_bytes)
      expect(bytes.toString('hex')).toMatch(new RegExp(`^${starts[asset.content_type] ?? ''}`))
      if (!asset.kind.startsWith('video_')) continue
      const file = join(scratch, 'clip')
      await writeFile(file, bytes)
      await using source = await openFile(file)
      await using video = await openVideo(source)
      const { frames, fps } = asset.metadata ?? {}
      expect(video.facts).toMatchObject({ frameCount: frames, codec: asset.kind === 'video_mp4' ? 'h264' : 'av1' })
      expect(video.facts.fps).toBeCloseTo(Number(fps), 3)
      // All of the same stretch of time, whether it was copied or has fewer frames.
      const seconds = Math.min(8, Number(numbers?.frames) / Number(numbers?.fps))
      expect(Math.abs(Number(frames) / Number(fps) - seconds)).toBeLessThan(1 / Number(fps))
    }
    expect((await call('GET', `/${job.id}/previews/other.png`)).status).toBe(404)
  })

  test('of content that is stored already shares it', async () => {
    const { db } = program.context
    const countBlobs = async () => (await db.selectFrom('blobs').select('sha256').execute()).length
    const folder = getFixture('lerobot/recorded-v2.1')
    const first = await importFixture(program, bearer, { ...place, slug: 'shared-one', folder })
    const before = await countBlobs()
    const second = await importFixture(program, bearer, { ...place, slug: 'shared-two', folder })
    // Only the two reports differ: they name their import.
    expect(await countBlobs()).toBe(before + 1)
    const [one, other] = [await getReport(first), await getReport(second)]
    expect(other).toEqual({ ...one, import_id: second.id })
    expect(second.preview_assets.map(({ sha256 }) => sha256)).toEqual(first.preview_assets.map(({ sha256 }) => sha256))
    expect((await call('GET', `/${second.id}/previews/0-laptop.png`)).status).toBe(200)
    expect(await readAll(await takeOut(second))).toEqual(await readAll(await takeOut(first)))
    // With another option it is made anew, and still nothing is stored twice.
    const third = await importFixture(program, bearer, {
      ...place,
      slug: 'shared-three',
      folder,
      options: { task: 'x' },
    })
    expect(await countBlobs()).toBe(before + 2)
    expect((await getReport(third)).result).toEqual(one.result)
  })

  test('of HDF5 tells what is in the file', async () => {
    const folder = getFixture('hdf5/act_sim_transfer_cube')
    const job = await importFixture(program, bearer, { ...place, slug: 'act-sim', folder })
    expect(job.hdf5).toMatchObject({ kind: 'hdf5_summary', inspected: true, reason: null, truncated: false })
    expect(job.hdf5?.episodes).toHaveLength(2)
    expect(job.hdf5?.preview_assets).toEqual(job.preview_assets)
    expect((await getReport(job)).counts).toMatchObject({ episodes_imported: 2, frames: 100 })
    const listed = (await call('GET', '?q=act-sim')).body.items[0]
    expect(listed.hdf5.kind).toBe('hdf5_summary')
  })

  test('of an archive finds the dataset in it', async () => {
    const folder = getFixture('lerobot/recorded-v2.1')
    const tar = join(scratch, 'set.tar.gz')
    const { execFileSync } = await import('node:child_process')
    execFileSync('tar', ['-czf', tar, '-C', getFixture('lerobot'), 'recorded-v2.1'])
    const job = await importFixture(program, bearer, { ...place, slug: 'archived', folder: tar, sourceKind: 'lerobot' })
    expect(await readAll(await takeOut(job))).toMatchObject({ episodes: (await readAll(folder)).episodes })
  })

  test.each([
    ['hdf5-hostile/truncated_96_bytes.hdf5'],
    ['hdf5-hostile/cve-2025-6269-3.h5'],
    ['hdf5-hostile/cve-2018-17433'],
  ])('of %s fails politely, with a report', async (file) => {
    const created = await createFixtureImport(program, bearer, {
      ...place,
      slug: 'hostile',
      folder: getFixture(file),
      sourceKind: 'hdf5',
    })
    const job = await waitForImport(program, bearer, place, created.id)
    expect(job).toMatchObject({ status: 'failed', attempt_count: 1, dataset_id: null, consistency_status: 'unknown' })
    expect(job.error_message?.length).toBeGreaterThan(20)
    expect(await getReport(job)).toMatchObject({ outcome: 'failed', error: { message: job.error_message } })
    expect(await listLeavings(job.id)).toEqual([])
    expect(await listWorkFolders()).toEqual([])
  })

  test('of something else says what was looked for', async () => {
    const id = await uploadBytes(program, bearer, 'notes.txt', Buffer.from('hello'))
    const body = { source_kind: 'lerobot', dataset_slug: 'other', upload_ids: [id] }
    const created = await program.call('POST', path, { bearer, body })
    const job = await waitForImport(program, bearer, place, created.body.item.id)
    expect(job).toMatchObject({ status: 'failed', error_code: 'layout_unknown' })
  })

  test('that cannot be published any more fails with a report, and leaves nothing', async () => {
    const folder = getFixture('lerobot/recorded-v3.0-images')
    await importFixture(program, bearer, { ...place, slug: 'deleted', folder })
    await worker.stop()
    const { id } = await createFixtureImport(program, bearer, {
      ...place,
      slug: 'deleted',
      folder,
      options: { task: 'x' },
    })
    const datasets = '/api/v1/orgs/ada/projects/default/datasets'
    const gone = await program.call('DELETE', `${datasets}/deleted?confirm=deleted`, { bearer })
    expect(gone.status).toBe(200)
    worker = program.startWorker()
    const job = await waitForImport(program, bearer, place, id)
    expect(job).toMatchObject({ status: 'failed', attempt_count: 1, error_code: 'conflict', dataset_id: null })
    const report = await getReport(job)
    expect(report).toMatchObject({
      outcome: 'failed',
      summary: job.error_message,
      error: { code: 'conflict', phase: 'publish' },
      source: { layout: 'lerobot-v3' },
    })
    expect(job.report_object_path).not.toBeNull()
    expect(await listLeavings(id)).toEqual([])
  })

  test('leaves out a bad episode and says why', async () => {
    const folder = join(scratch, 'damaged')
    await copyFolder(getFixture('lerobot/recorded-v2.1'), folder)
    const bad = join(folder, 'data/chunk-000/episode_000002.parquet')
    await writeFile(bad, (await readFile(bad)).subarray(0, 100))
    const job = await importFixture(program, bearer, { ...place, slug: 'damaged', folder })
    const report = await getReport(job)
    expect(report.counts).toMatchObject({ episodes_found: 4, episodes_imported: 3, episodes_left_out: 1 })
    const left = report.episodes.filter((episode: { outcome: string }) => episode.outcome === 'left_out')
    expect(left).toMatchObject([{ source_index: 2, episode_index: null }])
    expect(left[0].notes[0]).toContain('left out')
  })
})

async function copyFolder(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const target = join(to, join(entry.parentPath, entry.name).slice(from.length))
    await mkdir(join(target, '..'), { recursive: true })
    await writeFile(target, await readFile(join(entry.parentPath, entry.name)))
  }
}
