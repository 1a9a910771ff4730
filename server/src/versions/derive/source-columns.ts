import { dirname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { arrayTypes, countValues, isNumericDtype, type NumericArray, type NumericDtype } from '@nmp/formats/feature'
import { createLimiter } from '@nmp/formats/limiter'
import { openParquetReader } from '@nmp/formats/parquet'
import { DimensionSurvey } from '@nmp/formats/statistics/dimension-survey'
import { toDoubles } from '@nmp/formats/statistics/doubles'
import { countDimensions } from '@nmp/formats/statistics/episode'
import type { Context } from '../../context.ts'
import type { ReadModelPlace } from '../../datasets/read-model/cache.ts'
import type { FeatureEntry } from '../../datasets/read-model/manifest.ts'
import type { ReadModel } from '../../datasets/read-model/model.ts'
import { locateFiles } from '../../datasets/revision-content.ts'
import { getStoredFile } from '../../datasets/stored-files.ts'
import { getLocalFile } from '../../media/local-files.ts'
import { type OrderedColumn, orderColumn } from './ordered-column.ts'

/** Columns of numbers that previews compute on, kept while people try recipes. */
const keptBytes = 256 * 1024 * 1024
/** A longer column is not held in memory. */
const longestBytes = 48 * 1024 * 1024
/** Columns that are read at a time, whoever asks: each has its memory, and of files of strangers a process of its own. */
const reading = createLimiter(2)

const bookkeeping = new Set(['timestamp', 'frame_index', 'episode_index', 'index', 'task_index'])

export const listNumericFeatures = (features: readonly FeatureEntry[]): (FeatureEntry & { dtype: NumericDtype })[] =>
  features.flatMap((feature) =>
    isNumericDtype(feature.dtype) && !bookkeeping.has(feature.name) ? [{ ...feature, dtype: feature.dtype }] : [],
  )

export const fitsInMemory = (model: ReadModel, { dtype, shape }: { dtype: NumericDtype; shape: number[] }): boolean =>
  model.manifest.total_frames * countValues(shape) * arrayTypes[dtype].BYTES_PER_ELEMENT <= longestBytes

interface Kept<T> {
  thing: Promise<T>
  sizeBytes: number
}

const caches = new WeakMap<Context, Map<string, Kept<unknown>>>()

/** From memory, or made once however many ask; least recently used out first. */
function keep<T>(context: Context, key: string, sizeBytes: number, make: () => Promise<T>): Promise<T> {
  const cache = caches.get(context) ?? new Map<string, Kept<unknown>>()
  caches.set(context, cache)
  const known = cache.get(key) as Kept<T> | undefined
  cache.delete(key)
  const entry = known ?? { thing: make(), sizeBytes }
  cache.set(key, entry)
  if (!known) entry.thing.catch(() => cache.delete(key))
  let total = 0
  for (const [other, { sizeBytes: bytes }] of [...cache].reverse()) {
    total += bytes
    if (total > keptBytes && other !== key) cache.delete(other)
  }
  return entry.thing
}

type NumericFeature = FeatureEntry & { dtype: NumericDtype }

/** Every row of a feature, in the order of the rows: episode i lies from `fromIndex` on. */
export function getColumn(
  context: Context,
  revision: ReadModelPlace,
  model: ReadModel,
  feature: NumericFeature,
): Promise<NumericArray> {
  const values = model.manifest.total_frames * countValues(feature.shape)
  const sizeBytes = values * arrayTypes[feature.dtype].BYTES_PER_ELEMENT
  const make = () => reading.run(() => readColumn(context, revision, model, feature))
  return keep(context, `rows ${revision.readModelDigest} ${feature.name}`, sizeBytes, make)
}

/** The same, in order of its values: what selections are measured on. */
export function getOrderedColumn(
  context: Context,
  revision: ReadModelPlace,
  model: ReadModel,
  feature: NumericFeature,
): Promise<OrderedColumn> {
  const values = model.manifest.total_frames * countValues(feature.shape)
  const make = async () =>
    orderColumn(model, await getColumn(context, revision, model, feature), countDimensions(feature))
  return keep(context, `order ${revision.readModelDigest} ${feature.name}`, values * 12, make)
}

/** Rows that are looked at before other requests get their turn. */
const surveyedRows = 65_536

/** Dimensions that have two to eight values in all rows of a vector. */
export function getSwitches(
  context: Context,
  revision: ReadModelPlace,
  model: ReadModel,
  feature: NumericFeature,
): Promise<number[]> {
  const make = async () => {
    const column = await getColumn(context, revision, model, feature)
    const survey = new DimensionSurvey(countValues(feature.shape))
    const step = surveyedRows * survey.width
    for (let from = 0; from < column.length; from += step) {
      survey.add(toDoubles(column.subarray(from, from + step)))
      await setImmediate()
    }
    return survey.listSwitches()
  }
  return keep(context, `switches ${revision.readModelDigest} ${feature.name}`, 1024, make)
}

async function readColumn(
  context: Context,
  revision: ReadModelPlace,
  { manifest }: ReadModel,
  { name, dtype, shape }: FeatureEntry & { dtype: NumericDtype },
): Promise<NumericArray> {
  const width = countValues(shape)
  // Shared with the threads that previews are measured in.
  const Values = arrayTypes[dtype] as new (memory: SharedArrayBuffer) => NumericArray
  const column = new Values(new SharedArrayBuffer(manifest.total_frames * width * arrayTypes[dtype].BYTES_PER_ELEMENT))
  let filled = 0
  for (const file of manifest.data_files) {
    const path = await getLocalFile(context, await getStoredFile(context.db, locateFiles(revision), file))
    await using reader = await openParquetReader(dirname(path), { only: path })
    const isList = ((await reader.findColumns(path)).find((stored) => stored.name === name)?.listDepth ?? 0) > 0
    for await (const chunk of reader.scan(path, [{ name, dtype, shape, isList }])) {
      column.set(chunk.columns[0] as never, filled)
      filled += chunk.rowCount * width
    }
  }
  if (filled !== column.length)
    throw new Error(`${name} of revision ${revision.id} has ${filled} values instead of ${column.length}`)
  return column
}
