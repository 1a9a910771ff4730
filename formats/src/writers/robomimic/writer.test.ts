import { createHash } from 'node:crypto'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { getFixture } from '../../../../fixtures/fixture.ts'
import { readBarCodes } from '../../../test/bar-code.ts'
import { createMemoryDataset } from '../../../test/memory-dataset.ts'
import { openCodec } from '../../containers/codec/codec.ts'
import { createHdf5Reader } from '../../containers/hdf5/hdf5.ts'
import type { Dataset } from '../../dataset.ts'
import { type CameraFeature, type ColumnFeature, isCamera, isColumn } from '../../feature.ts'
import { openFolder } from '../../file-tree.ts'
import type { JsonObject } from '../../json.ts'
import { openDataset } from '../../layouts/index.ts'
import { readTargetOptions } from '../target-options.ts'
import { robomimic } from './target.ts'

const twoCameras = getFixture('lerobot/recorded-v3.0-two-cameras')

async function convert(source: Dataset, given: JsonObject = {}) {
  const folder = join(await mkdtemp(join(tmpdir(), 'robomimic-')), 'out')
  const report = await robomimic.write(source, folder, { settings: readTargetOptions(robomimic, given) })
  return { folder, report, path: join(folder, 'demo.hdf5') }
}

async function readRows(dataset: Dataset, position: number) {
  const rows: Record<string, unknown[]> = {}
  for await (const { columns } of dataset.getEpisode(position).readBlocks())
    for (const [name, values] of columns) rows[name] = [...(rows[name] ?? []), ...values]
  return rows
}

const hash = async (path: string) =>
  createHash('sha256')
    .update(await readFile(path))
    .digest('hex')

test('read back by our own reader: the same rows, names, tasks and pictures; the same bytes every time', async () => {
  await using source = await openDataset(await openFolder(twoCameras))
  const { folder, report, path } = await convert(source, { next_obs: false })
  expect(report).toMatchObject({ episodeCount: 6, frameCount: 313, losses: [], files: [{ path: 'demo.hdf5' }] })
  await using back = await openDataset(await openFolder(folder))
  expect(back).toMatchObject({ fps: source.fps, robotType: source.robotType, episodeCount: 6, frameCount: 313 })
  await using codec = openCodec()
  for (let position = 0; position < 6; position++) {
    expect(back.getEpisode(position).tasks).toEqual(source.getEpisode(position).tasks)
    expect(await readRows(back, position)).toMatchObject(await readRows(source, position))
  }
  for (const feature of source.features.filter(isColumn))
    expect(back.features).toContainEqual({ ...feature, names: feature.names })
  for (const { name } of source.features.filter(isCamera))
    expect(await readBarCodes(await back.getEpisode(4).openCamera(name), codec)).toEqual(
      await readBarCodes(await source.getEpisode(4).openCamera(name), codec),
    )
  expect(await hash(path)).toBe(await hash((await convert(source, { next_obs: false })).path))
}, 60_000)

const column = (name: string, shape = [2], dtype: ColumnFeature['dtype'] = 'float32'): ColumnFeature => ({
  ...{ kind: 'column', name, dtype, shape, names: null },
})
const size = { width: 16, height: 16 }
const camera: CameraFeature = {
  ...{ kind: 'camera', name: 'observation.images.top', storage: 'video', ...size, channels: 3, info: {} },
}
const depth: CameraFeature = {
  ...{ ...camera, name: 'observation.images.range', channels: 1 },
  depth: { minMeters: 0, maxMeters: 4.095, shift: 0, logarithmic: false, unit: 'mm' },
}

function paint(length: number, channels: number, brokenAt = length) {
  const read = async function* () {
    for (let frameIndex = 0; frameIndex < brokenAt; frameIndex++) {
      const data = new (channels === 1 ? Uint16Array : Uint8Array)(256 * channels).fill(frameIndex + 1)
      yield { frameIndex, ...size, channels, data }
    }
  }
  return { kind: 'pixels' as const, frameCount: length, ...size, channels, read }
}

const features = [
  ...[
    column('action'),
    column('observation.state'),
    column('observation.env.force', [1]),
    column('next.done', [1], 'bool'),
  ],
  ...[column('next.success', [1], 'bool'), column('language_events', [1], 'language'), camera, depth],
]

