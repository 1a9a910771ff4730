import { realpath } from 'node:fs/promises'
import { sep } from 'node:path'
import { BoundedMap } from '../../bounded-map.ts'
import { type ByteSource, createByteSource, openFile, readAhead } from '../../bytes.ts'
import { FormatError } from '../../errors.ts'
import { parsesHere } from '../child/confinement.ts'
import { type ParquetColumn, type ParquetFooter, readParquetFooter } from './footer.ts'
import { readOwnRecords } from './own-records.ts'
import { type PlainRequest, planPlain, requestNumbers, scanPlain } from './plain.ts'
import type { ColumnRequest, MetadataValue, RowChunk, ScanOptions, Tables } from './table.ts'
import { ChildTables } from './table-child.ts'
import { createdBy } from './writer.ts'

export type { ColumnRequest, MetadataValue, RowChunk, ScanOptions } from './table.ts'

/** Wider features would make a vector of 2048 rows larger than the memory we grant. */
export const maxValuesPerFrame = 16_384

/** Of a table of metadata, a row for each episode or task; more than any dataset has. */
const maxRecords = 5_000_000
const rememberedFiles = 64
const rememberedFooters = 4
const smallFooterChunks = 20_000
/** A file of one episode is read as soon as its footer alone. */
const smallFileBytes = 64 * 1024

export interface ReaderOptions {
  /** The one file that is read, where others in the folder are not to be seen. */
  only?: string
}

/**
 * Reads the Parquet files below one folder and nothing else. What this library wrote it reads itself, as far as it is numbers; everything
 * else is read by DuckDB, in a process that sees nothing but the folder.
 */
export async function openParquetReader(folder: string, options: ReaderOptions = {}): Promise<ParquetReader> {
  return new ParquetReader(folder, options)
}

export class ParquetReader implements AsyncDisposable {
  readonly #folder: string
  /** Opened for the first file that another program wrote, or the first table. */
  #tables: Promise<Tables> | undefined
  readonly #options: ReaderOptions
  readonly #columns = new BoundedMap<string, readonly ParquetColumn[]>(rememberedFiles)
  /** Of the file that was asked for last: one of a thousand episodes takes as long to read as its rows. */
  #footer: { path: string; footer: ParquetFooter } | undefined
  /** Of the last few that are not large: tables are read beside the rows, and several times. */
  readonly #footers = new BoundedMap<string, ParquetFooter>(rememberedFooters)
  /** The file that was asked for last, where it is small: its rows are mostly asked for next. */
  #small: { path: string; source: ByteSource } | undefined
  /** Files that were seen to lie inside the folder. */
  #realFolder: Promise<string> | undefined
  readonly #inside = new BoundedMap<string, boolean>(rememberedFiles)

  constructor(folder: string, options: ReaderOptions) {
    this.#folder = folder
    this.#options = options
  }

