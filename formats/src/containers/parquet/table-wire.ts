/**
 * Rows as messages between the process that reads a table and the one that asked for it. Numbers are their bytes; texts are UTF-8, with
 * their lengths in the head; whatever else is JSON, with marks for what JSON lacks. All of it is checked against the request: whoever was
 * taken over may send anything.
 */
import type { Values } from '../../dataset.ts'
import { FormatError } from '../../errors.ts'
import { arrayTypes, countValues, type NumericArray } from '../../feature.ts'
import type { JsonValue } from '../../json.ts'
import type { ChildMessage } from '../child/message.ts'
import type { ColumnRequest, MetadataValue, RowChunk } from './table.ts'

interface ChunkHead {
  startRow: number
  rowCount: number
  /** Of each column: how many bytes it has, or how many each of its texts has. */
  sizes: (number | number[])[]
}

export function encodeChunks(chunks: readonly RowChunk[], requests: readonly ColumnRequest[]): ChildMessage {
  const heads: ChunkHead[] = []
  const parts: Uint8Array[] = []
  for (const { startRow, rowCount, columns } of chunks) {
    const sizes = columns.map((values, place) => {
      const encoded = encodeValues(values, requests[place]?.dtype === 'string')
      parts.push(...encoded)
      return ArrayBuffer.isView(values) ? values.byteLength : encoded.map(({ byteLength }) => byteLength)
    })
    heads.push({ startRow, rowCount, sizes })
  }
  return { head: heads, body: Buffer.concat(parts) }
}

function encodeValues(values: Values, areTexts: boolean): Uint8Array[] {
  if (ArrayBuffer.isView(values)) return [new Uint8Array(values.buffer, values.byteOffset, values.byteLength)]
  return values.map((value) => Buffer.from(areTexts ? String(value) : JSON.stringify(value)))
}

export function* decodeChunks({ head, body }: ChildMessage, columns: readonly ColumnRequest[]): Generator<RowChunk> {
  const bytes = new ByteCursor(body)
  if (!Array.isArray(head)) throw invalidAnswer()
  for (const { startRow, rowCount, sizes } of head as ChunkHead[]) {
    if (!isCount(startRow) || !isCount(rowCount) || sizes?.length !== columns.length) throw invalidAnswer()
    const values = columns.map((column, place) => decodeValues(bytes, column, rowCount, sizes[place]))
    yield { startRow, rowCount, columns: values }
  }
}

function decodeValues(
  bytes: ByteCursor,
  { dtype, shape }: ColumnRequest,
  rowCount: number,
  size: number | number[] | undefined,
): Values {
  if (dtype === 'string' || dtype === 'language') {
    if (!Array.isArray(size) || size.length !== rowCount) throw invalidAnswer()
    const texts = size.map((count) => bytes.take(count).toString('utf8'))
    return dtype === 'string' ? texts : texts.map((text) => parse(text) as JsonValue)
  }
  const type = arrayTypes[dtype]
  const count = rowCount * countValues(shape)
  if (size !== count * type.BYTES_PER_ELEMENT) throw invalidAnswer()
  // A copy, since numbers must begin where their size divides.
  return new type(new Uint8Array(bytes.take(size)).buffer as ArrayBuffer, 0, count) as NumericArray
}

export const encodeRecords = (records: readonly Record<string, MetadataValue>[]): ChildMessage => ({
  head: null,
  body: Buffer.from(JSON.stringify(records.map(mark))),
})

export function decodeRecords({ body }: ChildMessage): Record<string, MetadataValue>[] {
  const records = parse(Buffer.from(body ?? []).toString('utf8'))
  if (!Array.isArray(records)) throw invalidAnswer()
  return records.map((record) => unmark(record) as Record<string, MetadataValue>)
}

/** Lists begin with a word, so that a list of one word and a text is a number. */
function mark(value: MetadataValue): unknown {
  if (typeof value === 'bigint') return ['bigint', String(value)]
  if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0)))
    return ['number', Object.is(value, -0) ? '-0' : String(value)]
  if (Array.isArray(value)) return ['list', ...value.map(mark)]
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mark(item)]))
}

function unmark(value: unknown): MetadataValue {
  if (Array.isArray(value)) {
    const [word, ...items] = value
    if (word === 'list') return items.map(unmark)
    if (word === 'bigint' && /^-?\d{1,40}$/.test(String(items[0]))) return BigInt(items[0])
    if (word === 'number') return Number(items[0])
    throw invalidAnswer()
  }
  if (typeof value !== 'object' || value === null) return value as MetadataValue
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unmark(item)]))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalidAnswer()
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

export const invalidAnswer = (): FormatError =>
  new FormatError('source_file_crashes_parser', 'The reader of the Parquet file gave an invalid answer.')

class ByteCursor {
  readonly #bytes: Buffer
  #at = 0

  constructor(body: Uint8Array = new Uint8Array()) {
    this.#bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  }

  take(count: number): Buffer {
    if (!isCount(count) || this.#at + count > this.#bytes.byteLength) throw invalidAnswer()
    this.#at += count
    return this.#bytes.subarray(this.#at - count, this.#at)
  }
}
