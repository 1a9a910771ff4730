import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Dataset } from '../dataset.ts'
import {
  addPicture,
  createCameraStatistics,
  listSampledFrames,
  mergeCameraStatistics,
  presentCameraStatistics,
} from './camera.ts'
import {
  countDimensions,
  describeCounted,
  EpisodeStatistics,
  type FeatureStatistics,
  presentStatistics,
} from './episode.ts'
import { createMoments, mergeMoments } from './moments.ts'
import { scoreMotion } from './motion.ts'
import { findExactQuantiles, quantileLevels, quantileNames, quantileOfSorted } from './quantiles.ts'
import { selectQuantiles } from './selection.ts'
import { sortDimensions } from './sorting.ts'
import { mergeQuantiles, type Summary, summarize } from './summary.ts'

const golden = new URL('../../test/golden/', import.meta.url)
const probabilities = quantileNames.map((name) => quantileLevels[name])
type Described = Record<string, number[]>
interface Case {
  shape: number[]
  episodes: number[][]
  per_episode: Described[]
  whole: Described
}

function collect(values: Float32Array, shape: readonly number[], blockRows: number): FeatureStatistics {
  const statistics = new EpisodeStatistics(countDimensions({ shape }))
  const width = shape.reduce((product, size) => product * size, 1)
  for (let row = 0; row * width < values.length; row += blockRows) {
    const block = values.subarray(row * width, (row + blockRows) * width)
    statistics.add(block, block.length / width)
  }
  return statistics.finish()
}

function expectClose(actual: Readonly<Record<string, unknown>>, expected: Described): void {
  for (const [key, values] of Object.entries(expected)) {
    for (const [index, value] of values.entries()) {
      const found = (actual[key] as number[])[index] as number
      expect(Math.abs(found - value), `${key}[${index}]: ${found} and ${value}`).toBeLessThanOrEqual(
        1e-9 * Math.max(1e-12, Math.abs(value)) + 1e-12,
      )
    }
  }
}

describe('statistics equal numpy', () => {
  for (const file of readdirSync(new URL('statistics/', golden)).filter((name) => name.endsWith('.json'))) {
    test(file, async () => {
      const known = JSON.parse(readFileSync(new URL(`statistics/${file}`, golden), 'utf8')) as Case
      const whole = createMoments(countDimensions(known))
      const summaries: Summary[][] = []
      const episodes = known.episodes.map((values) => Float32Array.from(values))
      for (const [index, values] of episodes.entries()) {
        const statistics = collect(values, known.shape, 17)
        expectClose(presentStatistics(statistics.moments, statistics.quantiles), known.per_episode[index] as Described)
        mergeMoments(whole, statistics.moments)
        summaries.push([...sortDimensions([values], countDimensions(known)).map(summarize)])
      }
      const exact = await findExactQuantiles(
        async function* () {
          yield* episodes
        },
        countDimensions(known),
        probabilities,
      )
      const quantiles = Object.fromEntries(
        quantileNames.map((name, index) => [name, exact.map((row) => row[index] as number)]),
      )
      expectClose(presentStatistics(whole, quantiles as never), known.whole)
      for (const [dimension, row] of exact.entries()) {
        const merged = mergeQuantiles(
          summaries.map((episode) => episode[dimension] as Summary),
          probabilities,
        )
        for (const [index, { low, high }] of merged.entries()) {
          expect(low).toBeLessThanOrEqual(row[index] as number)
          expect(high).toBeGreaterThanOrEqual(row[index] as number)
        }
      }
    })
  }

  test('sampled frames are those of lerobot', () => {
    const known = JSON.parse(readFileSync(new URL('sampled-frames.json', golden), 'utf8')) as Record<string, number[]>
    for (const [length, frames] of Object.entries(known))
      expect(listSampledFrames(Number(length)).slice(0, frames.length)).toEqual(frames)
  })

  test('motion and variance', async () => {
    const known = JSON.parse(readFileSync(new URL('motion.json', golden), 'utf8')) as {
      dimensions: number[]
      episodes: number[][]
      motion: number[]
      variance: number[]
    }
    const dataset = createSignal(
      known.episodes.map((values) => Float64Array.from(values)),
      4,
    )
    const scores = await scoreMotion(dataset)
    expect(scores?.scale.signal.dimensions).toEqual(known.dimensions)
    expectClose(
      { motion: [...(scores?.motion ?? [])], variance: [...(scores?.variance ?? [])] },
      { motion: known.motion, variance: known.variance },
    )
  })
})

