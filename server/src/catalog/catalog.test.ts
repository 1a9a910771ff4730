import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ColumnFeature } from '@nmp/formats/feature'
import { openFolder } from '@nmp/formats/file-tree'
import { openDataset } from '@nmp/formats/layouts'
import { write } from '@nmp/formats/lerobot/writer'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../../../fixtures/fixture.ts'
import { createMemoryDataset } from '../../../formats/test/memory-dataset.ts'
import { importFixture } from '../../test/import-dataset.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { buildReadModel } from '../datasets/read-model/build.ts'
import { decodeEpisodes } from '../datasets/read-model/format.ts'
import { createProject } from '../organizations/projects/service.ts'
import { createOrg } from '../organizations/service.ts'

const lerobot = getFixture('lerobot')
const hdf5 = getFixture('hdf5')

let program: TestProgram
let session: string
const ids: Record<string, string> = {}
const made: Record<string, string> = {}

const sources: Record<string, string> = {
  v21: `${lerobot}/recorded-v2.1`,
  v30: `${lerobot}/recorded-v3.0-two-cameras`,
  images: `${lerobot}/recorded-v3.0-images`,
  robomimic: `${hdf5}/robomimic_0.5_lift_image.hdf5`,
  'no-cameras': `${hdf5}/robomimic_lift_low_dim.hdf5`,
  generic: `${hdf5}/generic_run_0042.h5`,
}

/** Three short episodes with one feature, as a LeRobot folder. */
async function writeFeature(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-feature-'))
  const episodes = [30, 10, 20].map((length) => ({
    length,
    tasks: ['watch'],
    columns: new Map([[name, Float32Array.from({ length: length * 2 }, (_, at) => Math.sin(at))]]),
  }))
  const feature: ColumnFeature = { kind: 'column', name, dtype: 'float32', shape: [2], names: ['x', 'y'] }
  await write(createMemoryDataset([feature], episodes), folder)
  return folder
}

const catalog = (slug: string, rest = '') => `/api/v1/catalog/datasets/${ids[slug]}${rest}`
const read = async (slug: string, rest = '') => {
  const answer = await program.call('GET', catalog(slug, rest), { bearer: session })
  expect(answer.status, `${slug}${rest} ${JSON.stringify(answer.body)}`).toBe(200)
  return answer.body.item
}

