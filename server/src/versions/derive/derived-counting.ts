import type { NumericArray } from '@nmp/formats/feature'
import { bookkeepingFeatures } from '@nmp/formats/lerobot/schema'
import type { Context } from '../../context.ts'
import type { ReadModelPlace } from '../../datasets/read-model/cache.ts'
import { findStoredFrame } from '../../datasets/read-model/derivation.ts'
import type { FeatureEntry } from '../../datasets/read-model/manifest.ts'
import type { ReadModel } from '../../datasets/read-model/model.ts'
import { getColumn } from './source-columns.ts'

/** LeRobot's five columns that count frames and episodes and are written anew. */
export const countingColumns: FeatureEntry[] = bookkeepingFeatures.map(({ name, dtype, shape }) => ({
  name,
  dtype,
  shape: [...shape],
  names: null,
}))

/** One of them, episode by episode, as the writer will make it. */
export async function* readCounting(
  context: Context,
  stored: ReadModelPlace,
  source: ReadModel,
  model: ReadModel,
  name: string,
): AsyncGenerator<NumericArray> {
  if (name !== 'task_index') return yield* readCounts(model, name)
  for (let episode = 0; episode < model.episodeCount; episode++)
    yield await readTasks(context, stored, source, model, episode)
}

/** The same without tasks, which nothing has to be read for. */
export async function* readCounts({ columns, manifest }: ReadModel, name: string): AsyncGenerator<NumericArray> {
  for (const [episode, length] of columns.lengthFrames.entries()) {
    const from = columns.fromIndex[episode] as number
    if (name === 'timestamp') yield Float32Array.from({ length }, (_, frame) => frame / manifest.fps)
    else if (name === 'frame_index') yield Float64Array.from({ length }, (_, frame) => frame)
    else if (name === 'index') yield Float64Array.from({ length }, (_, frame) => from + frame)
    else yield new Float64Array(length).fill(episode)
  }
}

/** Of an episode with several tasks, the rows say which of them each frame belongs to. */
async function readTasks(
  context: Context,
  stored: ReadModelPlace,
  source: ReadModel,
  model: ReadModel,
  episode: number,
): Promise<Float64Array> {
  const { columns, derivation } = model
  const length = columns.lengthFrames[episode] as number
  const tasks = columns.taskIds.subarray(columns.taskStarts[episode], columns.taskStarts[episode + 1])
  if (tasks.length <= 1) return new Float64Array(length).fill(tasks[0] ?? 0)
  const storedEpisode = derivation?.storedIndex[episode] ?? episode
  const { taskIds, taskStarts, fromIndex } = source.columns
  const own = taskIds.subarray(taskStarts[storedEpisode], taskStarts[storedEpisode + 1])
  const rows = await getColumn(context, stored, source, { name: 'task_index', dtype: 'int64', shape: [1], names: null })
  const start = fromIndex[storedEpisode] as number
  // By their texts: an episode of which frames were cut may have fewer of them.
  const byText = new Map(Array.from(tasks, (task) => [model.getTask(task), task]))
  const numbers = new Map(Array.from(own, (task) => [task, byText.get(source.getTask(task)) ?? 0]))
  return Float64Array.from({ length }, (_, frame) => {
    const row = start + findStoredFrame(derivation, episode, frame)
    return numbers.get(Number(rows[row])) ?? 0
  })
}
