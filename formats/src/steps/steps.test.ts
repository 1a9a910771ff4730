import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { getFixture } from '../../../fixtures/fixture.ts'
import { createMemoryDataset, type MemoryEpisode } from '../../test/memory-dataset.ts'
import { hashPackets } from '../../test/packet-hashes.ts'
import { FilePool } from '../bytes.ts'
import { openCodec } from '../containers/codec/codec.ts'
import type { Dataset, PacketFrames } from '../dataset.ts'
import { type CameraFeature, type ColumnFeature, isCamera } from '../feature.ts'
import { openFolder } from '../file-tree.ts'
import { openDataset } from '../layouts/index.ts'
import { type EncodedCamera, encodeCamera, withEncodedCameras } from '../writers/encoded-cameras.ts'
import { write } from '../writers/lerobot-v3/writer.ts'
import { type ActionSettings, apply as applyAction } from './action.ts'
import { apply as annotate, annotationsPath } from './annotate.ts'
import { planTransform, sizeAfter } from './crop-resize.ts'
import { applyRecipe } from './recipe.ts'
import { apply as selectCameras } from './select-cameras.ts'
import { apply as selectEpisodes } from './select-episodes.ts'

const fixture = getFixture('lerobot/recorded-v3.0-two-cameras')
const action: ColumnFeature = { kind: 'column', name: 'action', dtype: 'float64', shape: [2], names: null }

function makeDataset(
  lengths: readonly number[],
  dtype: ColumnFeature['dtype'] = 'float64',
  values?: readonly number[],
) {
  const feature = { ...action, dtype }
  const episodes = lengths.map((length, episode): MemoryEpisode => {
    const rows = Float64Array.from({ length: length * 2 }, (_, at) => values?.[at] ?? Math.sin(at * 7 + episode) * 10)
    return { length, tasks: [`task ${episode}`], columns: new Map([['action', rows]]) }
  })
  return createMemoryDataset([feature], episodes)
}

async function readAction(dataset: Dataset, position: number, range: { startFrame?: number; endFrame?: number } = {}) {
  const rows: number[] = []
  for await (const block of dataset.getEpisode(position).readBlocks(range))
    rows.push(...Array.from(block.columns.get('action') as Float64Array, Number))
  return rows
}

const listSources = (dataset: Dataset) =>
  Array.from({ length: dataset.episodeCount }, (_, position) => dataset.getEpisode(position).sourceIndex)

/** Written without a thought for speed, from the words of docs/recipes.md. */
function expectedAction(rows: readonly number[], settings: ActionSettings): number[] {
  const { smoothingWindow = 1, smoothingMode = 'mean', smoothingDimensions, scale = 1, clipMin, clipMax } = settings
  const length = rows.length / 2
  const half = ((smoothingWindow ?? 1) - 1) / 2
  return rows.map((_, at) => {
    const [frame, dimension] = [Math.floor(at / 2), at % 2]
    const frames = Array.from({ length }, (_entry, index) => index).filter((index) => Math.abs(index - frame) <= half)
    const values = frames.map((index) => rows[index * 2 + dimension] as number)
    let value = values.reduce((sum, entry) => sum + entry, 0) / values.length
    if (smoothingMode === 'median') {
      const sorted = values.toSorted((a, b) => a - b)
      value =
        ((sorted[Math.floor((sorted.length - 1) / 2)] as number) +
          (sorted[Math.ceil((sorted.length - 1) / 2)] as number)) /
        2
    }
    if (smoothingMode === 'gaussian') {
      const weights = frames.map((index) => Math.exp(-(((index - frame) / ((smoothingWindow ?? 1) / 6)) ** 2) / 2))
      value =
        values.reduce((sum, entry, index) => sum + entry * (weights[index] as number), 0) /
        weights.reduce((a, b) => a + b)
    }
    if (smoothingDimensions && !smoothingDimensions.includes(String(dimension))) value = rows[at] as number
    return Math.min(
      clipMax ?? Number.POSITIVE_INFINITY,
      Math.max(clipMin ?? Number.NEGATIVE_INFINITY, value * (scale ?? 1)),
    )
  })
}