describe('imported datasets', () => {
  beforeAll(async () => {
    program = await startProgram()
    program.startWorker()
    const user = await program.addUser('reader@example.org')
    session = await program.signIn(user)
    const org = await createOrg(program.context.db, 'operator', { slug: 'lab', name: 'Lab', adminUserId: user.id })
    await createProject(program.context.db, 'operator', { orgId: org.id, slug: 'arm', name: 'Arm' })
    for (const [slug, feature] of [
      ['no-actions', 'observation.state'],
      ['no-signal', 'sensor.temperature'],
    ] as const)
      sources[slug] = made[slug] = await writeFeature(feature)
    await Promise.all(
      Object.entries(sources).map(async ([slug, folder]) => {
        const job = await importFixture(program, session, { org: 'lab', project: 'arm', slug, folder })
        ids[slug] = job.dataset_id ?? ''
      }),
    )
  })
  afterAll(async () => {
    await program.close()
    for (const folder of Object.values(made)) await rm(folder, { recursive: true, force: true })
  })

  test.each([...Object.keys(sources), 'no-actions', 'no-signal'])(
    '%s: every read of the catalog agrees with the dataset it was made from',
    async (slug) => {
      await using source = await openDataset(await openFolder(sources[slug] ?? ''))
      const lengths = Array.from({ length: source.episodeCount }, (_, at) => source.getEpisode(at).length)
      const manifest = await read(slug)
      expect(manifest.metrics.total_episodes).toBe(source.episodeCount)
      expect(manifest.metrics.total_frames).toBe(lengths.reduce((sum, length) => sum + length, 0))
      expect(manifest.metrics.codebase_version).toBe('v3.0')
      expect(manifest.episode_page.items.map((one: { length_frames: number }) => one.length_frames)).toEqual(
        lengths.slice(0, 50),
      )
      const cameras = source.features.filter(({ kind }) => kind === 'camera').map(({ name }) => name)
      expect(manifest.observation.cameras.map(({ key }: { key: string }) => key)).toEqual(cameras)
      const { body } = await program.call('GET', `/api/v1/orgs/lab/projects/arm/datasets/${slug}/manifest`, {
        bearer: session,
      })
      expect(body.item).toEqual(manifest)

      const episodes = await read(slug, '/episodes?limit=200')
      let from = 0
      for (const [index, episode] of episodes.items.entries()) {
        expect(episode.episode_index).toBe(index)
        // The stored form has an empty text where there is no task; the API has none.
        expect(episode.tasks).toEqual(source.getEpisode(index).tasks.filter((task) => task !== ''))
        expect(episode.source_index).toBe(source.getEpisode(index).sourceIndex)
        expect(episode.dataset_from_index).toBe(from)
        from = episode.dataset_to_index
        expect(episode.dataset_to_index - episode.dataset_from_index).toBe(lengths[index])
      }

      const statistics = await read(slug, '/statistics')
      const seconds = lengths.map((length) => length / source.fps)
      const mean = seconds.reduce((sum, value) => sum + value, 0) / seconds.length
      expect(statistics.mean_episode_sec).toBeCloseTo(mean, 9)
      expect(statistics.std_episode_sec).toBeCloseTo(
        Math.sqrt(seconds.reduce((sum, value) => sum + (value - mean) ** 2, 0) / seconds.length),
        9,
      )
      expect(statistics.median_episode_sec).toBeCloseTo(median(seconds), 9)
      expect(statistics).toMatchObject({ exact: true, sample_size: source.episodeCount, total_cameras: cameras.length })
      expect(sum(statistics.histogram.map(({ count }: { count: number }) => count))).toBe(source.episodeCount)

      const frames = await read(slug, '/frames?view=last&limit=2')
      expect(frames.camera_key).toBe(cameras[0] ?? null)
      for (const item of frames.items)
        expect(item.streams.map((one: { camera_key: string }) => one.camera_key)).toEqual(cameras)
      const thumbnails = await read(slug, '/thumbnails')
      expect(thumbnails.urls).toHaveLength(cameras.length > 0 ? Math.min(6, source.episodeCount) : 0)
    },
  )

  test('statistics of features are those of every row', async () => {
    await using source = await openDataset(await openFolder(sources.v21 ?? ''))
    const values: number[][] = []
    for (let at = 0; at < source.episodeCount; at++)
      for await (const block of source.getEpisode(at).readBlocks({ columns: ['observation.state'] })) {
        const column = block.columns.get('observation.state') as Float32Array
        for (let row = 0; row < block.frameCount; row++) values.push([...column.subarray(row * 6, row * 6 + 6)])
      }
    const { features } = await read('v21', '/feature-statistics')
    const state = features.find(({ name }: { name: string }) => name === 'observation.state')
    expect(state).toMatchObject({ dtype: 'float32', shape: [6], sampled: false, count: values.length })
    for (let dimension = 0; dimension < 6; dimension++) {
      const numbers = values.map((row) => row[dimension] ?? 0)
      const mean = sum(numbers) / numbers.length
      expect(state.min[dimension]).toBe(Math.min(...numbers))
      expect(state.max[dimension]).toBe(Math.max(...numbers))
      expect(state.mean[dimension]).toBeCloseTo(mean, 6)
      expect(state.std[dimension]).toBeCloseTo(Math.sqrt(sum(numbers.map((x) => (x - mean) ** 2)) / numbers.length), 6)
      expect(state.q50[dimension]).toBeCloseTo(median(numbers), 4)
    }
    const camera = features.find(({ name }: { name: string }) => name === 'observation.images.laptop')
    expect(camera).toMatchObject({ sampled: true })
    expect(camera.mean).toHaveLength(3)
  })

  test('motion and variance are those of every frame', async () => {
    await using source = await openDataset(await openFolder(sources.v21 ?? ''))
    const episodes: number[][][] = []
    for (let at = 0; at < source.episodeCount; at++) {
      const rows: number[][] = []
      for await (const block of source.getEpisode(at).readBlocks({ columns: ['observation.state'] })) {
        const column = block.columns.get('observation.state') as Float32Array
        for (let row = 0; row < block.frameCount; row++) rows.push([...column.subarray(row * 6, row * 6 + 6)])
      }
      episodes.push(rows)
    }
    const scales = Array.from({ length: 6 }, (_, dimension) => {
      const values = episodes.flat().map((row) => row[dimension] ?? 0)
      return new Set(values).size > 8 ? 1 / (Math.max(...values) - Math.min(...values)) : 0
    })
    const norm = (of: (dimension: number) => number) => Math.hypot(...scales.map((scale, d) => of(d) * scale))
    const mean = (numbers: number[]) => sum(numbers) / numbers.length
    const at = (rows: number[][], frame: number, dimension: number) => rows[frame]?.[dimension] ?? 0
    const motion = episodes.map((rows) =>
      mean(rows.slice(1).map((_, frame) => norm((d) => at(rows, frame + 1, d) - at(rows, frame, d)))),
    )
    const variance = episodes.map((rows) =>
      mean(
        rows
          .slice(2)
          .map((_, frame) => norm((d) => at(rows, frame + 2, d) - 2 * at(rows, frame + 1, d) + at(rows, frame, d))),
      ),
    )
    const insights = await read('v21', '/insights')
    for (const [index, expected] of motion.entries()) expect(insights.motion[index]).toBeCloseTo(expected, 5)
    for (const [index, expected] of variance.entries()) expect(insights.variance[index]).toBeCloseTo(expected, 5)
    expect(insights.least_motion.toSorted()).toEqual(motion.map((_, index) => index))
    expect(insights.most_variance.toSorted()).toEqual(motion.map((_, index) => index))
    expect((await read('v30', '/insights')).success).toEqual([true, true, true, false, true, true])
    expect((await read('no-cameras', '/insights')).success).toEqual([])
  })

  test('a dataset without cameras, without actions, with pictures: what is not there is null or empty', async () => {
    const bare = await read('no-cameras')
    expect(bare.observation).toMatchObject({ camera_count: 0, cameras: [] })
    expect((await read('no-cameras', '/frames')).items[0].streams).toEqual([])
    expect((await program.call('GET', catalog('no-cameras', '/frames?camera_key=x'), { bearer: session })).status).toBe(
      422,
    )
    expect((await read('no-actions')).action).toBeNull()
    expect((await read('no-actions')).modalities).not.toContain('action')
    expect(await read('no-actions', '/filtering')).toMatchObject({ supports_motion_insights: true })
    expect((await read('no-signal')).observation.state).toBeNull()
    expect(await read('no-signal', '/filtering')).toMatchObject({
      supports_motion_insights: false,
      low_motion_episodes: [],
      high_variance_episodes: [],
      note: 'There is neither observation.state nor action, so motion cannot be measured.',
    })
    expect(await read('no-signal', '/insights')).toMatchObject({
      length_frames: [30, 10, 20],
      motion: [],
      signal: null,
    })
    expect(await read('no-signal', '/motion-curves')).toMatchObject({ total: 3, points: 0, curves: [] })
    const drawn = await read('no-actions', '/motion-curves?offset=1&limit=1')
    expect(drawn).toMatchObject({ offset: 1, total: 3, points: 24 })
    expect(drawn.curves).toHaveLength(1)
    expect(drawn.curves[0]).toHaveLength(24)
    const pictures = await read('images')
    expect(pictures.observation.cameras[0]).toMatchObject({ codec: null, pixel_format: null, width: 128, height: 96 })
    expect(pictures.modalities).toContain('image')
    const [stream] = (await read('images', '/frames?view=last')).items[0].streams
    expect(stream.url).toBeNull()
    expect(stream.poster_url).toContain('/poster?')
    expect(await read('images', '/thumbnails')).toMatchObject({ dataset_id: ids.images })
  })

  test('streams name the seconds of the episode in the shared file', async () => {
    const page = await read('v30', '/frames?camera_key=observation.images.top')
    let expected = 0
    for (const item of page.items) {
      const [stream] = item.streams
      const [, from, to] = /#t=([\d.]+),([\d.]+)$/.exec(stream.url) ?? []
      expect(Number(from)).toBeCloseTo(expected, 9)
      expect(Number(to) - Number(from)).toBeCloseTo(item.duration_sec, 9)
      expect(stream.preview_time_sec).toBeCloseTo(expected, 9)
      expected = Number(to)
    }
    const last = await read('v30', '/frames?view=last&camera_key=observation.images.top&limit=1')
    expect(last.items[0].streams[0].preview_time_sec).toBeCloseTo(last.items[0].duration_sec - 1 / 20, 9)
  })

  test('navigation knows its ends', async () => {
    const { total } = await read('v30', '/episodes')
    expect((await read('v30', '/episodes/0/navigation')).previous).toBeNull()
    const middle = await read('v30', '/episodes/2/navigation')
    expect([middle.previous, middle.current, middle.next].map(({ episode_index }) => episode_index)).toEqual([1, 2, 3])
    expect((await read('v30', `/episodes/${total - 1}/navigation`)).next).toBeNull()
    for (const [place, status] of [
      [total, 404],
      ['x', 422],
      ['-1', 422],
      ['1.5', 422],
    ] as const)
      expect(
        (await program.call('GET', catalog('v30', `/episodes/${place}/navigation`), { bearer: session })).status,
      ).toBe(status)
  })

  test('each constraint of the queries is a 422 at its edge, and passes inside it', async () => {
    const bad = ['offset=-1', 'limit=0', 'limit=201', 'q=', 'sort=name', 'sort=', 'order=up', 'offset=x', 'limit=1.5']
    const good = ['offset=0', 'limit=1', 'limit=200', 'q=a', 'sort=duration', 'sort=frames', 'order=desc']
    const manifestPath = '/api/v1/orgs/lab/projects/arm/datasets/v30/manifest'
    for (const path of [catalog('v30'), catalog('v30', '/episodes'), manifestPath]) {
      for (const query of bad) expect(await statusOf(`${path}?${query}`), `${path}?${query}`).toBe(422)
      for (const query of good) expect(await statusOf(`${path}?${query}`), `${path}?${query}`).toBe(200)
    }
    for (const query of ['offset=-1', 'limit=0', 'limit=97', 'view=middle', 'view=', 'camera_key=nope'])
      expect(await statusOf(catalog('v30', `/frames?${query}`)), query).toBe(422)
    for (const query of ['offset=99999', 'limit=96', 'view=last', 'camera_key=observation.images.wrist'])
      expect(await statusOf(catalog('v30', `/frames?${query}`)), query).toBe(200)
  })

  test('an answer that did not change is a 304, and changes with the dataset', async () => {
    const first = await program.call('GET', catalog('v30', '/episodes'), { bearer: session })
    const etag = first.headers.get('etag') ?? ''
    expect(first.headers.get('cache-control')).toBe('private, no-cache')
    const again = { bearer: session, headers: { 'if-none-match': `"other", W/${etag}` } }
    const unchanged = await program.call('GET', catalog('v30', '/episodes'), again)
    expect([unchanged.status, unchanged.body]).toEqual([304, ''])
    const refusedWith = async (path: string) => (await program.call('GET', catalog('v30', path), again)).status
    expect(await refusedWith('/frames?camera_key=nope')).toBe(422)
    expect(await refusedWith('/episodes/9999/navigation')).toBe(404)
    const headers = { authorization: `Bearer ${session}` }
    const head = await fetch(program.url + catalog('v30', '/episodes'), { method: 'HEAD', headers })
    expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, etag, ''])
    const path = '/api/v1/orgs/lab/projects/arm/datasets/v30'
    expect((await program.call('PATCH', path, { bearer: session, body: { title: 'Renamed' } })).status).toBe(200)
    expect((await program.call('GET', catalog('v30', '/episodes'), again)).status).toBe(200)
    expect((await read('v30')).title).toBe('Renamed')
  })

  test('the files and the tar hold the stored dataset, whole and by range', async () => {
    const listed = await program.call('GET', catalog('v30', '/files?limit=2'), { bearer: session })
    expect(listed.body.items).toHaveLength(2)
    const rest = await program.call('GET', catalog('v30', `/files?cursor=${listed.body.next_cursor}`), {
      bearer: session,
    })
    const files = [...listed.body.items, ...rest.body.items]
    expect(files.map(({ path }) => path)).toContain('meta/info.json')
    expect(new Set(files.map(({ path }) => path)).size).toBe(files.length)
    const manifest = await read('v30')
    expect(sum(files.map(({ size_bytes }) => size_bytes))).toBe(manifest.size_bytes)

    const { href } = manifest.export_artifacts.find(({ key }: { key: string }) => key === 'lerobot')
    const whole = Buffer.from(await (await fetch(href)).arrayBuffer())
    const head = await fetch(href, { method: 'HEAD' })
    expect(head.headers.get('content-length')).toBe(String(whole.byteLength))
    for (const [start, end] of [
      [0, 99],
      [500, 1500],
      [whole.length - 1030, whole.length - 1],
    ] as const) {
      const part = await fetch(href, { headers: { range: `bytes=${start}-${end}` } })
      expect(part.status).toBe(206)
      expect(Buffer.from(await part.arrayBuffer()).equals(whole.subarray(start, end + 1))).toBe(true)
    }
    expect((await fetch(href, { headers: { range: `bytes=${whole.length}-` } })).status).toBe(416)
    expect((await fetch(href, { headers: { 'if-none-match': head.headers.get('etag') ?? '' } })).status).toBe(304)
    expect((await fetch(href.replace(/signature=./, 'signature=_'))).status).toBe(403)
    const packed = listTar(whole)
    expect(packed.pop()?.path).toBe('v30/README.md')
    expect(packed).toEqual(files.map(({ path, size_bytes }) => ({ path: `v30/${path}`, size: size_bytes })))
  })
})

