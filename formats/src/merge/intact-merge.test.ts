import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { getFixture } from '../../../fixtures/fixture.ts'
import { createMemoryDataset, type MemoryEpisode } from '../../test/memory-dataset.ts'
import { readParquetFooterOf } from '../containers/parquet/footer.ts'
import { openParquetReader } from '../containers/parquet/parquet.ts'
import type { Dataset } from '../dataset.ts'
import type { CameraFeature, Feature } from '../feature.ts'
import { openFolder } from '../file-tree.ts'
import { openDataset } from '../layouts/index.ts'
import { write } from '../writers/lerobot-v3/writer.ts'
import { mergeDatasets } from './merge-datasets.ts'

const makeFolder = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'intact-merge-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}
const open = async (folder: string): Promise<Dataset> => openDataset(await openFolder(folder))
const merge = (datasets: readonly Dataset[], tasks: Record<string, string>[] = []): Promise<Dataset> =>
  mergeDatasets(
    datasets.map((dataset, place) => ({
      dataset,
      title: String(place),
      said: { datasetId: '', revision: '', recipe: null, map: null },
      map: tasks[place] && { tasks: tasks[place] },
    })),
  )

/** Every row of the data files and of the table, by DuckDB, in order. */
async function readTables(folder: string): Promise<Record<string, unknown>[]> {
  await using reader = await openParquetReader(folder)
  const tree = await openFolder(folder)
  const records: Record<string, unknown>[] = []
  for (const { path } of [...(await tree.list('data')), ...(await tree.list('meta/episodes'))]) {
    const file = await tree.locate(path)
    const names = (await reader.findColumns(file)).map(({ name }) => name)
    // Which of the files an episode lies in is the one thing that may differ.
    const kept = names.filter((name) => !/(chunk|file)_index|_timestamp$/.test(name))
    for await (const record of reader.readRecords(file, kept)) records.push(record)
  }
  return records
}

test.each([
  ['recorded-v3.0-two-cameras', 'recorded-v3.0-two-cameras'],
  ['recorded-v3.0-images', 'recorded-v3.0-images'],
  ['recorded-v3.0-many-files', 'recorded-v3.0-many-files'],
])('rows of %s stay the bytes they are but for their numbers, and say what rows written anew say', async (...names) => {
  const [copied, anew] = [await makeFolder(), await makeFolder()]
  const datasets: Dataset[] = []
  onTestFinished(async () => {
    for (const dataset of datasets) await dataset.close()
  })
  for (const name of names) datasets.push(await open(getFixture(`lerobot/${name}`)))
  const [first] = datasets[0]?.getEpisode(0).tasks ?? []
  const merged = await merge(datasets, [{}, { [String(first)]: 'another text' }])
  expect(merged.intact?.data?.isRenumbered).toBe(true)
  const { intact: _, ...plain } = merged
  const report = await write(merged, copied)
  await write(plain, anew)
  const rows = await readTables(copied)
  expect(rows).toEqual(await readTables(anew))
  expect(rows.filter(({ frame_index }) => frame_index !== undefined)).toHaveLength(merged.frameCount)
  expect(JSON.parse(await readFile(join(copied, 'meta/stats.json'), 'utf8'))).toEqual(
    JSON.parse(await readFile(join(anew, 'meta/stats.json'), 'utf8')),
  )
  expect(await readFile(join(copied, 'meta/tasks.parquet'))).toEqual(await readFile(join(anew, 'meta/tasks.parquet')))
  // A column that nobody touches is found in the result byte for byte.
  const source = join(getFixture(`lerobot/${names[0]}`), 'data/chunk-000/file-000.parquet')
  const { startByte = 0, endByte = 0 } = (await readParquetFooterOf(source, source)).rowGroups[0]?.chunks[0] ?? {}
  const untouched = (await readFile(source)).subarray(startByte, endByte)
  expect(untouched.length).toBeGreaterThan(100)
  expect((await readFile(join(copied, report.files[0]?.path ?? ''))).includes(untouched)).toBe(true)
  await using reread = await open(copied)
  expect(reread.findings.filter(({ severity }) => severity === 'error')).toEqual([])
  expect(reread.intact?.data).toBeDefined()
})

const size = { width: 192, height: 192, channels: 3 } as const
const camera: CameraFeature = { kind: 'camera', name: 'front', storage: 'video', ...size, info: {} }

/** Pictures that no codec makes small. */
function makeEpisode(seed: number): MemoryEpisode {
  const read = async function* () {
    let state = seed
    for (let frameIndex = 0; frameIndex < 24; frameIndex++) {
      const data = new Uint8Array(size.width * size.height * 3)
      for (let at = 0; at < data.length; at++) {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0
        data[at] = state >>> 24
      }
      yield { frameIndex, ...size, data }
    }
  }
  const frames = { kind: 'pixels', frameCount: 24, ...size, read } as const
  return { length: 24, tasks: ['Look'], columns: new Map(), cameras: new Map([[camera.name, frames]]) }
}