describe('select-episodes', () => {
  test('a set minus a set, ascending, cut at n, renumbered; twice is once', () => {
    const index = fc.integer({ min: 0, max: 8 })
    const settings = fc.record({
      selected: fc.array(index),
      excluded: fc.array(index),
      first: fc.option(fc.integer({ min: 1, max: 12 })),
    })
    fc.assert(
      fc.property(settings, (asked) => {
        const dataset = makeDataset([1, 2, 3, 4, 5, 6, 7, 8, 9])
        const wanted = [0, 1, 2, 3, 4, 5, 6, 7, 8]
          .filter((entry) => asked.selected.length === 0 || asked.selected.includes(entry))
          .filter((entry) => !asked.excluded.includes(entry))
          .slice(0, asked.first ?? 9)
        const result = selectEpisodes(dataset, asked)
        expect(listSources(result)).toEqual(wanted)
        expect(result.frameCount).toBe(wanted.reduce((sum, entry) => sum + entry + 1, 0))
        const again = selectEpisodes(result, { first: asked.first })
        expect(again.episodeCount).toBe(result.episodeCount)
      }),
    )
  })

  test('an unknown episode is refused by its number', () => {
    expect(() => selectEpisodes(makeDataset([1]), { selected: [1] })).toThrow('There is no episode 1')
  })
})

describe('action', () => {
  const settings = fc.record({
    smoothingWindow: fc.integer({ min: 0, max: 12 }).map((half) => 2 * half + 1),
    smoothingMode: fc.constantFrom('mean', 'median', 'gaussian'),
    smoothingDimensions: fc.constantFrom(null, ['0'], ['1'], ['1', '0']),
    scale: fc.double({ min: -3, max: 3, noNaN: true }),
    clipMin: fc.option(fc.double({ min: -5, max: 0, noNaN: true })),
    clipMax: fc.option(fc.double({ min: 0, max: 5, noNaN: true })),
  }) as fc.Arbitrary<ActionSettings>

  test('smoothing, then scale, then clip, within each episode, whatever the blocks and ranges', async () => {
    await fc.assert(
      fc.asyncProperty(
        settings,
        fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 3 }),
        fc.nat(),
        async (asked, lengths, start) => {
          const dataset = makeDataset(lengths)
          const changed = applyAction(dataset, asked)
          for (const [position, length] of lengths.entries()) {
            const expected = expectedAction(await readAction(dataset, position), asked)
            const actual = await readAction(changed, position)
            expect(actual).toHaveLength(expected.length)
            for (const [at, value] of actual.entries()) expect(value).toBeCloseTo(expected[at] as number, 9)
            const startFrame = start % length
            expect(await readAction(changed, position, { startFrame })).toEqual(actual.slice(startFrame * 2))
          }
        },
      ),
    )
  })

  test('clipping holds its bounds and twice is once; a constant stays what it is under every smoothing', async () => {
    const clipped = applyAction(makeDataset([40]), { clipMin: -2, clipMax: 3 })
    const once = await readAction(clipped, 0)
    expect(Math.min(...once)).toBe(-2)
    expect(Math.max(...once)).toBe(3)
    expect(await readAction(applyAction(clipped, { clipMin: -2, clipMax: 3 }), 0)).toEqual(once)
    for (const smoothingMode of ['mean', 'median', 'gaussian'] as const) {
      const constant = makeDataset([20], 'float64', new Array(40).fill(0.25))
      for (const value of await readAction(applyAction(constant, { smoothingMode, smoothingWindow: 9 }), 0))
        expect(value).toBeCloseTo(0.25, 12)
    }
  })

  test('whole numbers are rounded half to even and stay within their type', async () => {
    const values = [1, 3, 200, -200, 5, 7, 127, -128]
    const read = async (dtype: 'int8' | 'int64', scale: number) =>
      readAction(applyAction(makeDataset([4], dtype, values), { scale }), 0)
    expect(await read('int8', 0.5)).toEqual([0, 2, 100, -100, 2, 4, 64, -64])
    expect(await read('int8', 2)).toEqual([2, 6, 127, -128, 10, 14, 127, -128])
    expect(await read('int64', 0.5)).toEqual([0, 2, 100, -100, 2, 4, 64, -64])
  })

  test('settings that change nothing leave the dataset, and its files, alone', () => {
    const dataset = makeDataset([3])
    expect(applyAction(dataset, { smoothingWindow: 1, smoothingMode: 'median', scale: 1 })).toBe(dataset)
  })
})