describe('quantiles', () => {
  test('of more values than are held are still exact, at most five readings', async () => {
    const blocks = Array.from({ length: 24 }, (_, block) =>
      Float64Array.from({ length: 100_000 }, (_, row) => Math.fround(Math.sin(block * 7919 + row) * 1e3)),
    )
    let readings = 0
    const read = async function* () {
      readings++
      yield* blocks
    }
    const [found] = await findExactQuantiles(read, 1, probabilities)
    const sorted = Float64Array.from(blocks.flatMap((block) => [...block])).sort()
    expect(found).toEqual(probabilities.map((probability) => quantileOfSorted(sorted, probability)))
    expect(readings).toBeLessThanOrEqual(3)
  })

  test('of a million equal values among others need no more memory', async () => {
    const values = Float64Array.from({ length: 3_000_000 }, (_, row) => (row < 2_500_000 ? 0.1 : row))
    const [found] = await findExactQuantiles(
      async function* () {
        yield values
      },
      1,
      [0.5, 0.9],
    )
    expect(found).toEqual([0.1, quantileOfSorted(values, 0.9)])
  })

  test('selected without sorting are those of the sorted values', () => {
    const value = fc.oneof(
      fc.float({ noDefaultInfinity: false }),
      fc.constantFrom(0, -0, 1, 1e-40, 3e38, -3e38),
      fc.integer(),
    )
    const probabilities = quantileNames.map((name) => quantileLevels[name])
    fc.assert(
      fc.property(fc.array(value, { maxLength: 300 }), fc.boolean(), (numbers, isSingle) => {
        const values = isSingle ? Float32Array.from(numbers) : Float64Array.from(numbers, (number) => number * 1e260)
        const sorted = Float64Array.from(values)
          .filter((number) => Number.isFinite(number))
          .sort()
        const range = { count: sorted.length, min: sorted[0] ?? 0, max: sorted.at(-1) ?? 0 }
        const expected = probabilities.map((probability) => quantileOfSorted(sorted, probability))
        expect(selectQuantiles(values, range, probabilities).map((number) => number + 0)).toEqual(
          expected.map((number) => number + 0),
        )
      }),
    )
  })

  test('a merged bracket always holds the true quantile', () => {
    const numbers = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }), {
      minLength: 1,
      maxLength: 400,
    })
    fc.assert(
      fc.property(
        fc.array(numbers, { minLength: 1, maxLength: 6 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (episodes, probability) => {
          const summaries = episodes.map((values) => summarize(Float64Array.from(values).sort()))
          const truth = quantileOfSorted(Float64Array.from(episodes.flat()).sort(), probability)
          const [merged] = mergeQuantiles(summaries, [probability])
          const slack = 1e-9 * Math.max(1, Math.abs(truth))
          expect(merged?.low).toBeLessThanOrEqual(truth + slack)
          expect(merged?.high).toBeGreaterThanOrEqual(truth - slack)
          if (episodes.every((values) => values.length <= 128)) expect(merged?.isExact).toBe(true)
        },
      ),
      { numRuns: 300 },
    )
  })
})