test('video files of sources that agree are copied whole', async () => {
  const [a, b, both] = await Promise.all(Array.from({ length: 3 }, makeFolder))
  const h264 = { videoCodec: 'h264' } as const
  await write(createMemoryDataset([camera], [makeEpisode(1)]), a as string, h264)
  await write(createMemoryDataset([camera], [makeEpisode(2)]), b as string, h264)
  await using first = await open(a as string)
  await using second = await open(b as string)
  const report = await write(await merge([first, second]), both as string)
  const kept = report.files.filter(({ keptFrom }) => keptFrom)
  expect(kept.map(({ path }) => path.slice(-12))).toEqual(['file-000.mp4', 'file-001.mp4'])
  for (const { path, keptFrom } of kept)
    expect(await readFile(join(both as string, path))).toEqual(await readFile(keptFrom as string))
  await using reread = await open(both as string)
  expect(reread.findings.filter(({ severity }) => severity !== 'info')).toEqual([])
  const places = await Promise.all([0, 1].map((position) => reread.getEpisode(position).openCamera('front')))
  expect(places.map((place) => place.kind === 'packets' && place.name?.slice(-12))).toEqual([
    'file-000.mp4',
    'file-001.mp4',
  ])
})

/** Two features and a choice of task in every row; `hole` is a number of the first one. */
function makeRows(seed: number, hole: number): MemoryEpisode {
  const length = 9 + seed
  const state = Float32Array.from({ length: length * 3 }, (_, at) => Math.sin(at * 1.7 + seed) * 10)
  state[4] = hole
  const done = Uint8Array.from({ length }, (_, row) => Number(row === length - 1))
  const taskIndex = Uint32Array.from({ length }, (_, row) => Number(row > 4))
  const columns = new Map<string, Float32Array | Uint8Array>([
    ['state', state],
    ['next.done', done],
  ])
  return { length, tasks: ['Reach', `Grip ${seed}`], taskIndex, columns }
}

test.each([
  ['taken over, and no row is read for them', 3, 0],
  ['counted anew where a number is not finite', Number.NaN, 4],
])('statistics of sets that this library wrote are %s', async (_, hole, readings) => {
  const [a, b, carried, anew] = (await Promise.all(Array.from({ length: 4 }, makeFolder))) as [
    string,
    string,
    string,
    string,
  ]
  const column = { kind: 'column', names: null } as const
  const features: Feature[] = [
    { ...column, name: 'state', dtype: 'float32', shape: [3] },
    { ...column, name: 'next.done', dtype: 'bool', shape: [1] },
  ]
  await write(createMemoryDataset(features, [makeRows(0, 3), makeRows(1, hole)]), a)
  await write(createMemoryDataset(features, [makeRows(2, 5), makeRows(3, 5)]), b)
  await using first = await open(a)
  await using second = await open(b)
  const merged = await merge([first, second])
  let read = 0
  const counted: Dataset = {
    ...merged,
    getEpisode: (position) => {
      const episode = merged.getEpisode(position)
      const readBlocks: typeof episode.readBlocks = (request) => {
        if (request?.columns?.length !== 0) read++
        return episode.readBlocks(request)
      }
      return { ...episode, readBlocks }
    },
  }
  const { findings } = await write(counted, carried, { cameraStatistics: 'carry' })
  expect(read).toBe(readings)
  expect(findings.filter(({ rule }) => rule === 'values-not-finite')).toHaveLength(Number.isNaN(hole) ? 1 : 0)
  await write(merged, anew)
  const [ours, theirs] = [await readTables(carried), await readTables(anew)]
  expect(ours).toHaveLength(theirs.length)
  for (const [row, record] of ours.entries())
    for (const [name, value] of Object.entries(record)) expectClose(value, theirs[row]?.[name])
  const readStats = async (folder: string) => JSON.parse(await readFile(join(folder, 'meta/stats.json'), 'utf8'))
  expectClose(await readStats(carried), await readStats(anew))
})

/** Numbers to the last but a few bits, everything else exactly. */
function expectClose(one: unknown, other: unknown): void {
  if (typeof one === 'number' && typeof other === 'number' && Number.isFinite(one)) {
    expect(Math.abs(one - other)).toBeLessThanOrEqual(1e-12 * Math.max(1, Math.abs(other)))
  } else if (one !== null && typeof one === 'object') {
    expect(Object.keys(one)).toEqual(Object.keys(other as object))
    for (const [key, value] of Object.entries(one)) expectClose(value, (other as Record<string, unknown>)[key])
  } else expect(one).toEqual(other)
}