describe('crop and resize', () => {
  const percent = fc.double({ min: 0, max: 100, noNaN: true })
  test('the crop is even, inside the frame, and near what was asked; a whole frame is no change', () => {
    fc.assert(
      fc.property(percent, percent, percent, percent, fc.integer({ min: 16, max: 2000 }), (a, b, c, d, size) => {
        const [width, height] = [size, size + 7]
        const crop = {
          left: Math.min(a, b),
          width: Math.max(0.01, Math.abs(a - b)),
          top: Math.min(c, d),
          height: Math.max(0.01, Math.abs(c - d)),
        }
        fc.pre(crop.left + crop.width <= 100 && crop.top + crop.height <= 100)
        const cut = planTransform({ width, height }, { crop })?.crop
        if (!cut) return
        for (const value of [cut.left, cut.top]) expect(value % 2).toBe(0)
        expect(cut.left + cut.width).toBeLessThanOrEqual(width)
        expect(cut.top + cut.height).toBeLessThanOrEqual(height)
        expect(cut.width).toBeGreaterThanOrEqual(2)
        if (cut.width !== width) expect(cut.width % 2).toBe(0)
        expect(Math.abs(cut.left - (crop.left * width) / 100)).toBeLessThanOrEqual(3)
        expect(Math.abs(cut.width - (crop.width * width) / 100)).toBeLessThanOrEqual(4)
      }),
    )
    const whole = { left: 0, top: 0, width: 100, height: 100 }
    expect(planTransform({ width: 97, height: 64 }, { crop: whole })).toBeUndefined()
    expect(planTransform({ width: 96, height: 64 }, { resize: { width: 96, height: 64, mode: 'fit' } })).toBeUndefined()
    expect(
      sizeAfter(
        { width: 200, height: 100 },
        planTransform({ width: 200, height: 100 }, { crop: { ...whole, width: 50 } }),
      ),
    ).toEqual({ width: 100, height: 100 })
  })

  const top = 'observation.images.top'
  const wrist = 'observation.images.wrist'

  test('only the camera whose pixels change is encoded; shards give the bytes of one run', async () => {
    const work = await mkdtemp(join(tmpdir(), 'steps-'))
    try {
      await using source = await openDataset(await openFolder(fixture))
      const result = applyRecipe(source, {
        'select-episodes': { selected: [0, 2, 5] },
        'crop-resize': { resize: { width: 192, height: 144, mode: 'fit' } },
      })
      await write(result, join(work, 'whole'))
      await using codec = openCodec()
      await using pool = new FilePool()
      const made = new Map<string, EncodedCamera>()
      const camera = result.features.find(({ name }) => name === wrist) as CameraFeature
      for (let position = result.episodeCount - 1; position >= 0; position--) {
        const frames = (await result.getEpisode(position).openCamera(wrist)) as PacketFrames
        expect(frames.transform).toEqual({ resize: { width: 192, height: 144, mode: 'fit' } })
        const path = join(work, `${position}.mp4`)
        made.set(`${position}`, await encodeCamera({ codec, pool, camera, fps: result.fps, frames, path }))
      }
      const staged = withEncodedCameras(result, async (position, name) =>
        name === wrist ? made.get(`${position}`) : undefined,
      )
      await write(staged, join(work, 'staged'))
      expect(await hashFolder(join(work, 'staged'))).toEqual(await hashFolder(join(work, 'whole')))
      await using written = await openDataset(await openFolder(join(work, 'whole')))
      const sizes = written.features.filter(isCamera).map(({ name, width, height }) => [name, width, height])
      expect(sizes).toEqual([
        [top, 192, 144],
        [wrist, 192, 144],
      ])
      for (const [position, from] of [0, 2, 5].entries()) {
        const [copied, original] = [written.getEpisode(position), source.getEpisode(from)]
        expect(await hashPackets(await copied.openCamera(top))).toEqual(
          await hashPackets(await original.openCamera(top)),
        )
      }
    } finally {
      await rm(work, { recursive: true })
    }
  })
})