test('columns that only count are described as if each of their values had been looked at', () => {
  for (const [first, step, frameCount] of [
    [7, 0, 5],
    [1_000_000, 1, 1],
    [90_000, 1, 301],
  ] as const) {
    const counted = new EpisodeStatistics(1)
    counted.add(
      Float64Array.from({ length: frameCount }, (_, at) => first + step * at),
      frameCount,
    )
    const [expected, found] = [counted.finish(), describeCounted(first, step, frameCount)]
    const present = ({ moments, quantiles }: FeatureStatistics) => presentStatistics(moments, quantiles)
    for (const [key, values] of Object.entries(present(expected)))
      expect(present(found)[key]?.[0], key).toBeCloseTo(values[0] as number, 8)
    expect(found.moments.valueCount).toEqual(expected.moments.valueCount)
  }
})

test('values of every dtype come out sorted, few or many, with -0 before 0 and without what is not finite', () => {
  const expectSorted = (values: Float32Array | Float64Array | BigInt64Array) => {
    const [sorted] = sortDimensions([values.subarray(0, 7), values.subarray(7)], 1)
    expect(sorted).toEqual(Float64Array.from(values, Number).filter(Number.isFinite).sort())
  }
  for (const size of [{ maxLength: 40 }, { minLength: 1100, maxLength: 1300, size: 'max' as const }]) {
    fc.assert(fc.property(fc.float32Array(size), expectSorted), { numRuns: 40 })
    fc.assert(fc.property(fc.float64Array(size), expectSorted), { numRuns: 40 })
    fc.assert(fc.property(fc.bigInt64Array(size), expectSorted), { numRuns: 40 })
  }
  expectSorted(Float32Array.of(0, -0, Number.NaN, -1, Number.NEGATIVE_INFINITY, 0, -0, 3e38, -1e-45))
  expectSorted(Float64Array.of(0, -0))
})

test('camera statistics are those of the sampled pixels, and merge exactly', () => {
  const picture = (seed: number) => ({
    frameIndex: 0,
    width: 4,
    height: 2,
    channels: 3,
    data: Uint8Array.from({ length: 24 }, (_, index) => (index * seed) % 256),
  })
  const [whole, a, b] = [0, 1, 2].map(() => createCameraStatistics(3, false))
  if (!whole || !a || !b) throw new Error('no statistics')
  for (const seed of [3, 11]) addPicture(whole, picture(seed))
  addPicture(a, picture(3))
  addPicture(b, picture(11))
  mergeCameraStatistics(a, b)
  expect(presentCameraStatistics(a)).toEqual(presentCameraStatistics(whole))
  const reds = [3, 11]
    .flatMap((seed) => [...picture(seed).data].filter((_, index) => index % 3 === 0))
    .map((value) => value / 255)
  const mean = reds.reduce((sum, value) => sum + value, 0) / reds.length
  const shown = presentCameraStatistics(whole) as { mean: number[][][]; q50: number[][][]; count: number[] }
  expect(shown.mean[0]?.[0]?.[0]).toBeCloseTo(mean, 12)
  expect(shown.q50[0]?.[0]?.[0]).toBeCloseTo(quantileOfSorted(Float64Array.from(reds).sort(), 0.5), 12)
  expect(shown.count).toEqual([2])
})

function createSignal(episodes: readonly Float64Array[], width: number): Dataset {
  return {
    origin: { layout: 'memory', version: '', details: {} },
    fps: 10,
    robotType: null,
    features: [{ kind: 'column', name: 'observation.state', dtype: 'float64', shape: [width], names: null }],
    episodeCount: episodes.length,
    frameCount: episodes.reduce((sum, values) => sum + values.length / width, 0),
    findings: [],
    getEpisode: (position) => {
      const values = episodes[position] as Float64Array
      return {
        sourceIndex: position,
        sourceId: String(position),
        length: values.length / width,
        tasks: [''],
        splits: ['train'],
        readBlocks: async function* () {
          for (let row = 0; row * width < values.length; row += 9) {
            const block = values.subarray(row * width, (row + 9) * width)
            yield {
              startFrame: row,
              frameCount: block.length / width,
              columns: new Map([['observation.state', block]]),
            }
          }
        },
        openCamera: () => Promise.reject(new Error('no camera')),
      }
    },
    close: async () => {},
    [Symbol.asyncDispose]: async () => {},
  }
}
