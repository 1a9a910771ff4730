import { createCompress } from '../src/containers/parquet/page.ts'
import { encodeThrift, type ThriftFields } from '../src/containers/parquet/thrift.ts'

/** Parquet written page by page, so that headers can say what the bytes do not: flat columns without empty values. */

const physicalTypes = { int64: 2, float: 4, double: 5, bytes: 6 } as const
const codecs = { none: 0, snappy: 1, gzip: 2, brotli: 4, zstd: 6, lz4: 7, framedLz4: 5 } as const
const encodings = { plain: 0, rle: 3, dictionary: 8 } as const
const utf8 = 0

export interface WrittenPage {
  isDictionary?: boolean
  /** Of the values: as they are, or places in the dictionary. */
  encoding?: 'plain' | 'dictionary'
  valueCount: number
  /** As it is stored. */
  body: Uint8Array
  /** What its header says that it becomes. */
  announcedBytes: number
}

export interface WrittenColumn {
  name: string
  type: keyof typeof physicalTypes
  isText?: boolean
  codec?: keyof typeof codecs
  pages: readonly WrittenPage[]
}

function writePage({ isDictionary, encoding = 'plain', valueCount, body, announcedBytes }: WrittenPage): Uint8Array {
  const values: ThriftFields = [
    [1, { i32: valueCount }],
    [2, { i32: encodings[encoding] }],
  ]
  const levels: ThriftFields = [
    [3, { i32: encodings.rle }],
    [4, { i32: encodings.rle }],
  ]
  const header = encodeThrift([
    [1, { i32: isDictionary ? 2 : 0 }],
    [2, { i32: announcedBytes }],
    [3, { i32: body.length }],
    isDictionary ? [7, { struct: values }] : [5, { struct: [...values, ...levels] }],
  ])
  return Buffer.concat([header, body])
}

export function writeParquet(columns: readonly WrittenColumn[], rowCount: number, createdBy = 'a stranger'): Buffer {
  const parts: Uint8Array[] = [Buffer.from('PAR1')]
  let at = 4
  const chunks = columns.map(({ name, type, codec = 'none', pages }): ThriftFields => {
    const start = at
    const starts = pages.map((page) => {
      const bytes = writePage(page)
      parts.push(bytes)
      at += bytes.length
      return at - bytes.length
    })
    const first = pages.findIndex(({ isDictionary }) => !isDictionary)
    const facts: ThriftFields = [
      [1, { i32: physicalTypes[type] }],
      [2, { list: 'i32', items: Object.values(encodings) }],
      [3, { list: 'text', items: [name] }],
      [4, { i32: codecs[codec] }],
      [5, { i64: rowCount }],
      [6, { i64: pages.reduce((sum, page) => sum + page.announcedBytes, 0) }],
      [7, { i64: at - start }],
      [9, { i64: starts[first] ?? start }],
      [11, first > 0 ? { i64: start } : undefined],
    ]
    return [
      [2, { i64: start }],
      [3, { struct: facts }],
    ]
  })
  const schema = columns.map(
    ({ name, type, isText }): ThriftFields => [
      [1, { i32: physicalTypes[type] }],
      [3, { i32: 0 }],
      [4, { text: name }],
      [6, isText ? { i32: utf8 } : undefined],
    ],
  )
  const root: ThriftFields = [
    [4, { text: 'schema' }],
    [5, { i32: columns.length }],
  ]
  const group: ThriftFields = [
    [1, { list: 'struct', items: chunks }],
    [2, { i64: at }],
    [3, { i64: rowCount }],
  ]
  const footer = encodeThrift([
    [1, { i32: 2 }],
    [2, { list: 'struct', items: [root, ...schema] }],
    [3, { i64: rowCount }],
    [4, { list: 'struct', items: [group] }],
    [6, { text: createdBy }],
  ])
  const tail = Buffer.alloc(8, 'PAR1PAR1')
  tail.writeUInt32LE(footer.length)
  return Buffer.concat([...parts, footer, tail])
}

type Named = Pick<WrittenColumn, 'name' | 'type' | 'isText'>

/** A column of one value, however many rows there are: a dictionary of it, and one run. */
export function repeatValue(column: Named, value: Uint8Array, rowCount: number): WrittenColumn {
  const length: number[] = []
  for (let rest = rowCount * 2; ; rest = Math.floor(rest / 128)) {
    length.push(rest < 128 ? rest : (rest % 128) | 128)
    if (rest < 128) break
  }
  const run = Uint8Array.from([1, ...length, 0])
  return {
    ...column,
    pages: [
      { isDictionary: true, valueCount: 1, body: value, announcedBytes: value.length },
      { encoding: 'dictionary', valueCount: rowCount, body: run, announcedBytes: run.length },
    ],
  }
}

export function writeNumbers(name: string, type: 'int64' | 'float', values: readonly number[]): WrittenColumn {
  const array = type === 'int64' ? BigInt64Array.from(values, BigInt) : Float32Array.from(values)
  const body = new Uint8Array(array.buffer)
  return { name, type, pages: [{ valueCount: values.length, body, announcedBytes: body.length }] }
}

/** As Parquet stores a text or bytes: its length and itself. */
export function writeSized(content: Uint8Array): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(content.length)
  return Buffer.concat([length, content])
}

export const compressSnappy = (bytes: Uint8Array): Uint8Array => createCompress()(bytes)

/** A block of LZ4 that becomes so many zeros: one as it is, and a match of it that goes on. */
export function compressZerosByLz4(length: number): Uint8Array {
  const lastLiterals = 5
  const rest = length - 1 - lastLiterals - 4 - 15
  const lengths = Buffer.alloc(Math.floor(rest / 255) + 1, 255)
  lengths[lengths.length - 1] = rest % 255
  return Buffer.concat([
    Buffer.from([0x1f, 0, 1, 0]),
    lengths,
    Buffer.from([lastLiterals << 4]),
    Buffer.alloc(lastLiterals),
  ])
}
