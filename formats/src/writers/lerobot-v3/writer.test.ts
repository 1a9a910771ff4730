import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMemoryDataset, type MemoryEpisode } from '../../../test/memory-dataset.ts'
import { openFile } from '../../bytes.ts'
import { openCodec } from '../../containers/codec/codec.ts'
import { encodePng } from '../../containers/image.ts'
import { openVideo } from '../../containers/video/video.ts'
import type { CameraFrames, Dataset, Picture, Values } from '../../dataset.ts'
import { FormatError } from '../../errors.ts'
import { arrayTypes, type CameraFeature, type ColumnFeature, countValues, type NumericDtype } from '../../feature.ts'
import { openFolder } from '../../file-tree.ts'
import { openDataset } from '../../layouts/index.ts'
import { apply as selectEpisodes } from '../../steps/select-episodes.ts'
import { type EpisodeRecord, type LeRobotV3Options, write } from './writer.ts'

async function writeAndOpen(dataset: Dataset, options?: LeRobotV3Options) {
  const folder = await mkdtemp(join(tmpdir(), 'written-'))
  const report = await write(dataset, folder, options)
  const written = await openDataset(await openFolder(folder))
  const dispose = async () => {
    await written.close()
    await rm(folder, { recursive: true })
  }
  return { folder, report, written, [Symbol.asyncDispose]: dispose }
}

async function collect(dataset: Dataset, position: number): Promise<Map<string, unknown[]>> {
  const rows = new Map<string, unknown[]>()
  const episode = dataset.getEpisode(position)
  for await (const block of episode.readBlocks()) {
    for (const [name, values] of block.columns) rows.set(name, [...(rows.get(name) ?? []), ...values])
    const tasks = Array.from({ length: block.frameCount }, (_, row) => episode.tasks[block.taskIndex?.[row] ?? 0])
    rows.set('task', [...(rows.get('task') ?? []), ...tasks])
  }
  return rows
}

const dtypes = [...(Object.keys(arrayTypes) as NumericDtype[]), 'string'] as const
const feature = fc.record({
  dtype: fc.constantFrom(...dtypes),
  shape: fc.oneof(
    fc.constant([1]),
    fc.tuple(fc.integer({ min: 1, max: 5 })),
    fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 })),
  ),
})

function makeColumn({ name, dtype, shape }: ColumnFeature, length: number, seed: number): Values {
  if (dtype === 'string') return Array.from({ length }, (_, row) => `${name} ü ${row * seed}`)
  const values = new arrayTypes[dtype as NumericDtype](length * countValues(shape))
  const bytes = new Uint8Array(values.buffer)
  for (let at = 0; at < bytes.length; at++)
    bytes[at] = dtype === 'bool' ? (at * seed) % 2 : (at * 2654435761 * seed) >>> 24
  return values
}

