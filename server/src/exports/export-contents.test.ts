import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { openFile } from '@nmp/formats/bytes'
import { openCodec } from '@nmp/formats/codec'
import type { Dataset } from '@nmp/formats/dataset'
import { type CameraFeature, isCamera } from '@nmp/formats/feature'
import { openFolder } from '@nmp/formats/file-tree'
import { openDataset } from '@nmp/formats/layouts'
import { openVideo } from '@nmp/formats/video'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../../../fixtures/fixture.ts'
import { createMemoryDataset, type MemoryEpisode } from '../../../formats/test/memory-dataset.ts'
import { hashPackets } from '../../../formats/test/packet-hashes.ts'
import { type Exporter, readColumn } from '../../test/exporter.ts'
import { type Lab, openLab } from '../../test/lab.ts'
import type { TestProgram } from '../../test/program.ts'
import { prepareDataset, publishFolder, publishPrepared, publishRecording } from '../../test/published-dataset.ts'
import { inTransaction } from '../db/database.ts'
import { dropBlobs, findBlob, getOrgUsage, keepBlobs, publishBlobs, stageBlob } from '../storage/blobs.ts'
import { artifactOwner } from '../versions/owners.ts'
import { openTar, signTar } from './artifact-tar.ts'

const folders = {
  v3: getFixture('lerobot/recorded-v3.0-two-cameras'),
  v2: getFixture('lerobot/recorded-v2.1'),
  images: getFixture('lerobot/recorded-v3.0-images'),
}