function makeEpisode(length: number, splits: string[], brokenAt?: number) {
  const numbers = (width: number) => Float32Array.from({ length: length * width }, (_, at) => length + at / 7)
  return {
    ...{ length, tasks: ['reach'], splits },
    columns: new Map<string, Float32Array | Uint8Array | string[]>([
      ...(['action', 'observation.state'] as const).map((name) => [name, numbers(2)] as const),
      ['observation.env.force', numbers(1)],
      ['next.done', Uint8Array.from({ length }, (_, at) => Number(at === length - 2))],
      ['next.success', new Uint8Array(length).fill(1)],
      ['language_events', new Array<string>(length).fill('')],
    ]),
    cameras: new Map([
      [camera.name, paint(length, 3)],
      [depth.name, paint(length, 1, brokenAt)],
    ]),
  }
}

test('every array of a demo, next_obs one step later, masks; a broken episode leaves nothing behind', async () => {
  const episodes = [makeEpisode(9, ['train']), makeEpisode(12, ['train'], 5), makeEpisode(8, ['train', 'far'])]
  const { path, report } = await convert(createMemoryDataset(features, episodes))
  expect(report).toMatchObject({ episodeCount: 2, frameCount: 17 })
  expect(report.losses.map(({ feature }) => feature)).toEqual(['language_events'])
  expect(report.findings).toMatchObject([{ rule: 'episode-file-unreadable', episode: 1 }])
  await using reader = createHdf5Reader()
  const tree = await reader.describe(path)
  const paths = tree.listDatasets('/data/demo_1').map((dataset) => dataset.path.slice('/data/demo_1/'.length))
  const observed = ['env_force', 'range_depth', 'state', 'top_image']
  expect(paths.toSorted()).toEqual(
    [
      ...['actions', 'dones', 'next_success', 'rewards'],
      ...['obs', 'next_obs'].flatMap((group) => observed.map((name) => `${group}/${name}`)),
    ].toSorted(),
  )
  expect(tree.list('/data').map((node) => node.path)).toEqual(['/data/demo_0', '/data/demo_1'])
  const read = async (name: string) => {
    const dataset = tree.find(`/data/demo_1/${name}`)
    if (dataset?.kind !== 'dataset') throw new Error(name)
    const rows = await reader.readRows(path, dataset, 0, 8)
    if (rows.form !== 'packed') throw new Error(name)
    return { ...dataset, bytes: rows.bytes.slice().buffer }
  }
  expect([...new BigInt64Array((await read('dones')).bytes)]).toEqual([0n, 0n, 0n, 0n, 0n, 0n, 1n, 0n])
  const state = new Float32Array((await read('obs/state')).bytes)
  expect([...new Float32Array((await read('next_obs/state')).bytes)]).toEqual([...state.slice(2), ...state.slice(-2)])
  const picture = await read('next_obs/top_image')
  expect(picture).toMatchObject({ shape: [8, 16, 16, 3], dtype: 'uint8', chunks: null })
  expect([0, 6, 7].map((row) => new Uint8Array(picture.bytes)[row * 768])).toEqual([2, 8, 8])
  const distances = new Float32Array((await read('obs/range_depth')).bytes)
  expect(distances[7 * 256]).toBeCloseTo(0.008, 6)
  expect(tree.findAttribute('/data/demo_1', 'num_samples')).toBe(8)
  expect(tree.findAttribute('/data', 'total')).toBe(17)
  expect(tree.list('/mask')).toMatchObject([
    { path: '/mask/far', shape: [1], dtype: 'S6' },
    { path: '/mask/train', shape: [2] },
  ])
})

test('gzip, and masks drawn for validation', async () => {
  const episodes = Array.from({ length: 10 }, () => makeEpisode(3, ['train']))
  const { path } = await convert(createMemoryDataset(features, episodes), {
    ...{ compression: 'gzip', valid_percent: 20, next_obs: false },
  })
  await using reader = createHdf5Reader()
  const tree = await reader.describe(path)
  expect(tree.find('/data/demo_9/obs/top_image')).toMatchObject({ chunks: [3, 16, 16, 3], filters: [{ id: 1 }] })
  expect(tree.list('/mask')).toMatchObject([
    { path: '/mask/train', shape: [8] },
    { path: '/mask/valid', shape: [2] },
  ])
  expect(tree.find('/data/demo_0/next_obs')).toBeUndefined()
})

test('without actions it is refused by a sentence', async () => {
  const plain = createMemoryDataset([column('observation.state')], [])
  await expect(convert(plain)).rejects.toThrow('no demo without actions; set actions to one of observation.state.')
})
