import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { getFixture } from '../../../fixtures/fixture.ts'
import { createMemoryDataset } from '../../test/memory-dataset.ts'
import { hashPackets } from '../../test/packet-hashes.ts'
import { openParquetReader } from '../containers/parquet/parquet.ts'
import type { Dataset, PacketFrames, Values } from '../dataset.ts'
import type { CameraFeature, ColumnFeature } from '../feature.ts'
import { openFolder } from '../file-tree.ts'
import { openDataset } from '../layouts/index.ts'
import { write } from '../writers/lerobot-v3/writer.ts'
import { type FeatureSettings, findFeatureFaults } from './feature-plan.ts'
import { apply } from './features.ts'
import { applyRecipe, applyRecipes } from './recipe.ts'

const column = (name: string, dtype: ColumnFeature['dtype'], names: string[] | null, width = names?.length ?? 1) => {
  return { kind: 'column', name, dtype, shape: [width], names } satisfies ColumnFeature
}
const settings = (asked: {
  drop?: string[]
  rename?: Record<string, string>
  dimensions?: Record<string, string[]>
}): FeatureSettings => ({
  ...(asked.drop && { drop: asked.drop }),
  ...(asked.rename && { rename: new Map(Object.entries(asked.rename)) }),
  ...(asked.dimensions && { dimensions: new Map(Object.entries(asked.dimensions)) }),
})

const length = 9
const rows = (width: number) => Float32Array.from({ length: length * width }, (_, at) => at)
function makeDataset(): Dataset {
  const said = [{ role: 'assistant', style: 'subtask', content: 'reach', camera: 'front', timestamp: 0 }]
  const columns = new Map<string, Values>([
    ['action', rows(3)],
    ['count', BigInt64Array.from({ length: length * 2 }, (_, at) => BigInt(at))],
    ['word', Array.from({ length }, (_, frame) => `word ${frame}`)],
    ['language_persistent', Array.from({ length }, () => said)],
  ])
  const front: CameraFeature = {
    kind: 'camera',
    name: 'front',
    storage: 'video',
    width: 4,
    height: 4,
    channels: 3,
    info: {},
  }
  const features = [
    column('action', 'float32', ['x', 'y', 'z']),
    column('count', 'int64', null, 2),
    column('word', 'string', null),
    column('language_persistent', 'language', null),
    front,
  ]
  return createMemoryDataset(features, [{ length, tasks: ['task'], columns }])
}

async function readColumns(dataset: Dataset, columns?: string[]): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {}
  for await (const block of dataset.getEpisode(0).readBlocks(columns ? { columns } : {}))
    for (const [name, values] of block.columns)
      found[name] = [...(found[name] ?? []), ...Array.from(values as unknown[])]
  return found
}

test('columns are dropped, renamed and keep the dimensions that are named, in their order; words follow the camera', async () => {
  const asked = settings({
    drop: ['word'],
    rename: { action: 'command', count: 'action', front: 'observation.images.front' },
    dimensions: { action: ['z', 'x'], count: ['1'] },
  })
  const result = apply(makeDataset(), asked)
  expect(result.features.map((feature) => [feature.name, feature.kind === 'column' ? feature.shape : []])).toEqual([
    ['command', [2]],
    ['action', [1]],
    ['language_persistent', [1]],
    ['observation.images.front', []],
  ])
  expect(result.features.slice(0, 2).map((feature) => feature.kind === 'column' && feature.names)).toEqual([
    ['z', 'x'],
    null,
  ])
  const found = await readColumns(result)
  expect(Object.keys(found)).toEqual(['command', 'action', 'language_persistent'])
  expect(found.command).toEqual(Array.from({ length }, (_, row) => [row * 3 + 2, row * 3]).flat())
  expect(found.action).toEqual(Array.from({ length }, (_, row) => BigInt(row * 2 + 1)))
  expect(found.language_persistent?.[0]).toMatchObject([{ camera: 'observation.images.front' }])
  expect(Object.keys(await readColumns(result, ['action', 'word']))).toEqual(['action'])
  await expect(result.getEpisode(0).openCamera('front')).rejects.toThrow('There is no camera front.')
})

test('an action that is renamed afterwards is the one that was smoothed, and the next recipe speaks of the new names', async () => {
  const smoothed = applyRecipe(makeDataset(), {
    action: { scale: 2 },
    features: settings({ rename: { action: 'count', count: 'action' } }),
  })
  const whole = await readColumns(smoothed, ['count', 'action'])
  expect(whole.count).toEqual(Array.from(rows(3), (value) => value * 2))
  const twice = applyRecipes(makeDataset(), [
    { features: settings({ rename: { action: 'first', count: 'action' } }) },
    { action: { scale: 3 }, features: settings({ dimensions: { first: ['y'] } }) },
  ])
  const found = await readColumns(twice)
  expect(found.first).toEqual(Array.from({ length }, (_, row) => row * 3 + 1))
  expect(found.action).toEqual(Array.from({ length: length * 2 }, (_, at) => BigInt(at * 3)))
})

