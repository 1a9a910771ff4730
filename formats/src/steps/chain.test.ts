import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isLongRun } from '../../../fixtures/test-where.ts'
import { createMemoryDataset, type MemoryEpisode } from '../../test/memory-dataset.ts'
import { drawNumberedPicture } from '../../test/numbered-picture.ts'
import { openFile } from '../bytes.ts'
import { openCodec } from '../containers/codec/codec.ts'
import { encodePng, type PixelTransform, reshapeDepth, reshapePixels } from '../containers/image.ts'
import { openParquetReader } from '../containers/parquet/parquet.ts'
import { openVideo } from '../containers/video/video.ts'
import type { CameraFrames, Dataset, PacketFrames } from '../dataset.ts'
import type { CameraFeature, ColumnFeature } from '../feature.ts'
import { openFolder } from '../file-tree.ts'
import { openDataset } from '../layouts/index.ts'
import { sidecarPath } from '../layouts/lerobot/sidecar.ts'
import { write } from '../writers/lerobot-v3/writer.ts'
import { annotationsPath } from './annotate.ts'
import { applyRecipe, applyRecipes, type RecipeSteps } from './recipe.ts'

const lengths = [4, 7, 5, 9, 6, 3]
const top = 'observation.images.top'
const wrist = 'observation.images.wrist'
const size = { width: 96, height: 64 }
const column = (name: string, dtype: ColumnFeature['dtype'], width: number): ColumnFeature => {
  return { kind: 'column', name, dtype, shape: [width], names: null }
}
const camera = (name: string, storage: 'video' | 'image'): CameraFeature => {
  return { kind: 'camera', name, storage, ...size, channels: 3, info: {} }
}

/** The picture of a frame carries its number, so that frames that were mixed up show. */
function drawFrames(episode: number, length: number): CameraFrames {
  return {
    kind: 'images',
    frameCount: length,
    read: async function* ({ frames = Array.from({ length }, (_, frame) => frame) } = {}) {
      for (const frame of frames) {
        const data = drawNumberedPicture(size.width, size.height, 100 * episode + frame)
        yield { frameIndex: frame, bytes: await encodePng({ ...size, channels: 3, data }) }
      }
    },
  }
}

function makeSource(): Dataset {
  const features = [column('action', 'float32', 2), column('state', 'int16', 1), camera(top, 'video')]
  const episodes = lengths.map((length, episode): MemoryEpisode => {
    const wave = (scale: number) => (_: unknown, at: number) => Math.sin(at * 7 + episode) * scale
    return {
      length,
      tasks: [`task ${episode % 2}`],
      columns: new Map([
        ['action', Float32Array.from({ length: 2 * length }, wave(10))],
        ['state', Int16Array.from({ length }, wave(30_000)) as never],
      ]),
      cameras: new Map([
        [top, drawFrames(episode, length)],
        [wrist, drawFrames(episode, length)],
      ]),
    }
  })
  return createMemoryDataset([...features, camera(wrist, 'image')], episodes)
}

let work: string
let root: Dataset
let folderCount = 0

const writeNext = async (dataset: Dataset): Promise<string> => {
  const folder = join(work, String(folderCount++))
  await write(dataset, folder, { cameraStatistics: 'carry' })
  return folder
}

beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'chain-'))
  root = await openDataset(await openFolder(await writeNext(makeSource())))
}, 60_000)
afterAll(async () => {
  await root.close()
  await rm(work, { recursive: true })
})

/** Everything that a loader reads; where an episode came from differs. */
async function hashFiles(folder: string): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {}
  for (const { path } of await (await openFolder(folder)).list())
    if (path !== sidecarPath && path !== annotationsPath)
      hashes[path] = createHash('sha256')
        .update(await readFile(join(folder, path)))
        .digest('hex')
  return hashes
}

/** The first recipe stored and read again, and the second on that: what a chain must equal. */
async function writeInTwo(first: RecipeSteps, second: RecipeSteps): Promise<string> {
  const between = await writeNext(applyRecipe(root, first))
  await using stored = await openDataset(await openFolder(between))
  return await writeNext(applyRecipe(stored, second))
}

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const index = fc.integer({ min: 0, max: 2 })
const steps = {
  'select-episodes': fc.record({
    excluded: fc.uniqueArray(index, { maxLength: 2 }),
    first: fc.constantFrom(3, 4, null),
  }),
  action: fc.record({
    smoothingWindow: fc.constantFrom(1, 3, 5),
    smoothingMode: fc.constantFrom('mean', 'median', 'gaussian'),
    scale: fc.double({ min: -3, max: 3, noNaN: true }),
    clipMax: fc.option(fc.double({ min: 0, max: 5, noNaN: true })),
  }),
  annotate: fc.record({
    header: fc.constant({ name: 'review' }),
    episodes: fc.constant(new Map([[1, { task: 'new' }]])),
  }),
}
const pixels = fc.record({
  crop: fc.option(fc.record({ left: index, top: index, width: fc.constant(80), height: fc.constant(70) })),
  resize: fc.option(
    fc.record({
      width: fc.constantFrom(64, 72, 110),
      height: fc.constantFrom(64, 70),
      mode: fc.constantFrom('fit', 'fill', 'stretch'),
    }),
  ),
})

