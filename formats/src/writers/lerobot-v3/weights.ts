import { join } from 'node:path'
import { openParquetReader } from '../../containers/parquet/parquet.ts'
import { value } from '../../containers/parquet/schema.ts'
import { createParquetWriter } from '../../containers/parquet/writer.ts'
import type { MixtureWeights } from '../../dataset.ts'
import { toBigInts } from '../../statistics/doubles.ts'
import { prepareFile } from './numbered-file.ts'

/** What a trainer's sampler reads: a weight for each frame, by its `index`. */
const weightsPath = 'meta/weights.parquet'

export interface WeighedFrames {
  readonly folder: string
  /** In order. */
  readonly dataFiles: readonly string[]
  /** Of each episode: which source it is from, and how long it is. */
  readonly episodes: readonly { readonly place: number; readonly length: number }[]
  readonly tasks: readonly string[]
}

/**
 * Frames drawn by these weights come from each source, or each task, as often as its weight says: a group's weight is shared by its
 * frames. Their mean is 1.
 */
export async function writeWeights(
  frames: WeighedFrames,
  weights: MixtureWeights,
): Promise<{ path: string; sizeBytes: number }> {
  const read = () => (weights.kind === 'sources' ? listPlaces(frames) : readTasks(frames))
  const weightOf = (group: number): number =>
    weights.kind === 'sources' ? (weights.weights[group] ?? 0) : (weights.weights.get(frames.tasks[group] ?? '') ?? 0)
  const counts = new Map<number, number>()
  for await (const groups of read()) for (const group of groups) counts.set(group, (counts.get(group) ?? 0) + 1)
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const whole = [...counts.keys()].reduce((sum, group) => sum + weightOf(group), 0)
  const ofFrame = new Map([...counts].map(([group, count]) => [group, (weightOf(group) / whole) * (total / count)]))
  const fields = [
    { name: 'index', node: value('int64') },
    { name: 'weight', node: value('float64') },
  ]
  const writer = await createParquetWriter(await prepareFile(frames.folder, weightsPath), fields)
  let from = 0
  for await (const groups of read()) {
    const start = from
    const numbers = Float64Array.from(groups, (group) => ofFrame.get(group) ?? 0)
    await writer.writeRows(groups.length, [
      { shape: [1], numbers: toBigInts(groups.length, (row) => start + row) },
      { shape: [1], numbers },
    ])
    from += groups.length
  }
  return { path: weightsPath, sizeBytes: await writer.finish() }
}

async function* listPlaces({ episodes }: WeighedFrames): AsyncGenerator<Uint32Array> {
  for (const { place, length } of episodes) yield new Uint32Array(length).fill(place)
}

async function* readTasks({ folder, dataFiles }: WeighedFrames): AsyncGenerator<Uint32Array> {
  await using reader = await openParquetReader(folder)
  const request = { name: 'task_index', dtype: 'int64', shape: [1], isList: false } as const
  for (const file of dataFiles)
    for await (const { columns } of reader.scan(join(folder, file), [request]))
      yield Uint32Array.from(columns[0] as BigInt64Array, Number)
}
