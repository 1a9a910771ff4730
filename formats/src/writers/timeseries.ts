import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ArrowFile } from '../containers/parquet/arrow.ts'
import { createParquetWriter, type FieldValues } from '../containers/parquet/writer.ts'
import type { Block, Dataset, Episode, Values } from '../dataset.ts'
import { FormatError } from '../errors.ts'
import { type ColumnFeature, type Feature, isColumn, isNumericDtype, type NumericArray } from '../feature.ts'
import { requireEmptyFolder } from './empty-folder.ts'
import { describeFields } from './lerobot-v3/schema.ts'
import { countRowBytes } from './row-bytes.ts'
import { listSidecarLosses } from './sidecar-losses.ts'
import type { Loss, WriteOptions, WriteReport, Writer, WrittenFile } from './writer.ts'

/** The numbers and texts of one episode as one file: what plots and notebooks want, without pictures. */

export type TimeseriesFormat = 'parquet' | 'arrow'

const frameIndex: ColumnFeature = { kind: 'column', name: 'frame_index', dtype: 'int64', shape: [1], names: null }
const timestamp: ColumnFeature = { kind: 'column', name: 'timestamp', dtype: 'float32', shape: [1], names: null }
/** An Arrow file is put together in memory. */
const maxArrowBytes = 256 * 1024 * 1024

/** Writes the episode at `position`; the file's size in bytes. */
export async function writeTimeseries(
  dataset: Dataset,
  position: number,
  path: string,
  format: TimeseriesFormat,
  { signal }: WriteOptions = {},
): Promise<number> {
  const columns = [timestamp, frameIndex, ...dataset.features.filter(isColumn).filter(isWritten)]
  const blocks = readColumns(dataset, dataset.getEpisode(position), columns, signal)
  if (format === 'parquet') return writeParquet(path, columns, blocks)
  const file = new ArrowFile(columns)
  let sizeBytes = 0
  for await (const { rowCount, values } of blocks) {
    for (const entry of values) sizeBytes += ArrayBuffer.isView(entry) ? entry.byteLength : entry.length * 16
    if (sizeBytes > maxArrowBytes)
      throw new FormatError('limit_exceeded', `Episode ${position} is too long for one Arrow file; use Parquet.`)
    file.addRows(rowCount, values)
  }
  const bytes = file.finish()
  await writeFile(path, bytes, { flag: 'wx' })
  return bytes.length
}

/** What a file says of each of its columns. */
const columnBytes = { parquet: 90, arrow: 240 } as const
const titles = { parquet: 'Rows as Parquet', arrow: 'Rows as Arrow' } as const

const isWritten = (feature: Feature): boolean =>
  isColumn(feature) && (feature.dtype === 'string' || isNumericDtype(feature.dtype))

const listLosses = (features: readonly Feature[]): Loss[] =>
  features
    .filter((feature) => !isWritten(feature))
    .map(({ name }) => ({ feature: name, reason: 'The file holds numbers and texts only.' }))

/** A writer of one file per episode. */
export function createTimeseriesWriter(format: TimeseriesFormat): Writer {
  const write = async (dataset: Dataset, folder: string, options: WriteOptions = {}): Promise<WriteReport> => {
    await requireEmptyFolder(folder)
    const files: WrittenFile[] = []
    for (let position = 0; position < dataset.episodeCount; position++) {
      options.signal?.throwIfAborted()
      const path = `episode_${String(position).padStart(6, '0')}.${format}`
      await writeTimeseries(dataset, position, join(folder, path), format, options)
      files.push({ path, sizeBytes: (await stat(join(folder, path))).size })
      options.onProgress?.({ phase: 'episodes', done: position + 1, total: dataset.episodeCount })
    }
    const { episodeCount, frameCount, findings } = dataset
    const losses = [...listLosses(dataset.features), ...listSidecarLosses(dataset)]
    return { episodeCount, frameCount, files, findings, losses }
  }
  return {
    name: `timeseries-${format}`,
    title: titles[format],
    readers: 'Notebooks and plots: pandas, polars, DuckDB, pyarrow.',
    options: {},
    listLosses,
    listOtherLosses: listSidecarLosses,
    estimate: ({ features, episodeCount, frameCount }) => {
      const columns = [timestamp, frameIndex, ...features.filter(isWritten)]
      const rows = frameCount * countRowBytes(columns)
      return { sizeBytes: rows + episodeCount * columns.length * columnBytes[format], fileCount: episodeCount }
    },
    write,
  }
}

interface Rows {
  readonly rowCount: number
  readonly values: readonly Values[]
}

async function* readColumns(
  dataset: Dataset,
  episode: Episode,
  columns: readonly ColumnFeature[],
  signal: AbortSignal | undefined,
): AsyncGenerator<Rows> {
  const names = columns.map(({ name }) => name)
  for await (const block of episode.readBlocks({ columns: names, ...(signal && { signal }) })) {
    yield { rowCount: block.frameCount, values: columns.map((column) => takeColumn(column, block, dataset.fps)) }
  }
}

function takeColumn(column: ColumnFeature, { startFrame, frameCount, columns }: Block, fps: number): Values {
  if (column === frameIndex) return BigInt64Array.from({ length: frameCount }, (_, row) => BigInt(startFrame + row))
  if (column === timestamp) return Float32Array.from({ length: frameCount }, (_, row) => (startFrame + row) / fps)
  return columns.get(column.name) as Values
}

async function writeParquet(
  path: string,
  columns: readonly ColumnFeature[],
  blocks: AsyncIterable<Rows>,
): Promise<number> {
  const writer = await createParquetWriter(path, describeFields(columns))
  try {
    for await (const { rowCount, values } of blocks) {
      const fields = columns.map(
        ({ dtype, shape }, index): FieldValues =>
          dtype === 'string'
            ? { rows: values[index] as readonly string[] }
            : { shape, numbers: values[index] as NumericArray },
      )
      await writer.writeRows(rowCount, fields)
    }
    return await writer.finish()
  } catch (error) {
    await writer.abandon()
    throw error
  }
}
