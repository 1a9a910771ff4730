import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMemoryDataset, type MemoryEpisode } from '../../test/memory-dataset.ts'
import type { ImageFrames } from '../dataset.ts'
import type { Feature } from '../feature.ts'
import { compareStatistics } from './compare-statistics.ts'
import { type DiffSide, diffEpisodes, type EpisodesDiff } from './diff-episodes.ts'
import { type EpisodeFrames, findTrims } from './find-trims.ts'
import { decodeFingerprints, encodeFingerprints } from './fingerprints.ts'
import { takeFingerprints } from './take-fingerprints.ts'

/** A recording: rows of three numbers, actions of two, one picture a frame. */
interface Recording {
  state: number[][]
  action: number[][]
  pictures: string[]
  task: string
}

const column = (name: string, size: number): Feature => ({
  kind: 'column',
  name,
  dtype: 'float32',
  shape: [size],
  names: null,
})
const camera = (name: string): Feature => ({
  kind: 'camera',
  name,
  storage: 'image',
  width: 8,
  height: 8,
  channels: 3,
  info: {},
})

const names = { state: 'observation.state', action: 'action', camera: 'observation.images.front' }

function openRecordings(recordings: readonly Recording[], named = names, blockRows = 7, fps = 10) {
  const episodes = recordings.map(
    ({ state, action, pictures, task }): MemoryEpisode => ({
      length: state.length,
      tasks: [task],
      columns: new Map([
        [named.state, Float32Array.from(state.flat())],
        [named.action, Float32Array.from(action.flat())],
      ]),
      cameras: new Map([[named.camera, showPictures(pictures)]]),
    }),
  )
  const features = [column(named.state, 3), column(named.action, 2), camera(named.camera)]
  return createMemoryDataset(features, episodes, blockRows, fps)
}

const showPictures = (pictures: readonly string[]): ImageFrames => ({
  kind: 'images',
  frameCount: pictures.length,
  async *read() {
    for (const [frameIndex, text] of pictures.entries()) yield { frameIndex, bytes: Buffer.from(text) }
  },
})

/** As the service has it: through the stored form. */
async function takeSide(...args: Parameters<typeof openRecordings>): Promise<DiffSide> {
  const frames: number[] = []
  const taken = await takeFingerprints(openRecordings(...args), {
    writeFrames: async (some) => void frames.push(...some),
  })
  const set = decodeFingerprints(Uint8Array.from(encodeFingerprints(taken)).buffer)
  const starts = [0]
  for (const length of set.lengthFrames) starts.push((starts.at(-1) ?? 0) + 2 * length)
  return {
    set,
    readFrames: async (episodes) =>
      episodes.map((episode) => ({
        episode,
        frames: Uint32Array.from(frames.slice(starts[episode], starts[episode + 1])),
      })),
  }
}

const diff = async (from: readonly Recording[], to: readonly Recording[]): Promise<EpisodesDiff> =>
  diffEpisodes(await takeSide(from), await takeSide(to))

const number = fc.float({ noNaN: true, noDefaultInfinity: true })
const row = (size: number) => fc.array(number, { minLength: size, maxLength: size })
const recording: fc.Arbitrary<Recording> = fc.integer({ min: 1, max: 12 }).chain((length) => {
  const per = <T>(value: fc.Arbitrary<T>) => fc.array(value, { minLength: length, maxLength: length })
  return fc.record({
    state: per(row(3)),
    action: per(row(2)),
    pictures: per(fc.string({ maxLength: 3 })),
    task: fc.constantFrom('pick', 'place', ''),
  })
})
const recordings = fc.array(recording, { minLength: 1, maxLength: 6 })

/** Another bit pattern, whatever the value is. */
const nudge = (value: number): number => {
  const bits = new Uint32Array(Float32Array.of(value).buffer)
  bits[0] = (bits[0] as number) ^ 1
  return new Float32Array(bits.buffer)[0] as number
}

const change = (
  episode: Recording,
  { where, frame, place }: { where: 'state' | 'action' | 'pictures' | 'task'; frame: number; place: number },
): Recording => {
  const changed = structuredClone(episode)
  const at = frame % changed.state.length
  if (where === 'task') changed.task += ' it'
  else if (where === 'pictures') changed.pictures[at] += '.'
  else {
    const values = changed[where][at] as number[]
    values[place % values.length] = nudge(values[place % values.length] as number)
  }
  return changed
}

