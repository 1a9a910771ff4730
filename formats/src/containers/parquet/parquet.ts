import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { type DuckDBConnection, type DuckDBDataChunk, DuckDBInstance, type DuckDBResult } from '@duckdb/node-api'
import { BoundedMap } from '../../bounded-map.ts'
import { openFile, readAhead } from '../../bytes.ts'
import type { Values } from '../../dataset.ts'
import { FormatError } from '../../errors.ts'
import { type ColumnFeature, countValues, type NumericArray, type NumericDtype } from '../../feature.ts'
import { parseJson, toStorableText } from '../../json.ts'
import { describeDuckDb } from './duckdb-words.ts'
import { type ParquetColumn, type ParquetFooter, readParquetFooterOf } from './footer.ts'
import { type PlainRequest, planPlain, requestNumbers, scanPlain } from './plain.ts'
import { physicalTypes } from './schema.ts'
import { requireFewTexts } from './text-bytes.ts'
import { createdBy } from './writer.ts'

export interface ColumnRequest extends Pick<ColumnFeature, 'name' | 'dtype' | 'shape'> {
  /** Set for a feature of shape [1] that a file stores as lists of one. */
  readonly isList?: boolean
}

/** Consecutive rows of one file, copied out of DuckDB's memory. */
export interface RowChunk {
  readonly startRow: number
  readonly rowCount: number
  /** In the order of the request. */
  readonly columns: readonly Values[]
}

export interface ScanOptions {
  readonly startRow?: number
  readonly endRow?: number
  readonly signal?: AbortSignal | undefined
}

export type MetadataValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | MetadataValue[]
  | { [key: string]: MetadataValue }

/** Wider features would make a vector of 2048 rows larger than the memory we grant. */
export const maxValuesPerFrame = 16_384

const memoryLimit = '512MB'
/** Of a table of metadata, a row for each episode or task; more than any dataset has. */
const maxRecords = 5_000_000
const maxRowText = 1024 * 1024
const rememberedFiles = 64

const sqlTypes: Record<NumericDtype, string> = {
  float32: 'FLOAT',
  float64: 'DOUBLE',
  int8: 'TINYINT',
  int16: 'SMALLINT',
  int32: 'INTEGER',
  int64: 'BIGINT',
  uint8: 'UTINYINT',
  uint16: 'USMALLINT',
  uint32: 'UINTEGER',
  uint64: 'UBIGINT',
  bool: 'BOOLEAN',
}

/** Reads the Parquet files below one folder and nothing else. */
export async function openParquetReader(folder: string): Promise<ParquetReader> {
  return new ParquetReader(folder)
}

/** A DuckDB that can see nothing but the folder, install nothing and be unlocked by nothing. */
async function openDuckDb(folder: string): Promise<{ instance: DuckDBInstance; spillFolder: string }> {
  const spillFolder = await mkdtemp(join(tmpdir(), 'nmp-duckdb-'))
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '2',
    memory_limit: memoryLimit,
    temp_directory: spillFolder,
  })
  const connection = await instance.connect()
  const settings = [
    'autoinstall_known_extensions=false',
    'autoload_known_extensions=false',
    'parquet_metadata_cache=true',
    `allowed_directories=[${quoteText(folder)}]`,
    'enable_external_access=false',
    'lock_configuration=true',
  ]
  for (const setting of settings) await connection.run(`SET ${setting}`)
  connection.closeSync()
  return { instance, spillFolder }
}