describe('bytes', () => {
  test('do not depend on what the process wrote before', async () => {
    const work = await mkdtemp(join(tmpdir(), 'steps-bytes-'))
    try {
      const settings = { action: { smoothingWindow: 5, smoothingMode: 'median' } } as const
      await using source = await openDataset(await openFolder(fixture))
      await write(applyRecipe(source, settings), join(work, 'first'), { cameraStatistics: 'carry' })
      await write(applyRecipe(source, { action: { scale: 3 } }), join(work, 'other'), { cameraStatistics: 'carry' })
      await write(applyRecipe(source, settings), join(work, 'again'), { cameraStatistics: 'carry' })
      expect(await hashFolder(join(work, 'again'))).toEqual(await hashFolder(join(work, 'first')))
    } finally {
      await rm(work, { recursive: true })
    }
  })
})

describe('select-cameras and annotate', () => {
  test('cameras keep the source order; an unknown one is refused by its name', () => {
    const camera = (name: string): CameraFeature => {
      return { kind: 'camera', name, storage: 'video', width: 64, height: 64, channels: 3, info: {} }
    }
    const dataset = createMemoryDataset([camera('a'), action, camera('b'), camera('c')], [])
    const kept = selectCameras(dataset, { keys: ['c', 'a', 'c'] })
    expect(kept.features.map(({ name }) => name)).toEqual(['a', 'action', 'c'])
    expect(selectCameras(kept, { keys: ['c', 'a'] }).features).toEqual(kept.features)
    expect(selectCameras(dataset, { keys: [] })).toBe(dataset)
    expect(() => selectCameras(dataset, { keys: ['d'] })).toThrow('There is no camera d; the dataset has a, b, c.')
  })

  test('tasks are replaced by source number after a selection; the rest goes to the sidecar under new numbers', async () => {
    const chosen = selectEpisodes(makeDataset([2, 2, 2, 2]), { selected: [1, 3] })
    const annotations = new Map([
      [0, { task: 'not kept', rest: { grade: 1 } }],
      [1, { rest: { grade: 2 } }],
      [3, { task: 'place the can', rest: { grade: 3 } }],
    ])
    const result = annotate(chosen, { header: { annotation_set_id: 'ann_1' }, episodes: annotations })
    expect(result.getEpisode(0).tasks).toEqual(['task 1'])
    expect(result.getEpisode(1).tasks).toEqual(['place the can'])
    expect(result.sidecars?.get(annotationsPath)).toEqual({
      annotation_set_id: 'ann_1',
      episodes: [
        { episode_index: 0, source_episode_index: 1, grade: 2 },
        { episode_index: 1, source_episode_index: 3, grade: 3 },
      ],
    })
  })
})

async function hashFolder(folder: string): Promise<Record<string, string>> {
  const files = await (await openFolder(folder)).list()
  const entries = files.map(async ({ path }) => {
    return [
      path,
      createHash('sha256')
        .update(await readFile(join(folder, path)))
        .digest('hex'),
    ] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}