test('what changes nothing leaves the dataset as it is', () => {
  const dataset = makeDataset()
  for (const asked of [{}, { rename: { action: 'action' } }, { dimensions: { action: ['x', 'y', 'z'] } }])
    expect(apply(dataset, settings(asked))).toBe(dataset)
})

const described = [
  { name: 'action', labels: ['x', 'y', 'y'] },
  { name: 'word', labels: null },
]
test.each([
  [{ drop: ['nothing'] }, ['drop', 0], 'there is no feature nothing: the dataset has action, word'],
  [{ drop: ['index'] }, ['drop', 0], "index is obligatory: LeRobot's loaders count frames by it"],
  [{ drop: ['action', 'word'] }, ['drop'], 'no feature is left: every one is dropped'],
  [
    { rename: { task_index: 'a' } },
    ['rename', 'task_index'],
    "task_index is obligatory: LeRobot's loaders count frames by it",
  ],
  [
    { rename: { action: 'word' } },
    ['rename', 'action'],
    'the name word is taken: drop or rename the feature that has it',
  ],
  [{ rename: { action: 'a', word: 'a' } }, ['rename', 'word'], 'the name a is taken: action is renamed to it as well'],
  [
    { rename: { action: 'timestamp' } },
    ['rename', 'action'],
    "the name timestamp is taken: LeRobot's loaders use it themselves",
  ],
  [{ drop: ['action'], rename: { action: 'a' } }, ['rename', 'action'], 'action is dropped'],
  [{ dimensions: { action: ['x', 'w'] } }, ['dimensions', 'action', 1], 'action has no dimension w: it has x, y, y'],
  [
    { dimensions: { action: ['y'] } },
    ['dimensions', 'action', 0],
    'action has 2 dimensions called y, so the name does not say which',
  ],
  [{ dimensions: { action: ['x', 'x'] } }, ['dimensions', 'action', 1], 'the dimension x is named twice'],
  [
    { dimensions: { word: ['0'] } },
    ['dimensions', 'word'],
    'word is not a vector of numbers, so it has no dimensions to choose from',
  ],
])('%j is refused at its place', (asked, path, sentence) => {
  expect(findFeatureFaults(described, settings(asked))).toMatchObject([{ path, sentence }])
})

test('names that are exchanged, or taken from a feature that goes, are free', () => {
  const free = [{ rename: { action: 'word', word: 'action' } }, { drop: ['word'], rename: { action: 'word' } }]
  for (const asked of free) expect(findFeatureFaults(described, settings(asked))).toEqual([])
})

test('written, every place follows: rows, info.json, stats.json, the table of episodes, and packets under the new name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-features-'))
  try {
    const source = getFixture('lerobot/recorded-v3.0-two-cameras')
    await using dataset = await openDataset(await openFolder(source))
    const asked = settings({
      drop: ['next.reward', 'observation.images.wrist'],
      rename: { 'observation.images.top': 'observation.images.overhead', action: 'action.joints' },
      dimensions: { action: ['gripper.pos', 'joint_2.pos'] },
    })
    const target = join(folder, 'written')
    await write(applyRecipe(dataset, { features: asked }), target, { cameraStatistics: 'carry' })
    const info = JSON.parse(await readFile(join(target, 'meta/info.json'), 'utf8'))
    const names = ['action.joints', 'observation.state', 'observation.images.overhead', 'next.success']
    const counting = ['timestamp', 'frame_index', 'episode_index', 'index', 'task_index']
    expect(Object.keys(info.features)).toEqual([...names, ...counting])
    expect(info.features['action.joints']).toMatchObject({ shape: [2], names: ['gripper.pos', 'joint_2.pos'] })
    const statistics = JSON.parse(await readFile(join(target, 'meta/stats.json'), 'utf8'))
    const before = JSON.parse(await readFile(join(source, 'meta/stats.json'), 'utf8'))
    expect(Object.keys(statistics).sort()).toEqual([...names, ...counting].sort())
    for (const key of ['min', 'max', 'mean', 'std'])
      for (const [place, dimension] of [6, 1].entries())
        expect(statistics['action.joints'][key][place]).toBeCloseTo(before.action[key][dimension], 5)
    await using again = await openDataset(await openFolder(target))
    expect(again.findings.filter(({ severity }) => severity !== 'info')).toEqual([])
    for (let position = 0; position < dataset.episodeCount; position++) {
      const one = (await dataset.getEpisode(position).openCamera('observation.images.top')) as PacketFrames
      const other = (await again.getEpisode(position).openCamera('observation.images.overhead')) as PacketFrames
      expect(await hashPackets(other)).toEqual(await hashPackets(one))
    }
    await using reader = await openParquetReader(target)
    const table = await reader.findColumns(join(target, 'meta/episodes/chunk-000/file-000.parquet'))
    const listed = table.map(({ name }) => name)
    expect(listed).toContain('videos/observation.images.overhead/from_timestamp')
    expect(listed).toContain('stats/action.joints/mean')
    expect(listed.filter((name) => /\/(action|next\.reward|observation\.images\.(top|wrist))\//.test(name))).toEqual([])
    const data = await reader.findColumns(join(target, 'data/chunk-000/file-000.parquet'))
    expect(data.map(({ name }) => name)).toEqual(['action.joints', 'observation.state', 'next.success', ...counting])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