const recipe = (settings: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<RecipeSteps> =>
  fc.record(settings).map((chosen) => {
    const given = Object.entries(chosen).filter(([, value]) => value !== undefined)
    return Object.fromEntries(given) as RecipeSteps
  })

describe('recipes one after the other', () => {
  test('give every byte that storing the result between them gives, where no film is encoded', async () => {
    const shared = { 'select-episodes': optional(steps['select-episodes']), action: optional(steps.action) }
    const withFilm = recipe({ ...shared, annotate: optional(steps.annotate) })
    const withPictures = recipe({ ...shared, 'crop-resize': optional(pixels), annotate: optional(steps.annotate) })
    const pair = fc.oneof(
      fc.tuple(fc.constantFrom([], [top]), withFilm, withFilm),
      fc.tuple(fc.constant([wrist]), withPictures, withPictures),
    )
    await fc.assert(
      fc.asyncProperty(pair, async ([keys, one, second]) => {
        const first = { ...one, 'select-cameras': { keys } }
        const chained = await writeNext(applyRecipes(root, [first, second]))
        expect(await hashFiles(chained)).toEqual(await hashFiles(await writeInTwo(first, second)))
      }),
      { numRuns: isLongRun ? 16 : 6 },
    )
  }, 120_000)

  test('change the pixels of a film in one pass: decoded once, encoded once, the same bytes every time', async () => {
    const first: RecipeSteps = {
      'select-episodes': { selected: [1, 4] },
      'select-cameras': { keys: [top] },
      'crop-resize': {
        crop: { left: 0, top: 0, width: 100, height: 75 },
        resize: { width: 128, height: 64, mode: 'fit' },
      },
    }
    const second: RecipeSteps = {
      'select-episodes': { excluded: [0] },
      'crop-resize': {
        crop: { left: 25, top: 0, width: 50, height: 100 },
        resize: { width: 80, height: 64, mode: 'fill' },
      },
    }
    const chain = applyRecipes(root, [first, second])
    expect((await chain.getEpisode(0).openCamera(top)) as PacketFrames).toMatchObject({
      transform: {
        crop: { left: 0, top: 0, width: 96, height: 48 },
        resize: { width: 128, height: 64 },
        next: { crop: { left: 32, top: 0, width: 64, height: 64 }, resize: { width: 80, height: 64 } },
      },
    })
    const folder = await writeNext(chain)
    expect(await hashFiles(await writeNext(chain))).toEqual(await hashFiles(folder))
    const [once, twice] = [await readFrame(folder), await readFrame(await writeInTwo(first, second))]
    expect([once.width, once.height]).toEqual([80, 64])
    const off = Array.from(once.data).reduce((sum, value, at) => sum + Math.abs(value - (twice.data[at] ?? 0)), 0)
    expect(off / once.data.length).toBeLessThan(6)
  }, 60_000)

  test('say of each episode which it was in the version before, and in the dataset that all began with', async () => {
    const note = (task: string | null, grade: number) => ({ task, rest: { grade } })
    const chain = applyRecipes(root, [
      {
        'select-episodes': { selected: [1, 2, 4, 5] },
        annotate: {
          header: { name: 'first' },
          episodes: new Map([
            [2, note('lift', 1)],
            [4, note(null, 2)],
            [5, note('drop', 3)],
          ]),
        },
      },
      { 'select-episodes': { excluded: [1] } },
      {
        'select-episodes': { selected: [1, 2] },
        annotate: { header: { name: 'third' }, episodes: new Map([[2, note('put down', 4)]]) },
      },
    ])
    expect([chain.getEpisode(0).tasks, chain.getEpisode(1).tasks]).toEqual([['task 0'], ['put down']])
    expect(chain.sidecars?.get(annotationsPath)).toEqual({
      name: 'third',
      inherited: [
        {
          name: 'first',
          episodes: [
            { episode_index: 0, source_episode_index: 1, grade: 2 },
            { episode_index: 1, source_episode_index: 2, grade: 3 },
          ],
        },
      ],
      episodes: [{ episode_index: 1, source_episode_index: 2, grade: 4 }],
    })
    const folder = await writeNext(chain)
    await using reader = await openParquetReader(folder)
    const columns = ['episode_index', 'source_episode_index', 'root_episode_index']
    const rows = await Array.fromAsync(reader.readRecords(join(folder, sidecarPath), columns), (row) =>
      columns.map((name) => Number(row[name])),
    )
    expect(rows).toEqual([
      [0, 1, 4],
      [1, 2, 5],
    ])
  })

  test('single pictures are changed step by step, distances and colours', async () => {
    const crop = { left: 2, top: 4, width: 60, height: 40 }
    const resize = { width: 30, height: 30, mode: 'fit' } as const
    const next = { crop: { left: 0, top: 0, width: 20, height: 30 } }
    const colours = { ...size, channels: 3 as const, data: drawNumberedPicture(size.width, size.height, 5) }
    const between = await reshapePixels(colours, { crop, resize })
    expect(await reshapePixels(colours, { crop, resize, next })).toEqual(await reshapePixels(between, next))
    const depth = { ...size, data: Uint16Array.from({ length: size.width * size.height }, (_, at) => at) }
    const chain: PixelTransform = { crop, resize, next }
    expect(reshapeDepth(depth, chain)).toEqual(reshapeDepth(reshapeDepth(depth, { crop, resize }), next))
  })
})

async function readFrame(folder: string) {
  await using codec = openCodec()
  await using source = await openFile(join(folder, `videos/${top}/chunk-000/file-000.mp4`))
  await using video = await openVideo(source, { name: top })
  for await (const picture of codec.decode({ video, frames: [0] })) return picture
  throw new Error('there is no frame')
}
