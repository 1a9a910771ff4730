import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createMemoryDataset } from '../../../test/memory-dataset.ts'
import type { ColumnFeature } from '../../feature.ts'
import type { JsonObject } from '../../json.ts'
import { readTargetOptions } from '../target-options.ts'
import { openpiNormStats } from './writer.ts'

const action: ColumnFeature = { kind: 'column', name: 'action', dtype: 'float32', shape: [3], names: null }
const state: ColumnFeature = { ...action, name: 'observation.state', shape: [2] }
const note: ColumnFeature = { ...action, name: 'note', dtype: 'string', shape: [1] }
const lengths = [23, 1, 8]

const makeRows = (length: number, size: number, seed: number) =>
  Float32Array.from({ length: length * size }, (_, at) => Math.sin(seed + at * 1.7) * (1 + (at % size)))
const episodes = lengths.map((length, seed) => ({
  length,
  tasks: ['t'],
  columns: new Map<string, Float32Array | string[]>([
    ['action', makeRows(length, 3, seed)],
    ['observation.state', makeRows(length, 2, seed + 9)],
    ['note', new Array<string>(length).fill('')],
  ]),
}))

async function make(given: JsonObject, splits: readonly string[] = []) {
  const split = episodes.map((episode, at) => ({ ...episode, splits: splits[at] ? [splits[at]] : [] }))
  const dataset = createMemoryDataset([action, state, note], split)
  const folder = await mkdtemp(join(tmpdir(), 'norm-'))
  const report = await openpiNormStats.write(dataset, folder, { settings: readTargetOptions(openpiNormStats, given) })
  return { report, stats: JSON.parse(await readFile(join(folder, 'norm_stats.json'), 'utf8')).norm_stats }
}

/** The chunks as a loader stacks them, one by one; then every statistic by its definition. */
function describeChunks(horizon: number, mask: readonly boolean[]) {
  const values: number[][] = [[], [], []]
  for (const { length, columns } of episodes) {
    const [actions, states] = [columns.get('action') as Float32Array, columns.get('observation.state') as Float32Array]
    for (let frame = 0; frame < length; frame++)
      for (let step = 0; step < horizon; step++)
        for (let dimension = 0; dimension < 3; dimension++) {
          const at = Math.min(frame + step, length - 1) * 3 + dimension
          const origin = mask[dimension] ? (states[frame * 2 + dimension] as number) : 0
          values[dimension]?.push((actions[at] as number) - origin)
        }
  }
  return values.map((column) => {
    const mean = column.reduce((sum, value) => sum + value, 0) / column.length
    const std = Math.sqrt(column.reduce((sum, value) => sum + (value - mean) ** 2, 0) / column.length)
    const sorted = column.toSorted((a, b) => a - b)
    const at = (probability: number) => {
      const place = (sorted.length - 1) * probability
      const [low = 0, high = low] = sorted.slice(Math.floor(place))
      return low + (high - low) * (place % 1)
    }
    return { mean, std, q01: at(0.01), q99: at(0.99) }
  })
}

test.each([
  ['the default: 50 actions as they are', {}, 50, []],
  ['a chunk longer than a block, with distances', { horizon: 20, delta_mask: [true, true, false] }, 20, [true, true]],
  ['a mask as openpi writes it', { horizon: 5, delta_mask: [1, -2] }, 5, [true]],
  ['single actions', { horizon: 1 }, 1, []],
])('norm_stats.json, %s', async (_, given, horizon, mask) => {
  const { stats } = await make(given as JsonObject)
  const expected = describeChunks(horizon as number, mask as boolean[])
  for (const key of ['mean', 'std', 'q01', 'q99'] as const) {
    expect(stats.actions[key]).toHaveLength(3)
    for (const [dimension, entry] of expected.entries())
      expect(stats.actions[key][dimension]).toBeCloseTo(entry[key], 9)
    expect(stats.state[key]).toHaveLength(2)
  }
})

test('what is not in the file is named', async () => {
  const note = { feature: 'note', reason: 'norm_stats.json holds statistics of state and actions only.' }
  expect((await make({}, ['train', 'train', 'train'])).report.losses).toEqual([note])
  expect((await make({}, ['train', 'train', 'val'])).report.losses).toEqual([
    note,
    {
      feature: 'splits',
      reason: 'The statistics are of all episodes together, whatever split they are in (train, val).',
    },
  ])
})

test.each([
  [{ horizon: 0 }, 'The option horizon of openpi-norm-stats must be a whole number from 1 to 1000.'],
  [{ horizn: 5 }, 'openpi-norm-stats has no option "horizn"; it has horizon, delta_mask, actions, state.'],
  [{ delta_mask: [4] }, 'delta_mask names 4 dimensions, but action has 3.'],
  [{ delta_mask: [true, true, true] }, 'dimension 2 a distance from the state, but observation.state has 2 dimensions'],
  [{ actions: 'note' }, 'The dataset has no numbers called "note"; set actions to one of action, observation.state.'],
])('refused in a sentence: %j', async (given, sentence) => {
  await expect(make(given as JsonObject)).rejects.toThrow(sentence)
})
