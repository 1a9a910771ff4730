import { join } from 'node:path'
import { openParquetReader, type ParquetReader } from '../../containers/parquet/parquet.ts'
import { FormatError } from '../../errors.ts'
import { type ColumnFeature, countValues, type NumericArray } from '../../feature.ts'
import { viewAsDoubles } from '../../statistics/doubles.ts'
import { countDimensions } from '../../statistics/episode.ts'
import { findExactQuantiles, type QuantileName, quantileLevels, quantileNames } from '../../statistics/quantiles.ts'
import { selectQuantiles } from '../../statistics/selection.ts'
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
): Promise<{ quantiles: Map<string, Quantiles>; areFinite: boolean }> {
  await using reader = await openParquetReader(folder)
  const read = (wanted: readonly ColumnFeature[]) => readBack(reader, { folder, files, frameCount }, wanted, signal)
  const valueCount = columns.reduce((sum, { shape }) => sum + countValues(shape), 0) * frameCount
  if (valueCount <= heldValues)
    return await selectColumns(columns, read(columns), ({ shape }) => countValues(shape) * frameCount)
  const quantiles = new Map<string, Quantiles>()
  let areFinite = true
  for (const [index, column] of columns.entries()) {
    const readColumn = async function* () {
      for await (const [values] of read([column])) {
        areFinite &&= isFiniteBlock(values as NumericArray)
        yield values as NumericArray
      }
    }
    quantiles.set(column.name, nameRows(await findExactQuantiles(readColumn, countDimensions(column), probabilities)))
    onProgress?.({ phase: 'statistics', done: index + 1, total: columns.length })
  }
  return { quantiles, areFinite }
}

/** Nothing times nothing is nothing, unless it was not finite. */
function isFiniteBlock(values: NumericArray): boolean {
  if (!(values instanceof Float32Array || values instanceof Float64Array)) return true
  let nothing = 0
  for (let at = 0; at < values.length; at++) nothing += (values[at] as number) * 0
  return nothing === 0
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
async function selectColumns(
  columns: readonly ColumnFeature[],
  blocks: AsyncIterable<NumericArray[]>,
  valuesOf: (column: ColumnFeature) => number,
): Promise<{ quantiles: Map<string, Quantiles>; areFinite: boolean }> {
  const held = columns.map((column) => new Dimensions(column, valuesOf(column)))
  for await (const block of blocks) for (const [place, values] of block.entries()) held[place]?.add(values)
  const entries = columns.map(({ name }, place): [string, Quantiles] => {
    const rows = (held[place] as Dimensions).list().map(({ values, ...found }) => {
      return selectQuantiles(values, found, probabilities)
    })
    return [name, nameRows(rows)]
  })
  return { quantiles: new Map(entries), areFinite: held.every(({ areFinite }) => areFinite) }
}

/** Each dimension of a column as it follows row after row, and what of it is finite. */
class Dimensions {
  areFinite = true
  readonly #count: number
  readonly #values: readonly (Float32Array | Float64Array)[]
  readonly #found: readonly { count: number; min: number; max: number }[]
  #filled = 0

  constructor(column: ColumnFeature, valueCount: number) {
    const count = countDimensions(column)
    const Held = column.dtype === 'float32' ? Float32Array : Float64Array
    this.#count = count
    this.#values = Array.from({ length: count }, () => new Held(valueCount / count))
    this.#found = this.#values.map(() => ({ count: 0, min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY }))
  }

  /** Block by block, while it is near: a pass over all rows for every dimension waited for memory. */
  add(block: NumericArray): void {
    const numbers = block instanceof Float32Array ? block : viewAsDoubles(block)
    for (let dimension = 0; dimension < this.#count; dimension++) {
      const into = this.#values[dimension] as Float32Array | Float64Array
      const found = this.#found[dimension] as { count: number; min: number; max: number }
      let [filled, count, min, max] = [this.#filled, 0, found.min, found.max]
      for (let at = dimension; at < numbers.length; at += this.#count) {
        const value = numbers[at] as number
        into[filled++] = value
        // Nothing times nothing is nothing, unless it was not finite.
        if (value * 0 !== 0) continue
        count++
        if (value < min) min = value
        if (value > max) max = value
      }
      this.areFinite &&= count === filled - this.#filled
      found.count += count
      found.min = min
      found.max = max
    }
    this.#filled += numbers.length / this.#count
  }

  list(): { values: Float32Array | Float64Array; count: number; min: number; max: number }[] {
    return this.#values.map((values, place) => ({
      values: values.subarray(0, this.#filled),
      ...(this.#found[place] as { count: number; min: number; max: number }),
    }))
  }
}

const nameRows = (rows: readonly number[][]): Quantiles =>
  Object.fromEntries(
    quantileNames.map((quantile, place) => [quantile, rows.map((row) => row[place] as number)]),
  ) as Quantiles
