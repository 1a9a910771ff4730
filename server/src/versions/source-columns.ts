import { dirname } from 'node:path'
import { openParquetReader } from '@nmp/formats/containers/parquet'
import { arrayTypes, countValues, isNumericDtype, type NumericArray, type NumericDtype } from '@nmp/formats/feature'
import type { Context } from '../context.ts'
import type { FeatureEntry } from '../datasets/read-model/manifest.ts'
import type { ReadModel } from '../datasets/read-model/model.ts'
import type { Revision } from '../datasets/service.ts'
import { getLocalFile } from '../media/local-files.ts'
import { findBlob } from '../storage/blobs.ts'

/** Columns of numbers that previews compute on, kept while people try recipes. */
const KEPT_BYTES = 128 * 1024 * 1024
/** A longer column is not held in memory. */
const LONGEST_BYTES = 48 * 1024 * 1024

const bookkeeping = new Set(['timestamp', 'frame_index', 'episode_index', 'index', 'task_index'])

export const listNumericFeatures = ({ manifest }: ReadModel): (FeatureEntry & { dtype: NumericDtype })[] =>
  manifest.features.flatMap((feature) =>
    isNumericDtype(feature.dtype) && !bookkeeping.has(feature.name) ? [{ ...feature, dtype: feature.dtype }] : [],
  )

export const fitsInMemory = (model: ReadModel, { dtype, shape }: { dtype: NumericDtype; shape: number[] }): boolean =>
  model.manifest.total_frames * countValues(shape) * arrayTypes[dtype].BYTES_PER_ELEMENT <= LONGEST_BYTES

const caches = new WeakMap<Context, Map<string, Promise<NumericArray>>>()

/** Every row of a feature, in the order of the rows: episode i lies from `fromIndex` on. */
export function getColumn(
  context: Context,
  revision: Revision,
  model: ReadModel,
  feature: FeatureEntry & { dtype: NumericDtype },
): Promise<NumericArray> {
  const cache = caches.get(context) ?? new Map<string, Promise<NumericArray>>()
  caches.set(context, cache)
  const key = `${revision.readModelDigest} ${feature.name}`
  const known = cache.get(key)
  cache.delete(key)
  const column = known ?? readColumn(context, revision, model, feature)
  cache.set(key, column)
  if (!known)
    void column.then(
      () => trim(cache),
      () => cache.delete(key),
    )
  return column
}

async function trim(cache: Map<string, Promise<NumericArray>>): Promise<void> {
  let total = 0
  for (const [key, column] of [...cache].reverse()) {
    const { byteLength } = await column.catch(() => new Uint8Array(0))
    total += byteLength
    if (total > KEPT_BYTES) cache.delete(key)
  }
}

async function readColumn(
  context: Context,
  { id, orgId }: Revision,
  { manifest }: ReadModel,
  { name, dtype, shape }: FeatureEntry & { dtype: NumericDtype },
): Promise<NumericArray> {
  const width = countValues(shape)
  const column = new arrayTypes[dtype](manifest.total_frames * width)
  let filled = 0
  for (const file of manifest.data_files) {
    const blob = await findBlob(context.db, { kind: 'revision', id, orgId }, `dataset/${file}`)
    if (!blob) throw new Error(`${file} of revision ${id} is not stored`)
    const path = await getLocalFile(context, blob)
    await using reader = await openParquetReader(dirname(path))
    const isList = ((await reader.findColumns(path)).find((stored) => stored.name === name)?.listDepth ?? 0) > 0
    for await (const chunk of reader.scan(path, [{ name, dtype, shape, isList }])) {
      column.set(chunk.columns[0] as never, filled)
      filled += chunk.rowCount * width
    }
  }
  if (filled !== column.length)
    throw new Error(`${name} of revision ${id} has ${filled} values instead of ${column.length}`)
  return column
}
