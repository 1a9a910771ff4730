/**
 * `table-entry.ts FOLDER`: the child that holds DuckDB and reads the Parquet files of one folder. A reading is open between calls, so that
 * several go on beside each other and one that is left early ends nothing but itself.
 */
import { parseHere } from '../child/confinement.ts'
import type { ChildMessage } from '../child/message.ts'
import { type PatientHandler, servePatiently } from '../child/server.ts'
import { openParquetReader, type ParquetReader } from './parquet.ts'
import type { RowChunk } from './table.ts'
import type { ReadingStart, TableCall } from './table-calls.ts'
import { encodeChunks, encodeRecords } from './table-wire.ts'

parseHere({ isReadOnly: true })

/** Of an answer: what follows is fetched by the next call. */
const answerBytes = 256 * 1024
const answerRecords = 256

interface Reading {
  /** Undefined when all was read. */
  next(): Promise<ChildMessage | undefined>
  end(): Promise<unknown>
}

const readers = new Map<number, ParquetReader>()
const readings = new Map<number, Reading>()
let count = 0

async function open(start: ReadingStart): Promise<Reading> {
  const reader = readers.get(start.reader) ?? (await openParquetReader(process.argv[2] ?? ''))
  readers.set(start.reader, reader)
  if (start.kind === 'records') {
    const records = reader.readRecords(start.path, start.columns)
    const sizeOf = () => answerBytes / answerRecords
    return { next: () => answer(take(records, sizeOf), encodeRecords), end: () => records.return(undefined) }
  }
  const { path, columns, startRow, endRow } = start
  const rows = reader.scan(path, columns, { startRow, ...(endRow === undefined ? {} : { endRow }) })
  const encode = (chunks: RowChunk[]) => encodeChunks(chunks, columns)
  return { next: () => answer(take(rows, countBytes), encode), end: () => rows.return(undefined) }
}

async function answer<T>(items: Promise<T[]>, encode: (items: T[]) => ChildMessage): Promise<ChildMessage | undefined> {
  const taken = await items
  return taken.length > 0 ? encode(taken) : undefined
}

/** Enough for an answer. */
async function take<T>(items: AsyncGenerator<T>, sizeOf: (item: T) => number): Promise<T[]> {
  const taken: T[] = []
  for (let bytes = 0; bytes < answerBytes; ) {
    const { value, done } = await items.next()
    if (done) break
    taken.push(value)
    bytes += sizeOf(value)
  }
  return taken
}

const countBytes = ({ columns }: RowChunk): number =>
  columns.reduce((sum, values) => sum + (ArrayBuffer.isView(values) ? values.byteLength : answerBytes), 0)

const handlers: Record<TableCall, PatientHandler> = {
  async open(start: ReadingStart) {
    const id = ++count
    readings.set(id, await open(start))
    return { head: id }
  },
  async next(id: number) {
    return (await readings.get(id)?.next()) ?? { head: 'end' }
  },
  async end(id: number) {
    await readings.get(id)?.end()
    readings.delete(id)
    return { head: null }
  },
  async close(id: number) {
    await readers.get(id)?.close()
    readers.delete(id)
    return { head: null }
  },
}

await servePatiently(handlers)
