import { isNumericDtype, type NumericArray } from '@nmp/formats/feature'
import type { JsonObject } from '@nmp/formats/json'
import { mapTask } from '@nmp/formats/merge/source-map'
import { mergeCameraStatistics, presentCameraStatistics } from '@nmp/formats/statistics/camera'
import type { Context } from '../../context.ts'
import { getReadModel } from '../../datasets/read-model/cache.ts'
import type { CameraEntry } from '../../datasets/read-model/manifest.ts'
import type { ModelPart, ReadModel } from '../../datasets/read-model/model.ts'
import { type CountedCamera, countCamera } from '../derive/derived-cameras.ts'
import { countingColumns, readCounting, readCounts } from '../derive/derived-counting.ts'
import { measureRows, measuring, readColumn } from '../derive/derived-statistics.ts'
import { isEncoded } from './merged-cameras.ts'
import { openMergedDataset } from './merged-dataset.ts'
import type { StoredMerge } from './stored-merge.ts'

/** As `measureFeatures`, over every row of every source after its map. */
export const measureMerged = (
  context: Context,
  model: ReadModel,
  { sources }: StoredMerge,
): Promise<Record<string, JsonObject | null>> =>
  measuring.run(async () => {
    const { manifest, parts = [] } = model
    await using dataset = await openMergedDataset(context, parts)
    const results: [string, JsonObject | null][] = []
    for (const { name, dtype, shape, names } of [...manifest.features, ...countingColumns]) {
      const camera = manifest.cameras.find(({ key }) => key === name)
      if (camera) results.push([name, await measureCamera(context, parts, camera)])
      if (!isNumericDtype(dtype)) continue
      const isCounting = countingColumns.some((column) => column.name === name)
      const readRows = () => (isCounting ? readCounts(model, name) : readColumn(dataset, name))
      const read = () => (name === 'task_index' ? readTasks(context, model, sources) : readRows())
      results.push([name, await measureRows(read, { kind: 'column', name, dtype, shape, names })])
    }
    return Object.fromEntries(results)
  })

/** From what the writers of all parts counted; null where one of them is yet to be encoded or cut. */
async function measureCamera(
  context: Context,
  parts: readonly ModelPart[],
  camera: CameraEntry,
): Promise<JsonObject | null> {
  let sum: CountedCamera | undefined
  for (const part of parts) {
    if (camera.storage === 'video' && (isEncoded(part, camera) || part.model.derivation?.frames.size)) return null
    const own = await countCamera(context, part.place, part.model, camera.key)
    if (!own) return null
    if (sum) mergeCameraStatistics(sum.statistics, own.statistics)
    else sum = own
  }
  return sum ? (presentCameraStatistics(sum.statistics, sum.depth) as JsonObject) : null
}

/** Which task each row has, by the numbers of the whole. */
async function* readTasks(
  context: Context,
  model: ReadModel,
  sources: StoredMerge['sources'],
): AsyncGenerator<NumericArray> {
  const numbers = new Map(Array.from({ length: model.taskCount }, (_, task) => [model.getTask(task), task]))
  for (const [place, part] of (model.parts ?? []).entries()) {
    const root = await getReadModel(context, part.place)
    const renumber = (task: number): number =>
      numbers.get(mapTask(part.model.getTask(task), sources[place]?.map.tasks)) ?? 0
    for await (const tasks of readCounting(context, part.place, root, part.model, 'task_index'))
      yield Float64Array.from(tasks as Float64Array, renumber)
  }
}
