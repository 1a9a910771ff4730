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

/** Columns whose values take no more together are held and sorted at once, one reading for all of them. */
const heldBytes = 48 * 1024 ** 2

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
  const quantiles = new Map<string, Quantiles>()
  let [areFinite, done] = [true, 0]
  for (const batch of splitColumns(columns, frameCount)) {
    const held = HeldValues.create(batch, frameCount)
    const found = held ? await hold(held, batch, read(batch)) : await search(batch, () => read(batch))
    for (const [name, values] of found.quantiles) quantiles.set(name, values)
    areFinite &&= found.areFinite
    done += batch.length
    onProgress?.({ phase: 'statistics', done, total: columns.length })
  }
  return { quantiles, areFinite }
}

interface Found {
  readonly quantiles: ReadonlyMap<string, Quantiles>
  readonly areFinite: boolean
}

/** Columns that are held together, in their order; one that is too large for that comes alone. */
function splitColumns(columns: readonly ColumnFeature[], frameCount: number): ColumnFeature[][] {
  const batches: ColumnFeature[][] = []
  let freeBytes = 0
  for (const column of columns) {
    const bytes = countFrameBytes(column) * frameCount
    if (bytes > freeBytes) {
      batches.push([])
      freeBytes = heldBytes
    }
    batches.at(-1)?.push(column)
    freeBytes = bytes > heldBytes ? 0 : freeBytes - bytes
  }
  return batches
}

async function hold(
  held: HeldValues,
  columns: readonly ColumnFeature[],
  blocks: AsyncIterable<NumericArray[]>,
): Promise<Found> {
  for await (const block of blocks)
    for (const [place, values] of block.entries()) held.add((columns[place] as ColumnFeature).name, values)
  return held.find()
}

/** Of one column, which is read several times. */
async function search(columns: readonly ColumnFeature[], read: () => AsyncIterable<NumericArray[]>): Promise<Found> {
  const [column] = columns as [ColumnFeature]
  let areFinite = true
  const readColumn = async function* () {
    for await (const [values] of read()) {
      areFinite &&= isFiniteBlock(values as NumericArray)
      yield values as NumericArray
    }
  }
  const rows = await findExactQuantiles(readColumn, countDimensions(column), probabilities)
  return { quantiles: new Map([[column.name, nameRows(rows)]]), areFinite }
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

/** The values of whole columns, one reading for all, or as they pass on their way to the files. */
export class HeldValues {
  readonly #columns: ReadonlyMap<string, Dimensions>

  private constructor(columns: ReadonlyMap<string, Dimensions>) {
    this.#columns = columns
  }

  /** Undefined where they do not fit in memory. */
  static create(columns: readonly ColumnFeature[], frameCount: number): HeldValues | undefined {
    const frameBytes = columns.reduce((sum, column) => sum + countFrameBytes(column), 0)
    if (frameBytes * frameCount > heldBytes) return undefined
    const open = (column: ColumnFeature) => new Dimensions(column, countValues(column.shape) * frameCount)
    return new HeldValues(new Map(columns.map((column) => [column.name, open(column)])))
  }

  /** Of a column that is not held nothing is kept. */
  add(name: string, values: NumericArray): void {
    this.#columns.get(name)?.add(values)
  }

  find(): { quantiles: Map<string, Quantiles>; areFinite: boolean } {
    const quantiles = new Map<string, Quantiles>()
    for (const [name, dimensions] of this.#columns) {
      const rows = dimensions.list().map(({ values, ...found }) => selectQuantiles(values, found, probabilities))
      quantiles.set(name, nameRows(rows))
    }
    return { quantiles, areFinite: this.#columns.values().every(({ areFinite }) => areFinite) }
  }
}

const chooseArray = ({ dtype }: ColumnFeature) => (dtype === 'float32' ? Float32Array : Float64Array)
const countFrameBytes = (column: ColumnFeature): number =>
  countValues(column.shape) * chooseArray(column).BYTES_PER_ELEMENT

/** Each dimension of a column as it follows row after row, and what of it is finite. */
class Dimensions {
  areFinite = true
  readonly #count: number
  readonly #values: readonly (Float32Array | Float64Array)[]
  readonly #found: readonly { count: number; min: number; max: number }[]
  #filled = 0

  constructor(column: ColumnFeature, valueCount: number) {
    const count = countDimensions(column)
    const Held = chooseArray(column)
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
