import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createMemoryDataset } from '../../test/memory-dataset.ts'
import { createHdf5Reader } from '../containers/hdf5/hdf5.ts'
import type { Dataset } from '../dataset.ts'
import type { ColumnFeature } from '../feature.ts'
import { withRoles } from '../signal-roles.ts'
import { gr00t } from './gr00t/target.ts'
import { openpiNormStats } from './openpi-norm-stats/writer.ts'
import { rlds } from './rlds/target.ts'
import { robomimic } from './robomimic/target.ts'
import { readTargetOptions } from './target-options.ts'
import type { Writer } from './writer.ts'
import { zarr } from './zarr/target.ts'

const length = 12
const column = (name: string): ColumnFeature => ({ kind: 'column', name, dtype: 'float32', shape: [2], names: null })
const values = (at: number) => Float32Array.from({ length: length * 2 }, (_, index) => at * 100 + index)
const names = ['action', 'qpos', 'target'] as const
const columns = new Map(names.map((name, at) => [name, values(at)]))
const roles = { state: 'qpos', action: 'target' }
/** It has a column called action, too, which is none. */
const dataset = withRoles(createMemoryDataset(names.map(column), [{ length, tasks: ['pick'], columns }]), roles)

async function write(writer: Writer, of: Dataset = dataset) {
  const folder = join(await mkdtemp(join(tmpdir(), 'roles-')), 'out')
  const settings = readTargetOptions(writer, writer === zarr ? { container: 'folder' } : {}, of.roles)
  const report = await writer.write(of, folder, { settings })
  return { report, readJson: async (path: string) => JSON.parse(await readFile(join(folder, path), 'utf8')), folder }
}

test('GR00T is told the columns of state and action', async () => {
  const { readJson } = await write(gr00t)
  expect(await readJson('meta/modality.json')).toMatchObject({
    state: { state: { start: 0, end: 2, original_key: 'qpos' } },
    action: { action: { start: 0, end: 2, original_key: 'target' } },
  })
}, 60_000)

test('openpi gets the statistics of them, and what it does not hold is the rest', async () => {
  const { readJson, report } = await write(openpiNormStats)
  const { norm_stats: found } = await readJson('norm_stats.json')
  expect([found.state.mean[0], found.actions.q99[0] > 200]).toEqual([111, true])
  expect(report.losses.map(({ feature }) => feature)).toEqual(['action'])
})

test('robomimic, RLDS and Zarr have them under the names that their readers know; who is only called so gets a number', async () => {
  const { folder } = await write(robomimic)
  const path = join(folder, 'demo.hdf5')
  await using reader = createHdf5Reader()
  const tree = await reader.describe(path)
  for (const [name, at] of [
    ['actions', 2],
    ['obs/state', 1],
    ['action', 0],
  ] as const) {
    const array = tree.find(`/data/demo_0/${name}`)
    if (array?.kind !== 'dataset') throw new Error(name)
    const rows = await reader.readRows(path, array, 0, length)
    if (rows.form !== 'packed') throw new Error(name)
    expect([...new Float32Array(rows.bytes.slice().buffer)], name).toEqual([...values(at)])
  }
  const described = await write(rlds)
  const { featuresDict } = (await described.readJson('nmp_dataset/1.0.0/features.json')).featuresDict.features.steps
    .sequence.feature
  expect(featuresDict.features.action.description).toBe('target')
  expect(featuresDict.features.action_2.description).toBe('action')
  expect(featuresDict.features.observation.featuresDict.features.state.description).toBe('qpos')
  const { features } = await (await write(zarr)).readJson('dataset.zarr/.zattrs')
  expect(features).toMatchObject({ action: { name: 'target' }, state: { name: 'qpos' }, action_2: { name: 'action' } })
})
