import type { Dataset } from '@nmp/formats/dataset'
import { type CameraFeature, isCamera } from '@nmp/formats/feature'
import { decodeDepthImage, decodeImage, encodePng, type Pixels } from '@nmp/formats/image'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getFixture } from '../../../fixtures/fixture.ts'
import { createMemoryDataset } from '../../../formats/test/memory-dataset.ts'
import { type Lab, openLab } from '../../test/lab.ts'
import { prepareDataset, publishFolder, publishPrepared } from '../../test/published-dataset.ts'

const camera = 'observation.images.depth'
const recorded = getFixture('lerobot/recorded-v3.0-depth')
const scale = { minMeters: 0.01, maxMeters: 10, shift: 3.5, logarithmic: true, unit: 'mm' } as const

let lab: Lab

beforeAll(async () => {
  lab = await openLab()
}, 60_000)
afterAll(() => lab.close())

const call = (path: string) => lab.exporter.call('GET', path)

async function openMedia(datasetId: string) {
  const { body } = await call(`/api/v1/catalog/datasets/${datasetId}`)
  const { body: media } = await call(`/api/v1/catalog/datasets/${datasetId}/episodes/0/media`)
  const path = `/api/v1/media/${datasetId}/${body.item.revision_id}`
  const fetchMedia = (what: string) =>
    fetch(`${lab.program.url}${path}/${what}`, { headers: { authorization: `Bearer ${lab.bearer}` } })
  const ask = (query: string) => fetchMedia(`depth?${query}`)
  return {
    streams: media.item.streams as { camera_key: string; depth: unknown }[],
    ask,
    paint: async (what: string) => {
      const answer = await fetchMedia(what)
      expect(answer.status).toBe(200)
      return decodeImage(new Uint8Array(await answer.arrayBuffer()))
    },
    read: async (query: string) => {
      const answer = await ask(query)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
      return decodeDepthImage(new Uint8Array(await answer.arrayBuffer()))
    },
  }
}

/** What `draw_depth` of formats/test/python/barcode.py gave to LeRobot. */
const recordedMm = (x: number, y: number, frame: number, episode: number) =>
  400 + x * 7 + y * 5 + frame * 11 + episode * 200

/** Half a step of LeRobot's logarithmic codes, and half a millimetre of ours. */
const tolerance = (mm: number) => ((mm / 1000 + 3.5) * Math.log(13.5 / 3.51) * 1000) / 4095 / 2 + 0.5

/** Within what JPEG and WebP make of it. */
function expectColour({ width, data }: Pixels, x: number, y: number, colour: readonly number[]): void {
  const found = [...data.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)]
  const worst = Math.max(...found.map((value, channel) => Math.abs(value - (colour[channel] as number))))
  expect(worst, `${found} is not ${colour}`).toBeLessThanOrEqual(24)
}

function findWrong(
  { width, height, data }: { width: number; height: number; data: Uint16Array },
  expected: (x: number, y: number) => number,
): number {
  let wrong = 0
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const mm = expected(x, y)
      if (Math.abs((data[y * width + x] as number) - mm) > tolerance(mm)) wrong++
    }
  return wrong
}

test('a depth video of LeRobot answers the millimetres that were recorded, and a version of it the ones it keeps', async () => {
  const { datasetId } = await publishFolder(lab.program.context, recorded, { ...lab.place, slug: 'recorded' })
  const media = await openMedia(datasetId)
  expect(media.streams).toMatchObject([{ camera_key: camera, depth: { near_mm: 10, far_mm: 10_000, unknown: null } }])
  for (const [episode, frame] of [
    [0, 0],
    [1, 29],
    [2, 4],
  ] as const) {
    const found = await media.read(`episode=${episode}&frame=${frame}&camera=${camera}`)
    expect([found.width, found.height]).toEqual([80, 64])
    expect(findWrong(found, (x, y) => recordedMm(x, y, frame, episode))).toBe(0)
  }
  const beyond = await media.ask(`episode=0&frame=17&camera=${camera}`)
  const frames = { msg: expect.stringContaining('has the frames 0 to 16') }
  expect([beyond.status, await beyond.json()]).toMatchObject([422, { detail: [frames] }])

  // Posters and sprites: the near corner is dark violet, the far one yellow, as viridis has them.
  for (const format of ['jpeg', 'webp']) {
    const poster = await media.paint(`poster?episode=1&frame=3&camera=${camera}&format=${format}`)
    expect([poster.width, poster.height]).toEqual([80, 64])
    expectColour(poster, 1, 1, [68, 1, 84])
    expectColour(poster, 78, 62, [253, 231, 37])
  }
  const sprite = await media.paint(`sprite?episode=1&camera=${camera}`)
  for (let tile = 0; tile < 8; tile++) {
    expectColour(sprite, tile * 80 + 1, 1, [68, 1, 84])
    expectColour(sprite, tile * 80 + 78, 62, [253, 231, 37])
  }

  const crop = { left_pct: 50, top_pct: 50, width_pct: 50, height_pct: 50 }
  const version = await lab.exporter.derive(datasetId, { crop, selected_episode_indices: [1] })
  const cut = await (await openMedia(version.id)).read(`episode=0&frame=7&camera=${camera}`)
  expect([cut.width, cut.height]).toEqual([40, 32])
  expect(findWrong(cut, (x, y) => recordedMm(x + 40, y + 32, 7, 1))).toBe(0)
}, 60_000)