describe('episodes are known by what they hold', () => {
  test('a renumbered one is always the same, whatever blocks it is read in', async () => {
    const order = recordings.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray([...list.keys()], { minLength: list.length })),
    )
    await fc.assert(
      fc.asyncProperty(order, fc.integer({ min: 1, max: 9 }), async ([list, places], blockRows) => {
        const moved = places.map((place) => list[place] as Recording)
        const { counts, matches } = await diffEpisodes(await takeSide(list), await takeSide(moved, names, blockRows))
        expect(counts).toMatchObject({ same: list.length, added: 0, removed: 0, changed: 0 })
        for (const { from, to } of matches.same) expect(list[from as number]).toEqual(moved[to as number])
      }),
      { numRuns: 150 },
    )
  })

  test('a changed one is never the same: one bit of a row, a picture or a text is enough', async () => {
    const changes = fc.record({
      where: fc.constantFrom('state', 'action', 'pictures', 'task'),
      frame: fc.nat(11),
      place: fc.nat(2),
    })
    await fc.assert(
      fc.asyncProperty(recordings, fc.nat(5), changes, async (list, chosen, how) => {
        const index = chosen % list.length
        const changed = list.map((episode, place) => (place === index ? change(episode, how) : episode))
        const { counts, matches } = await diff(list, changed)
        // Among equal episodes it may be another one that is left over, but one of them is.
        expect(counts.same).toBeLessThan(list.length)
        for (const { from, to } of matches.same) expect(list[from as number]).toEqual(changed[to as number])
      }),
      { numRuns: 300 },
    )
  })

  test('every episode of both sides is told of', async () => {
    await fc.assert(
      fc.asyncProperty(recordings, recordings, async (from, to) => {
        const { matches } = await diff(from, to)
        const all = Object.values(matches).flat()
        const numbers = (side: 'from' | 'to') => new Set(all.flatMap((match) => match[side] ?? []))
        expect([numbers('from').size, numbers('to').size]).toEqual([from.length, to.length])
      }),
      { numRuns: 100 },
    )
  })
})

/** Numbers that no other frame has. */
const record = (seed: number, length: number, task = 'pick'): Recording => ({
  state: Array.from({ length }, (_, frame) => [seed, frame, Math.sin(seed + frame)]),
  action: Array.from({ length }, (_, frame) => [seed + frame / 7, frame]),
  pictures: Array.from({ length }, (_, frame) => `${seed}-${frame}`),
  task,
})

const cut = (episode: Recording, from: number, to: number): Recording => ({
  state: episode.state.slice(from, to),
  action: episode.action.slice(from, to),
  pictures: episode.pictures.slice(from, to),
  task: episode.task,
})

describe('what became of an episode', () => {
  test('trimmed, split, relabelled, encoded anew, smoothed, gone and new, each under its name', async () => {
    const before = Array.from({ length: 7 }, (_, seed) => record(seed + 1, 40))
    const [same, trimmed, split, relabelled, encoded, smoothed] = before as [
      Recording,
      Recording,
      Recording,
      Recording,
      Recording,
      Recording,
    ]
    const after = [
      record(99, 12),
      { ...smoothed, action: smoothed.action.map(([one = 0, other = 0]) => [one * 0.9, other]) },
      { ...encoded, pictures: encoded.pictures.map((text) => `${text} again`) },
      { ...relabelled, task: 'place' },
      cut(split, 0, 15),
      cut(split, 15, 40),
      cut(trimmed, 5, 33),
      same,
    ]
    const { counts, matches } = await diff(before, after)
    expect(counts).toEqual({ same: 1, relabelled: 1, re_encoded: 1, trimmed: 3, changed: 1, removed: 1, added: 1 })
    expect(matches.same).toEqual([{ kind: 'same', from: 0, to: 7 }])
    expect(matches.trimmed).toEqual([
      { kind: 'trimmed', from: 2, to: 4, kept: [[0, 15]] },
      { kind: 'trimmed', from: 2, to: 5, kept: [[15, 40]] },
      { kind: 'trimmed', from: 1, to: 6, kept: [[5, 33]] },
    ])
    expect(matches.relabelled).toEqual([{ kind: 'relabelled', from: 3, to: 3, isRelabelled: true }])
    expect(matches.re_encoded).toEqual([{ kind: 're_encoded', from: 4, to: 2, differing: [2] }])
    expect(matches.changed).toEqual([{ kind: 'changed', from: 5, to: 1, differing: [1] }])
    expect(matches.removed).toEqual([{ kind: 'removed', from: 6, to: null }])
    expect(matches.added).toEqual([{ kind: 'added', from: null, to: 0 }])
  })

  test('frames left out inside, and the other way round', async () => {
    const whole = record(3, 30)
    const [head, tail] = [cut(whole, 2, 10), cut(whole, 20, 28)]
    const joined: Recording = {
      state: [...head.state, ...tail.state],
      action: [...head.action, ...tail.action],
      pictures: [...head.pictures, ...tail.pictures],
      task: 'place',
    }
    const kept = [
      [2, 10],
      [20, 28],
    ]
    expect((await diff([whole], [joined])).matches.trimmed).toEqual([
      { kind: 'trimmed', from: 0, to: 0, kept, isRelabelled: true },
    ])
    expect((await diff([joined], [whole])).matches.trimmed).toMatchObject([{ from: 0, to: 0, kept }])
  })

  test('cut and smoothed at once is more than a cut', async () => {
    const whole = record(4, 30)
    const part = cut(whole, 3, 25)
    const { counts } = await diff([whole], [{ ...part, action: part.action.map(([one = 0]) => [one / 2, 1]) }])
    expect(counts).toMatchObject({ changed: 1, trimmed: 0, added: 0, removed: 0 })
  })

  test('another rate is another episode', async () => {
    const list = [record(1, 9)]
    const { counts } = await diffEpisodes(await takeSide(list), await takeSide(list, names, 7, 30))
    expect(counts).toMatchObject({ same: 0, changed: 1 })
  })
})