describe('insights', () => {
  test('the same dataset gives the same read model, and curves that agree with its scores', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'nmp-can-'))
    const source = `${lerobot}/recorded-v3.0-can-motion`
    try {
      await buildReadModel({ datasetFolder: source, targetFolder: `${folder}/one` })
      await buildReadModel({ datasetFolder: source, targetFolder: `${folder}/two` })
      for (const file of ['manifest.json', 'episodes.bin'])
        expect(await readFile(`${folder}/one/${file}`)).toEqual(await readFile(`${folder}/two/${file}`))
      const { insights } = JSON.parse(await readFile(`${folder}/one/manifest.json`, 'utf8'))
      // A curve is the episode's motion spread over its time: its mean is the score, but for what was cut off at the top.
      const bytes = await readFile(`${folder}/one/episodes.bin`)
      const { motion, motionCurve } = decodeEpisodes(new Uint8Array(bytes).buffer, 0)
      for (const index of motion?.keys() ?? []) {
        const curve = motionCurve?.subarray(index * 24, (index + 1) * 24) ?? []
        const mean = (sum([...curve]) / 24 / 255) * insights.curve_top
        expect(mean / (motion?.[index] ?? 0), `episode ${index}`).toBeGreaterThan(0.85)
        expect(mean / (motion?.[index] ?? 0), `episode ${index}`).toBeLessThan(1.1)
      }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})

const statusOf = async (path: string): Promise<number> => (await program.call('GET', path, { bearer: session })).status
const sum = (numbers: number[]): number => numbers.reduce((total, value) => total + value, 0)

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}

/** Names and sizes as any tar reader finds them. */
function listTar(bytes: Buffer): { path: string; size: number }[] {
  const entries: { path: string; size: number }[] = []
  for (let at = 0; bytes[at] !== 0; ) {
    const text = (start: number, end: number) => bytes.toString('utf8', at + start, at + end).replace(/\0.*$/s, '')
    const size = Number.parseInt(text(124, 136), 8)
    entries.push({ path: text(0, 100), size })
    at += 512 + Math.ceil(size / 512) * 512
  }
  return entries
}