export class ParquetReader implements AsyncDisposable {
  readonly #folder: string
  /** Opened for the first file that another program wrote, or the first table. */
  #duckDb: ReturnType<typeof openDuckDb> | undefined
  /** A file is looked at by our own footer reader before DuckDB sees it, once. */
  readonly #checked = new Set<string>()
  /** The same for columns of texts. */
  readonly #measured = new Set<string>()
  readonly #columns = new BoundedMap<string, readonly ParquetColumn[]>(rememberedFiles)
  /** Of the file that was scanned last: one of a thousand episodes takes as long to read as its rows. */
  #footer: { path: string; footer: ParquetFooter } | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  async readFooter(path: string): Promise<ParquetFooter> {
    const footer = await readParquetFooterOf(path, this.#hideFolder(path))
    this.#checked.add(path)
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
    const { endRow } = options
    const startRow = yield* this.scanOwn(path, columns, options)
    if (startRow === undefined) return
    const bounds = [
      startRow > 0 ? `file_row_number >= ${startRow}` : '',
      endRow === undefined ? '' : `file_row_number < ${endRow}`,
    ]
    const where = bounds.filter((bound) => bound !== '').join(' AND ')
    const source = `read_parquet(${quoteText(path)}, file_row_number = true)`
    const sql = `SELECT ${columns.map(selectColumn).join(', ')} FROM ${source}${where === '' ? '' : ` WHERE ${where}`}`
    await this.#requireShortTexts(
      path,
      columns.filter(({ dtype }) => dtype === 'string').map(({ name }) => name),
    )
    let row = startRow
    for await (const chunk of this.#stream(path, sql, options.signal)) {
      const { rowCount } = chunk
      const values = columns.map((column, index) => copyColumn(chunk, index, column, this.#hideFolder(path)))
      yield { startRow: row, rowCount, columns: values }
      row += rowCount
    }
  }

  /** Numbers of a file that this library wrote; answers where DuckDB has to go on, or undefined when nothing is left. */
  async *scanOwn(
    path: string,
    columns: readonly ColumnRequest[],
    { startRow = 0, endRow, signal }: ScanOptions = {},
  ): AsyncGenerator<RowChunk, number | undefined> {
    const requests = columns.filter(isPlainRequest)
    const isReadable = requests.length === columns.length && (await this.#liesInside(path))
    const footer = isReadable ? await this.findFooter(path) : undefined
    const planned = footer?.createdBy === createdBy ? planPlain(footer, requests) : undefined
    if (!footer || !planned) return startRow
    const wantedEnd = Math.min(footer.rowCount, endRow ?? footer.rowCount)
    await using source = await openFile(path)
    const range = { startRow, endRow: wantedEnd, name: this.#hideFolder(path) }
    const rows = scanPlain(readAhead(source), footer, planned, range)
    for (;;) {
      signal?.throwIfAborted()
      const { value, done } = await rows.next()
      if (done) return value < wantedEnd ? value : undefined
      yield value
    }
  }

  /** How to ask `scanOwn` for columns of numbers of unknown shape; undefined where this library did not write them so. */
  async findOwnNumbers(path: string, names: readonly string[]): Promise<ColumnRequest[] | undefined> {
    const footer = await this.findFooter(path)
    return footer.createdBy === createdBy ? requestNumbers(footer, names) : undefined
  }

  /** What DuckDB would refuse to see, we do not look at either. */
  async #liesInside(path: string): Promise<boolean> {
    const [real, folder] = await Promise.all([realpath(path).catch(() => ''), realpath(this.#folder).catch(() => '')])
    return folder !== '' && real.startsWith(folder + sep)
  }

  /** Remembered for the file that was asked for last. */
  async findFooter(path: string): Promise<ParquetFooter> {
    if (this.#footer?.path !== path) this.#footer = { path, footer: await this.readFooter(path) }
    return this.#footer.footer
  }

  /** Rows of a small, nested metadata table as plain values; columns the file lacks are left out. */
  async *readRecords(path: string, columns: readonly string[]): AsyncGenerator<Record<string, MetadataValue>> {
    const footer = await this.readFooter(path)
    if (footer.rowCount > maxRecords)
      throw new FormatError('limit_exceeded', `${this.#hideFolder(path)} has more than ${maxRecords} rows.`)
    const present = columns.filter((name) => footer.columns.some((column) => column.name === name))
    if (present.length === 0) return
    await this.#requireShortTexts(path, present)
    const sql = `SELECT ${present.map(quoteName).join(', ')} FROM read_parquet(${quoteText(path)})`
    for await (const chunk of this.#stream(path, sql)) {
      const vectors = present.map((_, index) => chunk.getColumnVector(index))
      requireFewTexts(vectors, this.#hideFolder(path))
      for (let row = 0; row < chunk.rowCount; row++) {
        yield Object.fromEntries(present.map((name, index) => [name, toPlain(vectors[index]?.getItem(row))]))
      }
    }
  }

  async close(): Promise<void> {
    const opened = await this.#duckDb?.catch(() => undefined)
    this.#duckDb = undefined
    opened?.instance.closeSync()
    if (opened) await rm(opened.spillFolder, { recursive: true, force: true })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Sentences name files as the dataset does: where it lies on this machine is nobody's business. */
  #hideFolder(text: string): string {
    return text.replaceAll(`${this.#folder}/`, '')
  }

  /** Asked of DuckDB before it makes rows: a text that a page holds once is copied for each row of a batch. */
  async #requireShortTexts(path: string, names: readonly string[]): Promise<void> {
    const texts = (await this.findColumns(path)).filter((column) => names.includes(column.name)).flatMap(measureTexts)
    if (texts.length === 0 || this.#measured.has(`${path} ${texts}`)) return
    const source = `read_parquet(${quoteText(path)}, binary_as_string = true)`
    const sql = `SELECT CAST(greatest(${texts.map((text) => `max(${text})`).join(', ')}, 0) AS DOUBLE) FROM ${source}`
    for await (const chunk of this.#stream(path, sql)) {
      if (Number(chunk.getColumnVector(0).getItem(0)) > maxRowText)
        throw new FormatError(
          'limit_exceeded',
          `${this.#hideFolder(path)} has a row with more than ${maxRowText / 1024 / 1024} MiB of text.`,
        )
    }
    this.#measured.add(`${path} ${texts}`)
  }

  /** A connection of its own per stream: a second query on a connection would end the first one's stream. */
  async *#stream(path: string, sql: string, signal?: AbortSignal): AsyncGenerator<DuckDBDataChunk> {
    if (!this.#checked.has(path)) await this.readFooter(path)
    this.#duckDb ??= openDuckDb(this.#folder)
    const connection: DuckDBConnection = await (await this.#duckDb).instance.connect()
    try {
      const result: DuckDBResult = await connection.stream(sql)
      while (true) {
        signal?.throwIfAborted()
        const chunk = await result.fetchChunk()
        if (!chunk || chunk.rowCount === 0) return
        yield chunk
      }
    } catch (cause) {
      if (cause instanceof FormatError || signal?.aborted) throw cause
      throw new FormatError(
        'container_invalid',
        this.#hideFolder(`${path} cannot be read: ${describeDuckDb(cause)}.`),
        {
          cause,
        },
      )
    } finally {
      connection.closeSync()
    }
  }
}

/** How much text a row has, as SQL; nothing for a column of anything else. */
function measureTexts({ name, listDepth, leaves }: ParquetColumn): string[] {
  if (leaves.length !== 1 || leaves[0]?.physicalType !== physicalTypes.string || listDepth > 1) return []
  const column = quoteName(name)
  return [listDepth === 0 ? `strlen(${column})` : `list_sum(list_transform(${column}, text -> strlen(text)))`]
}

function isPlainRequest(column: ColumnRequest): column is ColumnRequest & PlainRequest {
  return column.dtype !== 'string' && column.dtype !== 'language'
}

function selectColumn(request: ColumnRequest): string {
  const column = quoteName(request.name)
  if (request.dtype === 'string') return `CAST(${column} AS VARCHAR)`
  if (request.dtype === 'language') return `CAST(to_json(${column}) AS VARCHAR)`
  const sizes = listSizes(request).toReversed()
  return `CAST(${column} AS ${sqlTypes[request.dtype]}${sizes.map((size) => `[${size}]`).join('')})`
}

/** [1] is a scalar column in LeRobot, anything else lists in lists. */
function listSizes({ shape, isList }: ColumnRequest): readonly number[] {
  return shape.length === 1 && shape[0] === 1 && !isList ? [] : shape
}

/**
 * The parts of DuckDB's vectors that lie in memory as one array. These fields are private in its declarations; the version is
 * pinned and `parquet.test.ts` holds every dtype. Going through `getItem` instead costs 1.6 times the CPU
 * (`npm run bench -- parquet`).
 */
interface RawVector {
  readonly childData?: RawVector
  readonly items?: NumericArray
  readonly dataView?: DataView
  readonly validity: { readonly data: BigUint64Array | null; itemValid(index: number): boolean }
}

function copyColumn(chunk: DuckDBDataChunk, index: number, column: ColumnRequest, path: string): Values {
  const vector = chunk.getColumnVector(index)
  const { dtype } = column
  if (dtype === 'string' || dtype === 'language') {
    requireFewTexts([vector], path)
    const texts = Array.from({ length: chunk.rowCount }, (_, row) => vector.getItem(row))
    if (dtype === 'language')
      return texts.map((text) => (typeof text === 'string' ? parseJson(text, column.name).value : []))
    return texts.map((text) => (typeof text === 'string' ? text : refuseEmpty(path, column.name)))
  }
  const levels: RawVector[] = []
  for (let raw: RawVector | undefined = vector as unknown as RawVector; raw; raw = raw.childData) levels.push(raw)
  const values = copyValues(levels.at(-1), dtype, chunk.rowCount * countValues(column.shape))
  let itemCount = chunk.rowCount
  for (const [depth, { validity }] of levels.entries()) {
    const width = values.length / itemCount
    for (let item = 0; validity.data !== null && item < itemCount; item++) {
      if (validity.itemValid(item)) continue
      if (dtype !== 'float32' && dtype !== 'float64') refuseEmpty(path, column.name)
      ;(values as Float32Array | Float64Array).fill(Number.NaN, item * width, (item + 1) * width)
    }
    itemCount *= column.shape[depth] ?? 1
  }
  return values
}

function copyValues(raw: RawVector | undefined, dtype: NumericDtype, valueCount: number): NumericArray {
  if (raw?.items) return raw.items.slice(0, valueCount)
  if (dtype !== 'bool' || !raw?.dataView)
    throw new FormatError('unsupported', `DuckDB returned ${dtype} values in an unknown form.`)
  return new Uint8Array(raw.dataView.buffer, raw.dataView.byteOffset, valueCount).slice()
}

function refuseEmpty(path: string, column: string): never {
  throw new FormatError('container_invalid', `${path}: column ${column} has empty values, which its type cannot hold.`)
}

function toPlain(value: unknown): MetadataValue {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return toStorableText(value)
  if (typeof value !== 'object') return value as MetadataValue
  if ('items' in value && Array.isArray(value.items)) return value.items.map(toPlain)
  if ('entries' in value && typeof value.entries === 'object' && value.entries !== null) {
    return Object.fromEntries(Object.entries(value.entries).map(([key, item]) => [key, toPlain(item)]))
  }
  return toStorableText(String(value))
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
