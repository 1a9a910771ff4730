import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../../../fixtures/fixture.ts'
import { readBarCodes } from '../../test/bar-code.ts'
import { createMemoryDataset, type MemoryEpisode } from '../../test/memory-dataset.ts'
import { hashPackets } from '../../test/packet-hashes.ts'
import { type Codec, openCodec } from '../containers/codec/codec.ts'
import type { Dataset, PacketFrames, Values } from '../dataset.ts'
import type { ColumnFeature } from '../feature.ts'
import { openFolder } from '../file-tree.ts'
import { listKept, pickAtRate } from '../frame-ranges.ts'
import { openDataset } from '../layouts/index.ts'
import { write } from '../writers/lerobot-v3/writer.ts'
import { apply as lower } from './rate.ts'
import { applyRecipe, applyRecipes } from './recipe.ts'
import { apply as shift } from './shift.ts'

const column = (name: string, dtype: ColumnFeature['dtype'], width = 1): ColumnFeature => {
  return { kind: 'column', name, dtype, shape: [width], names: null }
}
const features = [
  column('action', 'float32', 2),
  column('observation.state', 'float64'),
  column('next.reward', 'float32', 2),
  column('next.done', 'bool'),
  column('next.success', 'int64'),
  column('language_persistent', 'language'),
]
const fps = 30

/** Blocks of seven rows. */
function makeDataset(lengths: readonly number[]): Dataset {
  const episodes = lengths.map((length, episode): MemoryEpisode => {
    const rows = <T>(width: number, of: (frame: number, place: number) => T): T[] =>
      Array.from({ length: length * width }, (_, at) => of(Math.floor(at / width), at % width))
    const said = [0, 10, 11].map((frame) => {
      return { role: 'assistant', style: 'subtask', content: `from ${frame}`, camera: null, timestamp: frame / fps }
    })
    const columns = new Map<string, Values>([
      ['action', Float32Array.from(rows(2, (frame, place) => 1000 * episode + frame + place / 2))],
      ['observation.state', Float64Array.from(rows(1, (frame) => frame))],
      ['next.reward', Float32Array.from(rows(2, (frame, place) => (frame % 5) + place))],
      ['next.done', Uint8Array.from(rows(1, (frame) => (frame === length - 1 ? 1 : 0)))],
      ['next.success', BigInt64Array.from(rows(1, (frame) => (frame % 11 === 10 ? 1n : 0n)))],
      ['language_persistent', rows(1, () => said)],
    ])
    return { length, tasks: [`task ${episode}`], columns }
  })
  return createMemoryDataset(features, episodes, 7, fps)
}

type Rows = Record<string, unknown[]>

async function readRows(dataset: Dataset, position: number, range: object = {}): Promise<Rows> {
  const rows: Rows = {}
  for await (const block of dataset.getEpisode(position).readBlocks(range))
    for (const [name, values] of block.columns)
      rows[name] = [...(rows[name] ?? []), ...Array.from(values as Iterable<unknown>)]
  return rows
}

describe('a lower rate', () => {
  test('takes rows, adds rewards up and keeps every end, whatever the rate, the blocks and what is asked for', async () => {
    const rates = fc.constantFrom(3, 10, 12.5, 15, 20, 29, 29.97)
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 40 }), rates, fc.nat(), fc.nat(), async (length, rate, one, other) => {
        const source = makeDataset([length])
        const result = lower(source, { fps: rate })
        const picked = Array.from(listKept(pickAtRate(length, fps, rate)))
        expect([result.fps, result.frameCount, result.getEpisode(0).length]).toEqual([
          rate,
          picked.length,
          picked.length,
        ])
        const [startFrame, endFrame] = [one % picked.length, picked.length - (other % picked.length)]
        if (startFrame >= endFrame) return
        const found = await readRows(result, 0, { startFrame, endFrame })
        const wanted = picked.slice(startFrame, endFrame)
        const until = (place: number) => picked[startFrame + place + 1] ?? length
        expect(found['observation.state']).toEqual(wanted)
        expect(found.action).toEqual(wanted.flatMap((frame) => [frame, frame + 0.5]))
        const gather = wanted.map((frame, place) => Array.from({ length: until(place) - frame }, (_, at) => frame + at))
        const sum = (frames: number[], offset: number) =>
          frames.reduce((total, frame) => total + (frame % 5) + offset, 0)
        expect(found['next.reward']).toEqual(gather.flatMap((frames) => [sum(frames, 0), sum(frames, 1)]))
        expect(found['next.done']).toEqual(gather.map((frames) => (frames.includes(length - 1) ? 1 : 0)))
        expect(found['next.success']).toEqual(
          gather.map((frames) => (frames.some((frame) => frame % 11 === 10) ? 1n : 0n)),
        )
      }),
      { numRuns: 60 },
    )
  })

  test('words hold from the first frame that is left on, at its time', async () => {
    const [said] = (await readRows(lower(makeDataset([30]), { fps: 10 }), 0)).language_persistent as object[][]
    expect(said).toMatchObject([
      { content: 'from 0', timestamp: 0 },
      { content: 'from 11', timestamp: Math.fround(0.4) },
    ])
  })

  test('above that of the dataset is refused, and the same changes nothing', () => {
    const dataset = makeDataset([3])
    expect(() => lower(dataset, { fps: 31 })).toThrow('The dataset has 30 frames per second, which cannot become 31.')
    expect(lower(dataset, { fps })).toBe(dataset)
  })
})