describe('statistics', () => {
  const figures = (values: readonly number[]) => {
    const sorted = [...values].sort((one, other) => one - other)
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    const std = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)
    const at = (share: number) => [sorted[Math.round(share * (sorted.length - 1))] ?? 0]
    return {
      ...{ mean: [mean], std: [std], min: at(0), max: at(1) },
      ...{ q01: at(0.01), q10: at(0.1), q50: at(0.5), q90: at(0.9), q99: at(0.99) },
    }
  }
  const uniform = Array.from({ length: 1001 }, (_, at) => at / 1000)
  const pair = [{ from: 'action', to: 'action' }]

  test('say how far a dimension moved, and by how much of its spread', () => {
    const moved = uniform.map((value) => value + 0.25)
    const [told] = compareStatistics({ action: figures(uniform) }, { action: figures(moved) }, pair)
    expect(told?.ks).toBeCloseTo(0.25, 2)
    expect(told?.shiftSigmas).toBeCloseTo(0.25 * Math.sqrt(12), 2)
    const [same] = compareStatistics({ action: figures(uniform) }, { action: figures(uniform) }, pair)
    expect(same).toMatchObject({ ks: 0, shiftSigmas: 0 })
  })

  test('a value that never changes is a step, and one that jumps has no deviation to count in', () => {
    const [told] = compareStatistics({ action: figures([2, 2]) }, { action: figures([3, 3]) }, pair)
    expect(told).toMatchObject({ ks: 1, shiftSigmas: null })
    const [still] = compareStatistics({ action: figures([2, 2]) }, { action: figures([2, 2]) }, pair)
    expect(still).toMatchObject({ ks: 0, shiftSigmas: 0 })
  })
})

describe('features', () => {
  test('a renamed camera or column is the same content under another name', async () => {
    const list = [record(1, 9), record(2, 9)]
    const renamed = { ...names, camera: 'observation.images.top', action: 'command' }
    const { features, counts } = await diffEpisodes(await takeSide(list), await takeSide(list, renamed))
    expect(features).toMatchObject({
      renamed: [
        { from: 1, to: 1 },
        { from: 2, to: 2 },
      ],
      removed: [],
      added: [],
    })
    expect(counts.same).toBe(2)
  })

  test('a set of nothing but a flag is the same as itself, and says nothing of another', async () => {
    const { set, readFrames } = await takeSide([record(1, 9), record(2, 9)])
    const only = (name: string) => ({
      set: {
        ...set,
        features: [{ name, kind: 'column' as const, dtype: 'bool', shape: [1] }],
        contents: set.contents.slice(0, 1),
      },
      readFrames,
    })
    expect((await diffEpisodes(only('done'), only('done'))).counts).toMatchObject({ same: 2, added: 0 })
  })

  test('a column that is not there any more leaves nothing the same', async () => {
    const list = [record(1, 9), record(2, 9)]
    const { set, readFrames } = await takeSide(list)
    const without = { ...set, features: set.features.slice(1), contents: set.contents.slice(1) }
    const { features, counts } = await diffEpisodes({ set, readFrames }, { set: without, readFrames })
    expect(features.removed).toEqual([0])
    expect(counts).toMatchObject({ same: 0, changed: 2 })
  })
})

test('among hundreds of thousands of frames every cut is found: long, short, and of a robot that hardly moves', () => {
  const make = (episode: number, length: number, changes = 1): EpisodeFrames => ({
    episode,
    frames: Uint32Array.from({ length: 2 * length }, (_, at) =>
      Math.imul((episode * 1000 + Math.floor((at >> 1) / changes)) * 2 + (at & 1) + 1, 0x9e3779b1),
    ),
  })
  const cut = ({ episode, frames }: EpisodeFrames, from: number, to: number): EpisodeFrames => ({
    episode,
    frames: frames.slice(2 * from, 2 * to),
  })
  const wholes = Array.from({ length: 1000 }, (_, episode) => make(episode, 250, episode % 3 === 0 ? 90 : 1))
  const parts = wholes.map((whole, episode) => cut(whole, 20, episode % 2 === 0 ? 230 : 30))
  const { matches } = findTrims(wholes, parts)
  expect(matches.filter(({ kind, from, to }) => kind === 'trimmed' && from === to)).toHaveLength(1000)
  const strangers = wholes.map((_, place) => make(5000 + place, 200))
  expect(findTrims(wholes, strangers).matches).toEqual([])
})