  async readFooter(path: string): Promise<ParquetFooter> {
    const known = this.#footer?.path === path ? this.#footer.footer : this.#footers.get(path)
    const footer = known ?? (await this.#openFooter(path))
    this.#footer = { path, footer }
    const chunkCount = footer.rowGroups.length * (footer.rowGroups[0]?.chunks.length ?? 0)
    if (chunkCount <= smallFooterChunks) this.#footers.set(path, footer)
    return footer
  }

  async #openFooter(path: string): Promise<ParquetFooter> {
    await using file = await openFile(path)
    const sizeBytes = await file.length()
    if (sizeBytes > smallFileBytes) return await readParquetFooter(file, this.#hideFolder(path))
    const source = createByteSource(await file.read(0, sizeBytes))
    const footer = await readParquetFooter(source, this.#hideFolder(path))
    this.#small = { path, source }
    return footer
  }

  /** The columns of a file, remembered for the last few files. */
  async findColumns(path: string): Promise<readonly ParquetColumn[]> {
    const known = this.#columns.get(path)
    if (known) return known
    const { columns } = await this.readFooter(path)
    this.#columns.set(path, columns)
    return columns
  }

  /** Rows in file order. Empty values of float columns become NaN; in any other column they are an error. */
  async *scan(path: string, columns: readonly ColumnRequest[], options: ScanOptions = {}): AsyncGenerator<RowChunk> {
    const startRow = yield* this.scanOwn(path, columns, options)
    if (startRow === undefined) return
    // A file is looked at by our own footer reader before DuckDB sees it.
    await this.findColumns(path)
    yield* (await this.#openTables()).scan(path, columns, { ...options, startRow })
  }

  /** Numbers of a file that this library wrote; answers where DuckDB has to go on, or undefined when nothing is left. */
  async *scanOwn(
    path: string,
    columns: readonly ColumnRequest[],
    { startRow = 0, endRow, signal }: ScanOptions = {},
  ): AsyncGenerator<RowChunk, number | undefined> {
    const requests = columns.filter(isPlainRequest)
    const isReadable = requests.length === columns.length && (await this.#liesInside(path))
    const footer = isReadable ? await this.readFooter(path) : undefined
    const planned = footer?.createdBy === createdBy ? planPlain(footer, requests) : undefined
    if (!footer || !planned) return startRow
    const wantedEnd = Math.min(footer.rowCount, endRow ?? footer.rowCount)
    const small = this.#small?.path === path ? this.#small.source : undefined
    await using file = small ? undefined : await openFile(path)
    const source = small ?? readAhead(file as ByteSource)
    const range = { startRow, endRow: wantedEnd, name: this.#hideFolder(path) }
    const rows = scanPlain(source, footer, planned, range)
    for (;;) {
      signal?.throwIfAborted()
      const { value, done } = await rows.next()
      if (done) return value < wantedEnd ? value : undefined
      yield value
    }
  }

  /** How to ask `scanOwn` for columns of numbers of unknown shape; undefined where this library did not write them so. */
  async findOwnNumbers(path: string, names: readonly string[]): Promise<ColumnRequest[] | undefined> {
    const footer = await this.readFooter(path)
    return footer.createdBy === createdBy ? requestNumbers(footer, names) : undefined
  }

  /** What DuckDB would refuse to see, we do not look at either. */
  async #liesInside(path: string): Promise<boolean> {
    const known = this.#inside.get(path)
    if (known !== undefined) return known
    this.#realFolder ??= realpath(this.#folder).catch(() => '')
    const [real, folder] = await Promise.all([realpath(path).catch(() => ''), this.#realFolder])
    const liesInside = folder !== '' && real.startsWith(folder + sep)
    this.#inside.set(path, liesInside)
    return liesInside
  }

  /** Rows of a small, nested metadata table as plain values; columns the file lacks are left out. */
  async *readRecords(path: string, columns: readonly string[]): AsyncGenerator<Record<string, MetadataValue>> {
    const footer = await this.readFooter(path)
    if (footer.rowCount > maxRecords)
      throw new FormatError('limit_exceeded', `${this.#hideFolder(path)} has more than ${maxRecords} rows.`)
    const present = columns.filter((name) => footer.columns.some((column) => column.name === name))
    if (present.length === 0) return
    let left = yield* this.#readOwnRecords(path, footer, present)
    if (left === footer.rowCount) return
    for await (const record of (await this.#openTables()).readRecords(path, present)) if (left-- <= 0) yield record
  }

  /** Answers how many rows it has read: none of a file of another program. */
  async *#readOwnRecords(
    path: string,
    footer: ParquetFooter,
    columns: readonly string[],
  ): AsyncGenerator<Record<string, MetadataValue>, number> {
    if (footer.createdBy !== createdBy || !(await this.#liesInside(path))) return 0
    await using source = await openFile(path)
    return yield* readOwnRecords(readAhead(source), footer, columns, this.#hideFolder(path))
  }

  async close(): Promise<void> {
    const opened = await this.#tables?.catch(() => undefined)
    this.#tables = undefined
    await opened?.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Sentences name files as the dataset does: where it lies on this machine is nobody's business. */
  #hideFolder(text: string): string {
    return text.replaceAll(`${this.#folder}/`, '')
  }

  #openTables(): Promise<Tables> {
    const { only } = this.#options
    this.#tables ??= parsesHere()
      ? import('./duckdb-tables.ts').then(({ openDuckDbTables }) => openDuckDbTables(this.#folder, this))
      : Promise.resolve(new ChildTables(this.#folder, only))
    return this.#tables
  }
}

function isPlainRequest(column: ColumnRequest): column is ColumnRequest & PlainRequest {
  return column.dtype !== 'string' && column.dtype !== 'language'
}
