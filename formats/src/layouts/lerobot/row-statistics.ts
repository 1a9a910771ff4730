import type { ColumnRequest, ParquetReader } from '../../containers/parquet/parquet.ts'
import { createdBy } from '../../containers/parquet/writer.ts'
import { type ColumnFeature, countValues, isNumericDtype, type NumericArray } from '../../feature.ts'
import type { FileTree } from '../../file-tree.ts'
import { listNumbers, toDoubles } from '../../statistics/doubles.ts'
import { countDimensions, type FeatureStatistics } from '../../statistics/episode.ts'
import { type QuantileName, quantileNames } from '../../statistics/quantiles.ts'
import { bookkeeping } from './info.ts'

const keys = ['min', 'max', 'mean', 'std', ...quantileNames] as const

interface KnownRow {
  readonly episodeIndex: number
  readonly length: number
  /** By column and statistic, in the order that they were asked for. */
  readonly values: readonly Float64Array[]
}

/** The statistics of each episode in a table that this library wrote, read along with the episodes; a jump backwards starts anew. */
export class RowStatisticsReader {
  readonly #tree: FileTree
  readonly #reader: ParquetReader
  readonly #columns: readonly ColumnFeature[]
  #stream: AsyncGenerator<KnownRow> | undefined
  #reached = -1

  constructor(tree: FileTree, reader: ParquetReader, columns: readonly ColumnFeature[]) {
    this.#tree = tree
    this.#reader = reader
    const own = bookkeeping.map(
      (name): ColumnFeature => ({ kind: 'column', name, dtype: 'float64', shape: [1], names: null }),
    )
    this.#columns = [...columns.filter(({ dtype }) => isNumericDtype(dtype)), ...own]
  }

  async find(episodeIndex: number): Promise<ReadonlyMap<string, FeatureStatistics> | undefined> {
    if (this.#stream && this.#reached >= episodeIndex) await this.close()
    this.#stream ??= this.#open()
    for (let { value, done } = await this.#stream.next(); !done; { value, done } = await this.#stream.next()) {
      const row = value as KnownRow
      this.#reached = Math.max(this.#reached, row.episodeIndex)
      if (row.episodeIndex === episodeIndex) return this.#describe(row)
    }
    return undefined
  }

  async close(): Promise<void> {
    await this.#stream?.return(undefined)
    this.#stream = undefined
    this.#reached = -1
  }

  async *#open(): AsyncGenerator<KnownRow> {
    for (const { path } of await this.#tree.list('meta/episodes')) {
      if (!path.endsWith('.parquet')) continue
      const absolute = await this.#tree.locate(path)
      const footer = await this.#reader.readFooter(absolute)
      const requests: ColumnRequest[] = this.#columns.flatMap((column) =>
        keys.map((key) => ({
          name: `stats/${column.name}/${key}`,
          dtype: 'float64',
          shape: [countDimensions(column)],
          isList: true,
        })),
      )
      const names = new Set(footer.columns.map(({ name }) => name))
      if (footer.createdBy !== createdBy || !requests.every(({ name }) => names.has(name))) return
      const numbers: ColumnRequest[] = ['episode_index', 'length'].map((name) => ({ name, dtype: 'int64', shape: [1] }))
      for await (const chunk of this.#reader.scan(absolute, [...numbers, ...requests])) {
        const [episodes, lengths, ...columns] = chunk.columns.map((column) => toDoubles(column as NumericArray))
        for (let row = 0; row < chunk.rowCount; row++) {
          const cut = (column: Float64Array) => {
            const width = column.length / chunk.rowCount
            return column.subarray(row * width, (row + 1) * width)
          }
          yield { episodeIndex: episodes?.[row] ?? -1, length: lengths?.[row] ?? 0, values: columns.map(cut) }
        }
      }
    }
  }

  #describe({ length, values }: KnownRow): ReadonlyMap<string, FeatureStatistics> {
    const described = new Map<string, FeatureStatistics>()
    for (const [place, column] of this.#columns.entries()) {
      const take = (key: (typeof keys)[number]) => values[place * keys.length + keys.indexOf(key)] as Float64Array
      const dimensionCount = countDimensions(column)
      const valueCount = (length * countValues(column.shape)) / dimensionCount
      const moments = {
        frameCount: length,
        valueCount: new Float64Array(dimensionCount).fill(valueCount),
        min: take('min'),
        max: take('max'),
        mean: take('mean'),
        squares: take('std').map((deviation) => deviation * deviation * valueCount),
        notFiniteCount: 0,
      }
      const quantiles = Object.fromEntries(quantileNames.map((name) => [name, listNumbers(take(name))]))
      described.set(column.name, { moments, quantiles: quantiles as Record<QuantileName, number[]>, isExact: true })
    }
    return described
  }
}
