import { setImmediate } from 'node:timers/promises'
import type { Dataset } from '@nmp/formats/dataset'
import { type ColumnFeature, countValues, isNumericDtype, type NumericArray } from '@nmp/formats/feature'
import { isObject, type JsonObject } from '@nmp/formats/json'
import { createLimiter } from '@nmp/formats/limiter'
import { countDimensions, presentStatistics } from '@nmp/formats/statistics/episode'
import { addValues, createMoments, mergeMoments } from '@nmp/formats/statistics/moments'
import { findExactQuantiles, type QuantileName, quantileLevels, quantileNames } from '@nmp/formats/statistics/quantiles'
import type { Context } from '../../context.ts'
import { getReadModel, type ReadModelPlace } from '../../datasets/read-model/cache.ts'
import { isChanged } from '../../datasets/read-model/derivation.ts'
import type { ReadModel } from '../../datasets/read-model/model.ts'
import { measureCameras } from './derived-cameras.ts'
import { countingColumns, readCounting } from './derived-counting.ts'
import { openDerivedDataset } from './derived-dataset.ts'
import { measureSelection } from './ordered-column.ts'
import { pickStatistics } from './picked-statistics.ts'
import { fitsInMemory, getOrderedColumn } from './source-columns.ts'

/** Each may read every number of the source. */
export const measuring = createLimiter(1)
const probabilities = quantileNames.map((name) => quantileLevels[name])

/**
 * LeRobot's meta/stats.json as the export will have it, exact and over every row. A camera whose frames are yet to be encoded has null:
 * its numbers are of what the encoder will leave.
 */
export const measureFeatures = (
  context: Context,
  stored: ReadModelPlace,
  model: ReadModel,
): Promise<Record<string, JsonObject | null>> =>
  measuring.run(async () => {
    const source = await getReadModel(context, stored)
    const cameras = await measureCameras(context, stored, source, model)
    await using dataset = await openDerivedDataset(context, stored, model)
    const results: [string, JsonObject | null][] = []
    for (const { name, dtype, shape, names } of [...model.manifest.features, ...countingColumns]) {
      if (cameras.has(name)) results.push([name, cameras.get(name) ?? null])
      if (!isNumericDtype(dtype)) continue
      const feature = { kind: 'column', name, dtype, shape, names } as const
      results.push([name, await measureColumn(context, { stored, source, model, dataset }, feature)])
    }
    return Object.fromEntries(results)
  })

interface Derived {
  stored: ReadModelPlace
  /** Of what is stored. */
  source: ReadModel
  /** Of the version. */
  model: ReadModel
  dataset: Dataset
}

async function measureColumn(
  context: Context,
  { stored, source, model, dataset }: Derived,
  feature: ColumnFeature,
): Promise<JsonObject> {
  const { name, dtype } = feature
  const column = model.derivation?.columns.get(name)
  const known = source.manifest.feature_statistics[column?.name ?? name]
  if (isObject(known) && isKept(source, model, name)) return pickStatistics(known, column) as JsonObject
  const isCounting = countingColumns.some((column) => column.name === name)
  const read = isCounting ? () => readCounting(context, stored, source, model, name) : () => readColumn(dataset, name)
  const isRecorded = !isCounting && !isChanged(model.derivation, name)
  const shape = [...(column?.shape ?? feature.shape)]
  const entry = { name: column?.name ?? name, dtype, shape, names: null }
  const isWhole = !model.derivation?.frames.size
  if (isRecorded && isWhole && isNumericDtype(dtype) && fitsInMemory(source, { dtype, shape })) {
    const ordered = await getOrderedColumn(context, stored, source, { ...entry, dtype })
    const episodes = model.derivation?.storedIndex ?? new Uint32Array()
    const { moments, quantiles } = measureSelection(ordered, episodes, source.episodeCount)
    return toJson(pickStatistics(presentStatistics(moments, quantiles), column))
  }
  return measureRows(read, feature)
}

/** Whether every row of the column is as the source has it. */
function isKept(source: ReadModel, model: ReadModel, name: string): boolean {
  if (model.episodeCount !== source.episodeCount || model.derivation?.frames.size) return false
  if (isChanged(model.derivation, name)) return false
  return name !== 'task_index' || model.columns.taskIds === source.columns.taskIds
}

export async function* readColumn(dataset: Dataset, name: string): AsyncGenerator<NumericArray> {
  for (let position = 0; position < dataset.episodeCount; position++)
    for await (const { columns } of dataset.getEpisode(position).readBlocks({ columns: [name] }))
      yield columns.get(name) as NumericArray
}

export async function measureRows(
  read: () => AsyncIterable<NumericArray>,
  feature: ColumnFeature,
): Promise<JsonObject> {
  const dimensionCount = countDimensions(feature)
  const width = countValues(feature.shape)
  const moments = createMoments(dimensionCount)
  for await (const values of read()) {
    const part = createMoments(dimensionCount)
    addValues(part, values, values.length / width)
    mergeMoments(moments, part)
  }
  const rows = await findExactQuantiles(read, dimensionCount, probabilities)
  await setImmediate()
  const quantiles = quantileNames.map((name, place) => [name, rows.map((row) => row[place] as number)] as const)
  return toJson(presentStatistics(moments, Object.fromEntries(quantiles) as Record<QuantileName, number[]>))
}

const toJson = (statistics: Record<string, readonly number[]>): JsonObject =>
  Object.fromEntries(Object.entries(statistics).map(([key, values]) => [key, [...values]]))
