import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createMemoryDataset } from '../../test/memory-dataset.ts'
import { openParquetReader } from '../containers/parquet/parquet.ts'
import type { Dataset } from '../dataset.ts'
import type { ColumnFeature } from '../feature.ts'
import { write } from '../writers/lerobot-v3/writer.ts'
import { mergeDatasets } from './merge-datasets.ts'

const state: ColumnFeature = { kind: 'column', name: 'observation.state', dtype: 'float32', shape: [1], names: null }
const makeSource = (lengths: readonly number[]): Dataset =>
  createMemoryDataset(
    [state],
    lengths.map((length, place) => ({
      length,
      tasks: [place % 2 === 0 ? 'push' : 'pull'],
      columns: new Map([[state.name, new Float32Array(length).fill(place)]]),
    })),
  )

/** Frames drawn as a sampler draws them, always by the same numbers. */
function drawFrames(weights: readonly number[], count: number): number[] {
  const sums: number[] = []
  for (const weight of weights) sums.push((sums.at(-1) ?? 0) + weight)
  let seed = 1
  return Array.from({ length: count }, () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    const at = (seed / 2 ** 32) * (sums.at(-1) as number)
    return sums.findIndex((sum) => sum > at)
  })
}

test.each<[string, number[] | undefined, Record<string, number> | undefined, number[]]>([
  ['sources', [1, 2, 5], undefined, [0.125, 0.25, 0.625]],
  ['tasks', undefined, { push: 3, pull: 1 }, [0.75, 0.25]],
])(
  'frames drawn by the written weights of %s come within a hundredth of what was asked',
  async (_, ofSources, ofTasks, shares) => {
    const folder = await mkdtemp(join(tmpdir(), 'weights-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const sources = [makeSource([40, 10]), makeSource([7, 9, 30]), makeSource([5, 3])]
    const inputs = sources.map((dataset, place) => ({
      dataset,
      title: String(place),
      said: { datasetId: '', revision: '', recipe: null, map: null },
      weight: ofSources?.[place],
    }))
    await write(await mergeDatasets(inputs, ofTasks && new Map(Object.entries(ofTasks))), folder)
    const groups = sources.flatMap((dataset, place) =>
      Array.from({ length: dataset.episodeCount }, (_entry, position) => dataset.getEpisode(position)).flatMap(
        ({ length, tasks }) => Array<number>(length).fill(ofSources ? place : ['push', 'pull'].indexOf(tasks[0] ?? '')),
      ),
    )
    await using reader = await openParquetReader(folder)
    const rows = await Array.fromAsync(reader.readRecords(join(folder, 'meta/weights.parquet'), ['index', 'weight']))
    expect(rows.map(({ index }) => Number(index))).toEqual(groups.map((_group, at) => at))
    const drawn = drawFrames(
      rows.map(({ weight }) => Number(weight)),
      100_000,
    ).map((frame) => groups[frame])
    for (const [group, share] of shares.entries())
      expect(Math.abs(drawn.filter((one) => one === group).length / drawn.length / share - 1)).toBeLessThan(0.01)
  },
)