test('pictures in rows are millimetres where the recording says so, and refused in words where it does not', async () => {
  const values = [0, 1, 480, 65_535]
  const makeCamera = (name: string, info: CameraFeature['info']): CameraFeature => ({
    ...{ kind: 'camera', storage: 'image', name, width: 2, height: 2, channels: 1, info, depth: scale },
  })
  const cameras = [makeCamera('known', { depth_unit: 'mm' }), makeCamera('silent', {})]
  const frames = {
    kind: 'images' as const,
    frameCount: 1,
    read: async function* () {
      yield { frameIndex: 0, bytes: await encodePng({ width: 2, height: 2, data: Uint16Array.from(values) }) }
    },
  }
  const episode = {
    length: 1,
    tasks: ['look'],
    columns: new Map(),
    cameras: new Map(cameras.map(({ name }) => [name, frames])),
  }
  const prepared = await prepareDataset(createMemoryDataset(cameras, [episode]))
  const { datasetId } = await publishPrepared(lab.program.context, prepared, { ...lab.place, slug: 'pictures' })
  const media = await openMedia(datasetId)
  const why = expect.stringContaining('silent keeps depth as pictures without saying')
  expect(media.streams.map(({ depth }) => depth)).toEqual([
    { near_mm: null, far_mm: null, unknown: null },
    { near_mm: null, far_mm: null, unknown: why },
  ])
  expect([...(await media.read('episode=0&frame=0&camera=known')).data]).toEqual(values)
  const refused = await media.ask('episode=0&frame=0&camera=silent')
  expect([refused.status, await refused.json()]).toMatchObject([409, { code: 'conflict', detail: why }])
}, 60_000)

test('strips are shown as small as everything else: the loop that answers everybody paints them', async () => {
  const size = { width: 30, height: 9000 }
  const strip = (name: string, channels: number): CameraFeature => ({
    ...{ kind: 'camera', storage: 'image', name, ...size, channels, info: { depth_unit: 'mm' } },
    ...(channels === 1 && { depth: scale }),
  })
  const cameras = [strip('deep', 1), strip('wide', 3)]
  const pixels = size.width * size.height
  const encode = (channels: number): Promise<Uint8Array> =>
    encodePng(
      channels === 1
        ? { ...size, data: new Uint16Array(pixels).fill(700) }
        : { ...size, channels: 3, data: new Uint8Array(pixels * 3) },
    )
  const show = ({ channels }: CameraFeature) => ({
    kind: 'images' as const,
    frameCount: 1,
    read: async function* () {
      yield { frameIndex: 0, bytes: await encode(channels) }
    },
  })
  const episode = {
    length: 1,
    tasks: ['look'],
    columns: new Map(),
    cameras: new Map(cameras.map((one) => [one.name, show(one)])),
  }
  const prepared = await prepareDataset(createMemoryDataset(cameras, [episode]))
  const { datasetId } = await publishPrepared(lab.program.context, prepared, { ...lab.place, slug: 'strips' })
  const media = await openMedia(datasetId)
  const distances = await media.read('episode=0&frame=0&camera=deep&width=160')
  expect([distances.width, distances.height, new Set(distances.data)]).toEqual([1, 320, new Set([700])])
  for (const { name } of cameras) {
    const poster = await media.paint(`poster?episode=0&frame=0&camera=${name}&width=160`)
    expect([poster.width, poster.height]).toEqual([1, 320])
  }
})

test('a video of 8 bits that is only called depth has no distances, and a colour camera is none', async () => {
  const marked = (dataset: Dataset): Dataset => ({
    ...dataset,
    features: dataset.features.map((feature) =>
      isCamera(feature) && feature.name.endsWith('top') ? { ...feature, depth: scale } : feature,
    ),
  })
  const folder = getFixture('lerobot/recorded-v3.0-two-cameras')
  const { datasetId } = await publishFolder(lab.program.context, folder, { ...lab.place, slug: 'called' }, marked)
  const media = await openMedia(datasetId)
  const why = expect.stringContaining('declares no distances')
  expect(media.streams.map(({ depth }) => depth)).toEqual([{ near_mm: null, far_mm: null, unknown: why }, null])
  const refused = await media.ask('episode=0&frame=0&camera=observation.images.top')
  expect([refused.status, await refused.json()]).toMatchObject([409, { detail: why }])
  expect((await media.ask('episode=0&frame=0&camera=observation.images.wrist')).status).toBe(422)
}, 60_000)
