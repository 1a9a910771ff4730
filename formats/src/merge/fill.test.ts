import { expect, test } from 'vitest'
import { createMemoryDataset } from '../../test/memory-dataset.ts'
import type { Dataset } from '../dataset.ts'
import type { ColumnFeature } from '../feature.ts'
import { mergeDatasets } from './merge-datasets.ts'
import type { SourceMap } from './source-map.ts'

const describe = (name: string, shape: number[]): ColumnFeature => ({
  ...{ kind: 'column', name, dtype: 'float32', shape, names: null },
})
const makeSource = (...features: ColumnFeature[]): Dataset =>
  createMemoryDataset(features, [
    {
      length: 2,
      tasks: ['push'],
      columns: new Map(
        features.map(({ name, shape: [width = 1] }) => [name, Float32Array.from({ length: 2 * width }, (_, at) => at)]),
      ),
    },
  ])

test('a constant stands for what a source lacks: also in the first, for a feature that only another has', async () => {
  const sources = [
    makeSource(describe('action', [1]), describe('effort', [1])),
    makeSource(describe('action', [1]), describe('wrench', [3])),
  ]
  const merge = (maps: readonly SourceMap[]) =>
    mergeDatasets(
      sources.map((dataset, place) => ({
        dataset,
        title: `lab ${place}`,
        said: { datasetId: '', revision: '', recipe: null, map: null },
        map: maps[place],
        confirm: ['units'],
      })),
    )
  const ofSecond = { features: { effort: { fill: -1 } } }
  await expect(merge([{}, ofSecond])).rejects.toThrow(/has no wrench, which .* has: .* fill it with a constant/)
  const merged = await merge([{ features: { wrench: { fill: [7, 8, 9] } } }, ofSecond])
  expect(merged.features.map(({ name }) => name)).toEqual(['action', 'effort', 'wrench'])
  expect(merged.features[2]).toMatchObject({ dtype: 'float32', shape: [3] })
  const rows: Record<string, number[]>[] = []
  for (const position of [0, 1])
    for await (const { columns } of merged.getEpisode(position).readBlocks())
      rows.push(Object.fromEntries([...columns].map(([name, values]) => [name, [...(values as Float32Array)]])))
  expect(rows).toEqual([
    { action: [0, 1], effort: [0, 1], wrench: [7, 8, 9, 7, 8, 9] },
    { action: [0, 1], effort: [-1, -1], wrench: [0, 1, 2, 3, 4, 5] },
  ])
})