describe('what is in an export', () => {
  let lab: Lab
  let program: TestProgram
  let exporter: Exporter

  beforeAll(async () => {
    lab = await openLab()
    program = lab.program
    exporter = lab.exporter
    program.startWorker()
  }, 60_000)
  afterAll(() => lab.close())

  const publish = async (slug: keyof typeof folders) =>
    (await publishFolder(program.context, folders[slug], { ...lab.place, slug })).datasetId

  test('annotations: the task of every frame, and what else was said, under the new numbers', async () => {
    const datasetId = await publish('v3')
    const said = {
      success: true,
      tags: ['clean'],
      note: 'slow at first',
      segments: [{ label: 'reach', start_frame: 0, end_frame: 9 }],
    }
    const episodes = [
      { episode_index: 0, task: 'not kept', tags: ['gone'] },
      { episode_index: 2, task: 'put the red block in the bowl', ...said },
      { episode_index: 5, success: false },
    ]
    const sets = '/api/v1/orgs/acme/projects/lab/datasets/v3/annotation-sets'
    const { body: set } = await exporter.call('POST', sets, { name: 'Reviewed', episodes })
    const later = [{ episode_index: 2, task: 'something else' }]
    const recipe = { selected_episode_indices: [2, 3, 5], annotation_set_id: set.item.id, annotation_set_version: 1 }
    await exporter.call('PUT', `${sets}/${set.item.id}`, { episodes: later })
    const { dataset, folder, version } = await exporter.exportAndOpen(datasetId, recipe)
    await using opened = dataset
    await using source = await openDataset(await openFolder(folders.v3 ?? ''))
    expect(await readTasks(opened, 0)).toEqual(
      new Array(opened.getEpisode(0).length).fill('put the red block in the bowl'),
    )
    expect(await readTasks(opened, 1)).toEqual(await readTasks(source, 3))
    expect(await readTasks(opened, 2)).toEqual(await readTasks(source, 5))
    for (const [position, from] of [2, 3, 5].entries())
      expect(await readColumn(opened, position, 'action')).toEqual(await readColumn(source, from, 'action'))
    const sidecar = JSON.parse(await readFile(join(folder, 'meta/nmp-annotations.json'), 'utf8'))
    expect(sidecar).toEqual({
      annotation_set_id: set.item.id,
      annotation_set_version: 1,
      name: 'Reviewed',
      episodes: [
        { episode_index: 0, source_episode_index: 2, ...said },
        { episode_index: 2, source_episode_index: 5, success: false, tags: [], note: null, segments: [] },
      ],
    })
    const info = JSON.parse(await readFile(join(folder, 'meta/info.json'), 'utf8'))
    const tasks = new Set([0, 1, 2].flatMap((position) => opened.getEpisode(position).tasks))
    expect(info.total_tasks).toBe(tasks.size)
    // A form that has no place for them says so, before and after.
    const path = `${exporter.versionsPath}/${version.id}`
    const lost = { feature: 'meta/nmp-annotations.json', reason: 'The target has no place for files beside the data.' }
    const { body: forms } = await exporter.call('GET', `${path}/export-targets`)
    expect(forms.items.find(({ key }: { key: string }) => key === 'openpi-norm-stats').losses).toContainEqual(lost)
    const { body: queued } = await exporter.call('POST', `${path}/export-jobs`, {
      artifact_keys: ['openpi-norm-stats'],
    })
    expect((await exporter.waitForEnd(version.id, queued.jobs[0].id)).report.losses).toContainEqual(lost)
  }, 60_000)

  test('v2.1: a camera that is not touched has the packets of the file it came in', async () => {
    const datasetId = await publish('v2')
    const resize = { width: 160, height: 120, mode: 'fit' }
    const { dataset, job } = await exporter.exportAndOpen(datasetId, { excluded_episode_indices: [0], resize })
    await using opened = dataset
    await using source = await openDataset(await openFolder(folders.v2 ?? ''))
    expect(job.shard_count).toBeGreaterThan(0)
    const camera = 'observation.images.laptop'
    for (const [position, from] of [1, 2, 3].entries())
      expect(await hashPackets(await opened.getEpisode(position).openCamera(camera))).toEqual(
        await hashPackets(await source.getEpisode(from).openCamera(camera)),
      )
    const phone = opened.features.filter(isCamera).find(({ name }) => name === 'observation.images.phone')
    expect(phone).toMatchObject({ width: 160, height: 120 })
  }, 60_000)

  test('pictures kept in rows: copied byte for byte, or changed and still pictures', async () => {
    const datasetId = await publish('images')
    const { dataset } = await exporter.exportAndOpen(datasetId, { selected_episode_indices: [2, 0] })
    await using copied = dataset
    await using source = await openDataset(await openFolder(folders.images ?? ''))
    const [camera] = source.features.filter(isCamera)
    for (const [position, from] of [0, 2].entries())
      expect(await hashImages(copied, position, camera?.name ?? '')).toEqual(
        await hashImages(source, from, camera?.name ?? ''),
      )
    for (const mode of ['fit', 'fill', 'stretch']) {
      const { dataset: changed, job } = await exporter.exportAndOpen(datasetId, {
        resize: { width: 64, height: 64, mode },
      })
      expect(job.shard_count).toBe(0)
      expect(changed.features.filter(isCamera)[0]).toMatchObject({ storage: 'image', width: 64, height: 64 })
      expect((await hashImages(changed, 0, camera?.name ?? '')).length).toBe(changed.getEpisode(0).length)
      await changed.close()
    }
  }, 60_000)

  test('depth cameras: the very distances that were there, copied, cropped or resized', async () => {
    const prepared = await prepareDataset(
      createMemoryDataset([depthCamera], [makeDepthEpisode(5), makeDepthEpisode(4)]),
    )
    const { datasetId } = await publishPrepared(program.context, prepared, { ...lab.place, slug: 'depth' })
    const crop = { left_pct: 25, top_pct: 25, width_pct: 50, height_pct: 50 }
    const copied = await exporter.exportAndOpen(datasetId, { selected_episode_indices: [1] })
    expect(copied.job.shard_count).toBe(0)
    expect(await readDepths(copied.dataset)).toEqual([0, 1, 2, 3].map((frame) => paintDepth(frame, 0, 0, 128, 96)))
    await copied.dataset.close()
    const cut = await exporter.exportAndOpen(datasetId, { crop })
    expect(cut.job.shard_count).toBeGreaterThan(0)
    expect(await readDepths(cut.dataset)).toEqual([0, 1, 2, 3, 4].map((frame) => paintDepth(frame, 32, 24, 64, 48)))
    const info = JSON.parse(await readFile(join(cut.folder, 'meta/info.json'), 'utf8'))
    expect(info.features[depthCamera.name]).toMatchObject({
      shape: [48, 64, 1],
      info: { is_depth_map: true, 'video.pix_fmt': 'gray12le', 'video.depth_min': 0.5, 'video.depth_max': 2.5 },
    })
    await cut.dataset.close()
    const smallest = { left_pct: 0, top_pct: 0, width_pct: 12.5, height_pct: 16.6 }
    const tiny = await exporter.exportAndOpen(datasetId, { crop: smallest })
    expect((await readDepths(tiny.dataset))[1]).toEqual(paintDepth(1, 0, 0, 16, 16))
    await tiny.dataset.close()
    const source = { dataset_kind: 'project', dataset_id: datasetId }
    const below = { source, recipe: { crop: { ...smallest, width_pct: 10 } } }
    const refused = await exporter.call('POST', `${exporter.versionsPath}/preview`, below)
    expect(refused.body.detail[0]).toMatchObject({ loc: ['body', 'recipe', 'crop'] })
    expect(refused.body.detail[0].msg).toContain('would be 12x16')
    const resize = { width: 64, height: 64, mode: 'stretch' }
    const scaled = await exporter.exportAndOpen(datasetId, { resize })
    const known = new Set(paintDepth(2, 0, 0, 128, 96))
    expect((await readDepths(scaled.dataset))[2]?.filter((value) => !known.has(value))).toEqual([])
    await scaled.dataset.close()
  }, 90_000)

  test('a download goes on where its URL ended', async () => {
    const datasetId = await publish('v3')
    const { bytes, version, job } = await exporter.exportAndOpen(datasetId, { first_n_episodes: 2 })
    const address = { versionId: version.id, checksum: job.checksum_sha256, key: 'lerobot' }
    const short = signTar(program.context, address, 1)
    const half = Math.floor(bytes.length / 2)
    const first = await fetch(short.url, { headers: { range: `bytes=0-${half - 1}` } })
    const tag = first.headers.get('etag') ?? ''
    expect([first.status, tag.length > 2]).toEqual([206, true])
    const begun = Buffer.from(await first.arrayBuffer())
    await new Promise((resolve) => setTimeout(resolve, 2100))
    expect((await fetch(short.url)).status).toBe(403)
    const headers = { range: `bytes=${half}-`, 'if-range': tag }
    const rest = await fetch(await exporter.findLink(version.id), { headers })
    expect([rest.status, rest.headers.get('etag')]).toEqual([206, tag])
    const whole = Buffer.concat([begun, Buffer.from(await rest.arrayBuffer())])
    expect(createHash('sha256').update(whole).digest('hex')).toBe(job.checksum_sha256)
    const other = await fetch(await exporter.findLink(version.id), { headers: { ...headers, 'if-range': '"other"' } })
    expect([other.status, (await other.arrayBuffer()).byteLength]).toEqual([200, bytes.length])
    const beyond = await fetch(await exporter.findLink(version.id), { headers: { range: `bytes=${bytes.length}-` } })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${bytes.length}`])
    const known = await fetch(await exporter.findLink(version.id), { headers: { 'if-none-match': tag } })
    expect(known.status).toBe(304)
  }, 60_000)

  test('the tar is made while it is sent: nothing of it is stored; one that was stored before is served as it is', async () => {
    const datasetId = await publish('v3')
    const { bytes, version, job, link } = await exporter.exportAndOpen(datasetId, { first_n_episodes: 1 })
    const { db, storage } = program.context
    const owner = artifactOwner(version.id, lab.place.orgId)
    expect(await findBlob(db, owner, 'lerobot.tar')).toBeUndefined()
    expect((await keepBlobs(db, [job.checksum_sha256])).size).toBe(0)
    const changed = new URL(link)
    changed.searchParams.set('key', 'rlds')
    expect((await fetch(changed)).status).toBe(403)
    const run = { id: 'an-export-before', epoch: 1 }
    const blob = await stageBlob(storage, run, Readable.from([bytes]))
    await inTransaction(db, (trx) => publishBlobs(trx, owner, [{ logicalPath: 'lerobot.tar', ...blob }]))
    const stored = await exporter.findLink(version.id)
    expect(new URL(stored).pathname).toMatch(/^\/api\/v1\/objects\//)
    expect(Buffer.from(await (await fetch(stored)).arrayBuffer()).equals(bytes)).toBe(true)
    // A file that is not there any more is no shorter tar.
    await inTransaction(db, async (trx) => {
      await dropBlobs(trx, owner, 'lerobot.tar')
      await dropBlobs(trx, owner, 'files/meta/tasks.parquet')
    })
    const address = { versionId: version.id, checksum: job.checksum_sha256, key: 'lerobot' }
    const { access, expires, signature } = Object.fromEntries(new URL(link).searchParams)
    const given = { access: access as 'private', expires: Number(expires), signature }
    // Another process, which has no plan of it yet.
    await expect(openTar({ ...program.context }, address, given)).rejects.toMatchObject({ code: 'conflict' })
  }, 60_000)
})

describe('the quota of an organization', () => {
  test('an export that cannot fit is not begun; one that turns out too large fails and leaves nothing', async () => {
    const first = await openLab({ NMP_ORG_QUOTA_BYTES: '1000' })
    const lengths = [9, 8]
    const { datasetId } = await publishRecording(first.program.context, { ...first.place, slug: 'small' }, lengths)
    const refused = await first.exporter.derive(datasetId, {})
    const jobs = `${first.exporter.versionsPath}/${refused.id}/export-jobs`
    const answer = await first.exporter.call('POST', jobs, { artifact_keys: ['lerobot'] })
    expect([answer.status, answer.body.code]).toEqual([413, 'quota_exceeded'])
    expect(answer.body.detail).toContain('NMP_ORG_QUOTA_BYTES')
    const source = { dataset_kind: 'project', dataset_id: datasetId }
    const preview = await first.exporter.call('POST', `${first.exporter.versionsPath}/preview`, { source, recipe: {} })
    const { sizeBytes } = await getOrgUsage(first.program.context.db, first.place.orgId)
    await first.close()

    const enough = sizeBytes + preview.body.item.estimated_bytes + 500
    const second = await openLab({ NMP_ORG_QUOTA_BYTES: String(enough) })
    const again = await publishRecording(second.program.context, { ...second.place, slug: 'small' }, lengths)
    const version = await second.exporter.derive(again.datasetId, {})
    const queued = await second.exporter.queue(version.id)
    // What fills the place comes after the export was let in.
    await publishRecording(second.program.context, { ...second.place, slug: 'large' }, [40, 40, 40])
    const used = await getOrgUsage(second.program.context.db, second.place.orgId)
    second.program.startWorker()
    const job = await second.exporter.waitForEnd(version.id, queued)
    expect(job.status).toBe('failed')
    expect(job.error_message).toContain('NMP_ORG_QUOTA_BYTES')
    expect(await second.exporter.findArtifact(version.id)).toMatchObject({ status: 'failed', versionStatus: 'failed' })
    expect(await getOrgUsage(second.program.context.db, second.place.orgId)).toEqual(used)
    await second.close()
  }, 60_000)
})

const depthCamera: CameraFeature = {
  kind: 'camera',
  name: 'observation.images.depth',
  storage: 'video',
  width: 128,
  height: 96,
  channels: 1,
  depth: { minMeters: 0.5, maxMeters: 2.5, shift: 3.5, logarithmic: false, unit: 'm' },
  info: {},
}

const paintDepth = (frame: number, left: number, top: number, width: number, height: number): number[] =>
  Array.from({ length: width * height }, (_, at) => {
    const [x, y] = [left + (at % width), top + Math.floor(at / width)]
    return (x * 31 + y * 7 + frame * 13) % 4096
  })

const makeDepthEpisode = (length: number): MemoryEpisode => ({
  length,
  tasks: ['look'],
  columns: new Map(),
  cameras: new Map([
    [
      depthCamera.name,
      {
        kind: 'pixels' as const,
        frameCount: length,
        width: 128,
        height: 96,
        channels: 1,
        read: async function* () {
          for (let frameIndex = 0; frameIndex < length; frameIndex++) {
            const data = Uint16Array.from(paintDepth(frameIndex, 0, 0, 128, 96))
            yield { frameIndex, width: 128, height: 96, channels: 1, data }
          }
        },
      },
    ],
  ]),
})

/** The codes of the first episode, frame by frame. */
async function readDepths(dataset: Dataset): Promise<number[][]> {
  const frames = await dataset.getEpisode(0).openCamera(depthCamera.name)
  if (frames.kind !== 'packets') throw new Error('the camera gives no packets')
  await using codec = openCodec()
  await using file = await openFile(frames.file)
  await using video = await openVideo(file)
  const pictures: number[][] = []
  for await (const { data } of codec.decode({ video, pixels: 'depth' })) pictures.push(Array.from(data))
  return pictures.slice(frames.startFrame, frames.startFrame + frames.frameCount)
}

async function readTasks(dataset: Dataset, position: number): Promise<string[]> {
  const episode = dataset.getEpisode(position)
  const tasks: string[] = []
  for await (const { taskIndex, frameCount } of episode.readBlocks({ columns: [] }))
    for (let row = 0; row < frameCount; row++) tasks.push(episode.tasks[taskIndex?.[row] ?? 0] ?? '')
  return tasks
}

async function hashImages(dataset: Dataset, position: number, camera: string): Promise<string[]> {
  const frames = await dataset.getEpisode(position).openCamera(camera)
  if (frames.kind !== 'images') throw new Error('the camera gives no pictures')
  const hashes: string[] = []
  for await (const { bytes } of frames.read()) hashes.push(createHash('sha256').update(bytes).digest('hex'))
  return hashes
}
