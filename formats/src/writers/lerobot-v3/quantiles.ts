import { join } from 'node:path'
import { openParquetReader, type ParquetReader } from '../../containers/parquet/parquet.ts'
import { FormatError } from '../../errors.ts'
import { type ColumnFeature, countValues, type NumericArray } from '../../feature.ts'
import { countDimensions } from '../../statistics/episode.ts'
import {
  findExactQuantiles,
  type QuantileName,
  quantileLevels,
  quantileNames,
  quantileOfSorted,
} from '../../statistics/quantiles.ts'
import { sortDimensions } from '../../statistics/sorting.ts'
import type { WriteOptions } from '../writer.ts'

type Quantiles = Record<QuantileName, number[]>

/** Values of all columns together that are held and sorted at once: 32 MB of doubles at most. */
const heldValues = 4_000_000

const probabilities = quantileNames.map((quantile) => quantileLevels[quantile])

/** Exact quantiles of the whole dataset, from the data files as they lie on disk: this is also the read-back of every number. */
export async function findDatasetQuantiles(
  folder: string,
  files: readonly string[],
  columns: readonly ColumnFeature[],
  frameCount: number,
  { signal, onProgress }: WriteOptions,
): Promise<Map<string, Quantiles>> {
  await using reader = await openParquetReader(folder)
  const read = (wanted: readonly ColumnFeature[]) => readBack(reader, { folder, files, frameCount }, wanted, signal)
  const valueCount = columns.reduce((sum, { shape }) => sum + countValues(shape), 0) * frameCount
  if (valueCount <= heldValues) return await sortColumns(columns, read(columns))
  const results = new Map<string, Quantiles>()
  for (const [index, column] of columns.entries()) {
    const readColumn = async function* () {
      for await (const [values] of read([column])) yield values as NumericArray
    }
    results.set(column.name, nameRows(await findExactQuantiles(readColumn, countDimensions(column), probabilities)))
    onProgress?.({ phase: 'statistics', done: index + 1, total: columns.length })
  }
  return results
}

/** Blocks of the wanted columns, all files in order; refuses when a row is missing. */
async function* readBack(
  reader: ParquetReader,
  { folder, files, frameCount }: { folder: string; files: readonly string[]; frameCount: number },
  columns: readonly ColumnFeature[],
  signal: AbortSignal | undefined,
): AsyncGenerator<NumericArray[]> {
  let rowCount = 0
  for (const file of files) {
    const path = join(folder, file)
    const stored = new Map((await reader.findColumns(path)).map((column) => [column.name, column]))
    const requests = columns.map(({ name, dtype, shape }) => {
      return { name, dtype, shape, isList: (stored.get(name)?.listDepth ?? 0) > 0 }
    })
    for await (const chunk of reader.scan(path, requests, { signal })) {
      rowCount += chunk.rowCount
      yield chunk.columns as NumericArray[]
    }
  }
  if (rowCount === frameCount) return
  throw new FormatError('container_invalid', `The data files have ${rowCount} rows on disk instead of ${frameCount}.`)
}

/** One reading for all columns, where their values fit in memory. */
async function sortColumns(
  columns: readonly ColumnFeature[],
  blocks: AsyncIterable<NumericArray[]>,
): Promise<Map<string, Quantiles>> {
  const held = columns.map((): NumericArray[] => [])
  for await (const block of blocks) for (const [place, values] of block.entries()) held[place]?.push(values)
  const entries = columns.map((column, place): [string, Quantiles] => {
    const sorted = sortDimensions(held[place] ?? [], countDimensions(column))
    const rows = sorted.map((values) => probabilities.map((probability) => quantileOfSorted(values, probability)))
    return [column.name, nameRows([...rows])]
  })
  return new Map(entries)
}

const nameRows = (rows: readonly number[][]): Quantiles =>
  Object.fromEntries(
    quantileNames.map((quantile, place) => [quantile, rows.map((row) => row[place] as number)]),
  ) as Quantiles
