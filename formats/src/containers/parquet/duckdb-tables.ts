/** The tables of a folder, read by DuckDB in this process, which is one in a sandbox. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, type DuckDBDataChunk, DuckDBInstance, type DuckDBResult } from '@duckdb/node-api'
import { FormatError } from '../../errors.ts'
import type { NumericDtype } from '../../feature.ts'
import { writesNothing } from '../child/confinement.ts'
import { copyColumn, toPlain } from './duckdb-values.ts'
import { describeDuckDb } from './duckdb-words.ts'
import type { ParquetColumn } from './footer.ts'
import { physicalTypes } from './schema.ts'
import type { ColumnRequest, MetadataValue, RowChunk, ScanOptions, Tables } from './table.ts'
import { requireFewTexts } from './text-bytes.ts'

const memoryLimit = '512MB'
const maxRowText = 1024 * 1024

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

/** A DuckDB that can see nothing but the folder, install nothing and be unlocked by nothing. */
async function openDuckDb(folder: string): Promise<{ instance: DuckDBInstance; spillFolder: string }> {
  // A process that may write nothing spills nothing, and where no sandbox refuses it, the folder would stay when it is killed.
  const spillFolder = writesNothing() ? '' : await mkdtemp(join(tmpdir(), 'nmp-duckdb-')).catch(() => '')
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

/** What it needs of the reader that asks for it. */
interface Looker {
  /** Looks at a file by our own reader, before DuckDB sees it. */
  findColumns(path: string): Promise<readonly ParquetColumn[]>
}

export async function openDuckDbTables(folder: string, looker: Looker): Promise<Tables> {
  return new DuckDbTables(folder, looker, await openDuckDb(folder))
}

class DuckDbTables implements Tables {
  readonly #folder: string
  readonly #looker: Looker
  readonly #duckDb: Awaited<ReturnType<typeof openDuckDb>>
  /** Columns of texts that were found to be short. */
  readonly #measured = new Set<string>()

  constructor(folder: string, looker: Looker, duckDb: Awaited<ReturnType<typeof openDuckDb>>) {
    this.#folder = folder
    this.#looker = looker
    this.#duckDb = duckDb
  }

  async *scan(
    path: string,
    columns: readonly ColumnRequest[],
    { startRow = 0, endRow, signal }: ScanOptions,
  ): AsyncGenerator<RowChunk> {
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
    for await (const chunk of this.#stream(path, sql, signal)) {
      const { rowCount } = chunk
      const values = columns.map((column, index) => copyColumn(chunk, index, column, this.#hideFolder(path)))
      yield { startRow: row, rowCount, columns: values }
      row += rowCount
    }
  }

  async *readRecords(path: string, columns: readonly string[]): AsyncGenerator<Record<string, MetadataValue>> {
    await this.#requireShortTexts(path, columns)
    const sql = `SELECT ${columns.map(quoteName).join(', ')} FROM read_parquet(${quoteText(path)})`
    for await (const chunk of this.#stream(path, sql)) {
      const vectors = columns.map((_, index) => chunk.getColumnVector(index))
      requireFewTexts(vectors, this.#hideFolder(path))
      for (let row = 0; row < chunk.rowCount; row++) {
        yield Object.fromEntries(columns.map((name, index) => [name, toPlain(vectors[index]?.getItem(row))]))
      }
    }
  }

  async close(): Promise<void> {
    const { instance, spillFolder } = this.#duckDb
    instance.closeSync()
    if (spillFolder !== '') await rm(spillFolder, { recursive: true, force: true })
  }

  /** Sentences name files as the dataset does: where it lies on this machine is nobody's business. */
  #hideFolder(text: string): string {
    return text.replaceAll(`${this.#folder}/`, '')
  }

  /** Asked of DuckDB before it makes rows: a text that a page holds once is copied for each row of a batch. */
  async #requireShortTexts(path: string, names: readonly string[]): Promise<void> {
    const texts = (await this.#looker.findColumns(path))
      .filter((column) => names.includes(column.name))
      .flatMap(measureTexts)
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
    const connection: DuckDBConnection = await this.#duckDb.instance.connect()
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

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
