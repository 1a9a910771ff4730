import { join } from 'node:path'
import { openParquetReader } from '../containers/parquet.ts'
import { FormatError } from '../errors.ts'
import type { ColumnFeature, NumericArray } from '../feature.ts'
import { countDimensions } from '../statistics/episode.ts'
import { findExactQuantiles, QUANTILE_NAMES, QUANTILES, type QuantileName } from '../statistics/quantiles.ts'
import type { WriteOptions } from './writer.ts'

/** Exact quantiles of the whole dataset, from the data files as they lie on disk: this is also the read-back of every number. */
export async function findDatasetQuantiles(
  folder: string,
  files: readonly string[],
  columns: readonly ColumnFeature[],
  frameCount: number,
  { signal, onProgress }: WriteOptions,
): Promise<Map<string, Record<QuantileName, number[]>>> {
  await using reader = await openParquetReader(folder)
  const results = new Map<string, Record<QuantileName, number[]>>()
  for (const [index, { name, dtype, shape }] of columns.entries()) {
    const read = async function* (): AsyncGenerator<NumericArray> {
      let rowCount = 0
      for (const file of files) {
        const path = join(folder, file)
        const isList = ((await reader.findColumns(path)).find((column) => column.name === name)?.listDepth ?? 0) > 0
        for await (const chunk of reader.scan(path, [{ name, dtype, shape, isList }], { signal })) {
          rowCount += chunk.rowCount
          yield chunk.columns[0] as NumericArray
        }
      }
      if (rowCount !== frameCount)
        throw new FormatError('container_invalid', `${name} has ${rowCount} rows on disk instead of ${frameCount}.`)
    }
    const rows = await findExactQuantiles(
      read,
      countDimensions({ shape }),
      QUANTILE_NAMES.map((quantile) => QUANTILES[quantile]),
    )
    const byName = QUANTILE_NAMES.map((quantile, place) => [quantile, rows.map((row) => row[place] as number)] as const)
    results.set(name, Object.fromEntries(byName) as Record<QuantileName, number[]>)
    onProgress?.({ phase: 'statistics', done: index + 1, total: columns.length })
  }
  return results
}