describe('LeRobot v3 writer', () => {
  test('any columns, lengths and tasks come back as they were, however files roll', async () => {
    const episode = fc.record({
      length: fc.integer({ min: 1, max: 20 }),
      tasks: fc.uniqueArray(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 3 }),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(feature, { minLength: 1, maxLength: 6 }),
        fc.array(episode, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 99 }),
        async (shapes, plans, seed) => {
          const features = shapes.map(
            ({ dtype, shape }, index): ColumnFeature => ({
              kind: 'column',
              name: `f${index}`,
              dtype,
              shape: dtype === 'string' ? [1] : shape,
              names: null,
            }),
          )
          const episodes = plans.map(({ length, tasks }): MemoryEpisode => {
            const used = tasks.slice(0, length)
            return {
              length,
              tasks: used,
              taskIndex: Uint32Array.from({ length }, (_, row) => Math.min(row, used.length - 1)),
              columns: new Map(features.map((entry) => [entry.name, makeColumn(entry, length, seed)])),
            }
          })
          const dataset = createMemoryDataset(features, episodes)
          await using result = await writeAndOpen(dataset, { dataLimitBytes: 4000 })
          expect(result.written.findings.filter(({ rule }) => rule !== 'array-feature')).toEqual([])
          expect(result.written.features).toEqual(features)
          for (const position of episodes.keys())
            expect(await collect(result.written, position)).toEqual(await collect(dataset, position))
        },
      ),
      { numRuns: 25 },
    )
  })

  test('pixels and pictures become video of the same content; odd sizes are padded and told', async () => {
    const [width, height, length] = [71, 65, 6]
    const paint = (frameIndex: number): Picture => ({
      frameIndex,
      width,
      height,
      channels: 3,
      data: Uint8Array.from({ length: width * height * 3 }, (_, at) =>
        at % 3 === 0 ? 30 * frameIndex + 20 : Math.floor(at / 3 / width),
      ),
    })
    const pixels = {
      kind: 'pixels' as const,
      frameCount: length,
      width,
      height,
      channels: 3,
      read: async function* () {
        for (let frame = 0; frame < length; frame++) yield paint(frame)
      },
    }
    const images = {
      kind: 'images' as const,
      frameCount: length,
      read: async function* () {
        for (let frame = 0; frame < length; frame++)
          yield {
            frameIndex: frame,
            bytes: await encodePng({ ...paint(frame), channels: 3, data: paint(frame).data as Uint8Array }),
          }
      },
    }
    const camera = (name: string): CameraFeature => ({
      kind: 'camera',
      name,
      storage: 'video',
      width,
      height,
      channels: 3,
      info: {},
    })
    const state: ColumnFeature = {
      kind: 'column',
      name: 'observation.state',
      dtype: 'float32',
      shape: [2],
      names: ['a', 'b'],
    }
    const episode = {
      length,
      tasks: ['t'],
      columns: new Map([['observation.state', new Float32Array(length * 2)]]),
      cameras: new Map<string, CameraFrames>([
        ['raw', pixels],
        ['png', images],
      ]),
    }
    await using result = await writeAndOpen(
      createMemoryDataset([camera('raw'), camera('png'), state], [episode, episode]),
    )
    expect(result.report.findings.map(({ rule }) => rule).sort()).toEqual([
      'picture-padded',
      'picture-padded',
      'video-encoded',
      'video-encoded',
    ])
    expect(result.written.findings).toEqual([])
    await using codec = openCodec()
    for (const name of ['raw', 'png']) {
      const frames = await result.written.getEpisode(1).openCamera(name)
      if (frames.kind !== 'packets') throw new Error('no video')
      expect(frames.startFrame).toBe(length)
      await using source = await openFile(frames.file)
      await using video = await openVideo(source)
      expect([video.facts.width, video.facts.height, video.facts.codec]).toEqual([72, 66, 'av1'])
      for await (const picture of codec.decode({ video, frames: { startFrame: length, endFrame: 2 * length } })) {
        expect(measurePsnr(picture, paint(picture.frameIndex - length))).toBeGreaterThan(30)
      }
    }
  })

  test('depth codes become a lossless video that tells how to read it, statistics in its unit', async () => {
    const [width, height, length] = [64, 64, 4]
    const paint = (frameIndex: number): Picture => ({
      frameIndex,
      width,
      height,
      channels: 1,
      data: Uint16Array.from({ length: width * height }, (_, at) => (at * 7 + frameIndex * 11) % 4096),
    })
    const frames = {
      kind: 'pixels' as const,
      frameCount: length,
      width,
      height,
      channels: 1,
      read: async function* () {
        for (let frame = 0; frame < length; frame++) yield paint(frame)
      },
    }
    const depth = { minMeters: 0.5, maxMeters: 2.5, shift: 3.5, logarithmic: false, unit: 'm' as const }
    const camera: CameraFeature = {
      kind: 'camera',
      name: 'observation.images.depth',
      storage: 'video',
      width,
      height,
      channels: 1,
      depth,
      info: {},
    }
    const episode: MemoryEpisode = {
      length,
      tasks: [''],
      columns: new Map(),
      cameras: new Map<string, CameraFrames>([[camera.name, frames]]),
    }
    await using result = await writeAndOpen(createMemoryDataset([camera], [episode]))
    expect(result.written.findings).toEqual([])
    expect(result.written.features[0]).toMatchObject({ depth, channels: 1 })
    const opened = await result.written.getEpisode(0).openCamera(camera.name)
    if (opened.kind !== 'packets') throw new Error('no video')
    await using codec = openCodec()
    await using source = await openFile(opened.file)
    await using video = await openVideo(source)
    for await (const picture of codec.decode({ video, pixels: 'depth' }))
      expect(picture.data).toEqual(paint(picture.frameIndex).data)
    const statistics = JSON.parse(await readFile(join(result.folder, 'meta/stats.json'), 'utf8'))[camera.name]
    expect(statistics.min[0][0][0]).toBeCloseTo(0.5, 9)
    expect(statistics.max[0][0][0]).toBeCloseTo(2.5, 9)
  })

  test('an episode that fails half way leaves no trace but a finding', async () => {
    const column: ColumnFeature = { kind: 'column', name: 'x', dtype: 'float64', shape: [1], names: null }
    const episodes = [3, 40, 5].map(
      (length, index): MemoryEpisode => ({
        length,
        tasks: [`task ${index}`],
        columns: new Map([['x', Float64Array.from({ length }, (_, row) => row)]]),
      }),
    )
    const good = createMemoryDataset([column], episodes)
    const broken: Dataset = {
      ...good,
      getEpisode: (position) => {
        const episode = good.getEpisode(position)
        if (position !== 1) return episode
        const readBlocks = async function* () {
          for await (const block of episode.readBlocks()) {
            if (block.startFrame > 20) throw new FormatError('container_invalid', 'a page is damaged.')
            yield block
          }
        }
        return { ...episode, readBlocks }
      },
    }
    const records: EpisodeRecord[] = []
    await using result = await writeAndOpen(broken, { onEpisode: (record) => void records.push(record) })
    await using expected = await writeAndOpen(
      createMemoryDataset([column], [episodes[0], episodes[2]] as MemoryEpisode[]),
    )
    expect(result.report.findings).toMatchObject([
      { rule: 'episode-file-unreadable', episode: 1, sentence: 'Episode 1 is left out: a page is damaged.' },
    ])
    expect(records.map(({ episodeIndex, sourceIndex }) => [episodeIndex, sourceIndex])).toEqual([
      [0, 0],
      [1, 2],
    ])
    for (const path of ['data/chunk-000/file-000.parquet', 'meta/tasks.parquet', 'meta/stats.json', 'meta/info.json']) {
      expect(await readFile(join(result.folder, path)), path).toEqual(await readFile(join(expected.folder, path)))
    }
  })

  test('of an episode that is left out the report says only that, though its cameras were encoded already', async () => {
    const size = { width: 64, height: 64 }
    const work = await mkdtemp(join(tmpdir(), 'cut-'))
    const file = join(work, 'source.mp4')
    await using codec = openCodec()
    const frames = async function* () {
      for (let frame = 0; frame < 8; frame++) yield new Uint8Array(64 * 64 * 3).fill(frame * 20)
    }
    await codec.encode({ path: file, ...size, settings: { codec: 'h264', fps: 10 }, frames })
    // Frame 1 is no keyframe, so this range cannot be copied.
    const cut = { kind: 'packets' as const, file, startFrame: 1, frameCount: 4 }
    const camera: CameraFeature = { kind: 'camera', name: 'front', storage: 'video', ...size, channels: 3, info: {} }
    const column: ColumnFeature = { kind: 'column', name: 'x', dtype: 'float32', shape: [1], names: null }
    const episode = {
      length: 4,
      tasks: ['cut'],
      columns: new Map([['x', new Float32Array(4)]]),
      cameras: new Map([['front', cut]]),
    }
    const good = createMemoryDataset([camera, column], [episode, episode])
    const readBlocks = (): AsyncIterable<never> => ({
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.reject(new FormatError('container_invalid', 'a page is damaged.')),
      }),
    })
    const broken: Dataset = {
      ...good,
      getEpisode: (position) => (position === 0 ? good.getEpisode(0) : { ...good.getEpisode(position), readBlocks }),
    }
    await using result = await writeAndOpen(broken, { videoCodec: 'h264' })
    await rm(work, { recursive: true })
    expect(result.report.findings.map(({ rule, episode: at }) => [rule, at])).toEqual([
      ['video-encoded', 0],
      ['episode-file-unreadable', 1],
    ])
  })

  test('nothing usable, a used folder and an abort are errors that leave no dataset behind', async () => {
    const column: ColumnFeature = { kind: 'column', name: 'x', dtype: 'int8', shape: [1], names: null }
    const empty = createMemoryDataset(
      [column],
      [{ length: 0, tasks: [''], columns: new Map([['x', new Int8Array(0)]]) }],
    )
    const folder = await mkdtemp(join(tmpdir(), 'written-'))
    await expect(write(empty, folder)).rejects.toMatchObject({ code: 'no_episodes' })
    const one = createMemoryDataset(
      [column],
      [{ length: 2, tasks: [''], columns: new Map([['x', Int8Array.of(1, 2)]]) }],
    )
    await expect(write(one, folder, { signal: AbortSignal.abort(new Error('stop')) })).rejects.toThrow('stop')
    await write(one, folder)
    await expect(write(one, folder)).rejects.toMatchObject({ code: 'output_exists' })
    await rm(folder, { recursive: true })
  })

  test('a subset keeps order, renumbers, and remembers where episodes came from', async () => {
    const column: ColumnFeature = { kind: 'column', name: 'x', dtype: 'int64', shape: [1], names: null }
    const episodes = [2, 3, 4, 5].map(
      (length, index): MemoryEpisode => ({
        length,
        tasks: ['t'],
        columns: new Map([['x', new BigInt64Array(length).fill(BigInt(index))]]),
      }),
    )
    const dataset = createMemoryDataset([column], episodes)
    await using result = await writeAndOpen(
      selectEpisodes(dataset, { selected: [3, 1, 3, 0], excluded: [0], first: 5 }),
    )
    const found = await Promise.all([0, 1].map((position) => collect(result.written, position)))
    expect(found.map((rows) => [...new Set(rows.get('x'))])).toEqual([[1n], [3n]])
    expect(() => selectEpisodes(dataset, { selected: [4] })).toThrow('There is no episode 4; the dataset has 4.')
  })
})

/** Over the part that both pictures have. */
function measurePsnr(a: Picture, b: Picture): number {
  let sum = 0
  for (let y = 0; y < b.height; y++) {
    for (let x = 0; x < b.width; x++) {
      for (let channel = 0; channel < 3; channel++) {
        sum += ((a.data[(y * a.width + x) * 3 + channel] ?? 0) - (b.data[(y * b.width + x) * 3 + channel] ?? 0)) ** 2
      }
    }
  }
  return 10 * Math.log10(255 ** 2 / (sum / (b.width * b.height * 3)))
}