describe('a shifted action', () => {
  test('is that of frame t + k at t; frames without one are cut, and episodes that have no other', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 40 }), fc.integer({ min: -10, max: 10 }), async (length, frames) => {
        const result = shift(makeDataset([length, 40]), { frames })
        const left = Math.max(0, length - Math.abs(frames))
        expect([result.episodeCount, result.frameCount]).toEqual([left > 0 ? 2 : 1, left + 40 - Math.abs(frames)])
        const [position, count] = [left > 0 ? 1 : 0, 40 - Math.abs(frames)]
        expect(result.getEpisode(position).sourceIndex).toBe(1)
        const found = await readRows(result, position)
        const first = Math.max(0, -frames)
        expect(found['observation.state']).toEqual(Array.from({ length: count }, (_, at) => first + at))
        const actions = (found.action as number[]).filter((_, at) => at % 2 === 0)
        expect(actions).toEqual(Array.from({ length: count }, (_, at) => 1000 + first + at + frames))
      }),
      { numRuns: 60 },
    )
  })

  test('comes after the cut and the rate and before smoothing, and parts give what the whole gives', async () => {
    const steps = {
      cut: { episodes: new Map([[0, [{ ranges: [[4, 40]] as const }]]]) },
      rate: { fps: 10 },
      shift: { frames: 2 },
      action: { smoothingWindow: 3 },
    }
    const result = applyRecipe(makeDataset([40]), steps)
    const rows = await readRows(result, 0)
    expect(rows['observation.state']).toEqual([4, 7, 10, 13, 16, 19, 22, 25, 28, 31])
    const shifted = [10, 13, 16, 19, 22, 25, 28, 31, 34, 37]
    const smoothed = shifted.map((_, at) => {
      const near = shifted.slice(Math.max(0, at - 1), at + 2)
      return Math.fround(near.reduce((sum, value) => sum + value, 0) / near.length)
    })
    expect((rows.action as number[]).filter((_, at) => at % 2 === 0)).toEqual(smoothed)
    const { cut, rate, shift: moved, action } = steps
    const inParts = applyRecipes(makeDataset([40]), [{ cut }, { rate }, { shift: moved }, { action }])
    expect(await readRows(inParts, 0)).toEqual(rows)
    for (let frame = 0; frame < 10; frame++) {
      const one = await readRows(result, 0, { startFrame: frame, endFrame: frame + 1 })
      expect(one['next.reward']).toEqual(rows['next.reward']?.slice(2 * frame, 2 * frame + 2))
    }
  })
})

describe('written', () => {
  const source = getFixture('lerobot/recorded-v3.0-two-cameras')
  const cameras = ['observation.images.top', 'observation.images.wrist']
  let folder: string
  let codec: Codec
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'nmp-retime-'))
    codec = openCodec()
  })
  afterAll(async () => {
    await codec.close()
    await rm(folder, { recursive: true, force: true })
  })

  test.each([
    [10, true],
    [8, false],
  ])(
    'at %d of 20 frames per second every frame shows its own number; keyframes are copied: %s',
    async (rate, isCopied) => {
      await using opened = await openDataset(await openFolder(source))
      const dataset = applyRecipe(opened, { 'select-episodes': { selected: [1, 2] }, rate: { fps: rate } })
      const target = join(folder, String(rate))
      const { findings } = await write(dataset, target, { codec })
      expect(findings.some(({ rule }) => rule === 'video-encoded')).toBe(!isCopied)
      await using written = await openDataset(await openFolder(target))
      expect([written.fps, written.findings.filter(({ severity }) => severity !== 'info')]).toEqual([rate, []])
      for (const [position, [episode, length]] of [
        [1, 61],
        [2, 37],
      ].entries() as ArrayIterator<[number, [number, number]]>) {
        const picked = Array.from(listKept(pickAtRate(length, 20, rate)))
        for (const [camera, name] of cameras.entries()) {
          const frames = (await written.getEpisode(position).openCamera(name)) as PacketFrames
          expect(await readBarCodes(frames, codec)).toEqual(picked.map((frame) => ({ frame, episode, camera })))
          if (!isCopied) continue
          const before = await hashPackets(await opened.getEpisode(episode).openCamera(name))
          expect(await hashPackets(frames)).toEqual(picked.map((frame) => before[frame]))
        }
      }
    },
    60_000,
  )
})
