import { crc32 } from 'node:zlib'
import { snappyCompressor } from 'hysnappy'
import type { NumericArray } from '../../feature.ts'
import { type LeafDtype, type LeafSchema, physicalTypes } from './schema.ts'
import { encodeThrift } from './thrift.ts'

/** The values of one leaf for some rows, with their levels. */
export interface LeafValues {
  /** Entries including empty ones: what the page header counts. */
  readonly entryCount: number
  readonly emptyCount: number
  readonly repetition: Uint8Array | undefined
  readonly definition: Uint8Array
  readonly values: NumericArray | readonly (string | Uint8Array)[]
}

export interface EncodedPage {
  readonly bytes: Uint8Array
  readonly uncompressedBytes: number
  readonly entryCount: number
  readonly emptyCount: number
  readonly range: ValueRange | undefined
}

export interface ValueRange {
  readonly min: number | bigint
  readonly max: number | bigint
}

const plain = 0
const rle = 3

export type Compress = (bytes: Uint8Array) => Uint8Array

/**
 * Snappy for one file. The library's table of what it has seen outlives a call, and what it finds there decides the bytes: with one
 * compressor for a process the same rows gave other bytes after other files (seen: 622 of 19,112). Each file has its own, so that its
 * bytes depend on its pages alone.
 */
export const createCompress: () => Compress = snappyCompressor

/** One DataPage V1, plain, snappy, with a checksum. */
export function encodePage(leaf: LeafSchema, data: LeafValues, compress: Compress): EncodedPage {
  const values = encodePlain(leaf.dtype, data.values)
  const levels = data.repetition
    ? [withLength(data.repetition), withLength(data.definition)]
    : [withLength(data.definition)]
  const body = Buffer.concat([...levels, values])
  const compressed = compress(body)
  const header = encodeThrift([
    [1, { i32: 0 }],
    [2, { i32: body.length }],
    [3, { i32: compressed.length }],
    [4, { i32: crc32(compressed) | 0 }],
    [
      5,
      {
        struct: [
          [1, { i32: data.entryCount }],
          [2, { i32: plain }],
          [3, { i32: rle }],
          [4, { i32: rle }],
        ],
      },
    ],
  ])
  return {
    bytes: Buffer.concat([header, compressed]),
    uncompressedBytes: header.length + body.length,
    entryCount: data.entryCount,
    emptyCount: data.emptyCount,
    range: findRange(leaf.dtype, data.values),
  }
}

/** Min and max as the bytes of a column chunk's statistics; NaN counts for neither, zeros get the signs the format asks for. */
export function encodeStatistic(dtype: LeafDtype, value: number | bigint, end: 'min' | 'max'): Uint8Array {
  const signed = value === 0 && (dtype === 'float32' || dtype === 'float64') ? (end === 'min' ? -0 : 0) : value
  const bytes = new DataView(new ArrayBuffer(8))
  const physical = physicalTypes[dtype]
  if (physical === 0) bytes.setUint8(0, Number(signed))
  else if (physical === 1) bytes.setInt32(0, Number(signed), true)
  else if (physical === 2) bytes.setBigInt64(0, BigInt.asIntN(64, BigInt(signed)), true)
  else if (physical === 4) bytes.setFloat32(0, Number(signed), true)
  else bytes.setFloat64(0, Number(signed), true)
  return new Uint8Array(bytes.buffer, 0, [1, 4, 8, 0, 4, 8][physical])
}

function findRange(dtype: LeafDtype, values: LeafValues['values']): ValueRange | undefined {
  if (dtype === 'string' || dtype === 'binary' || values.length === 0) return undefined
  if (values instanceof BigInt64Array || values instanceof BigUint64Array) return findBigRange(values)
  const numbers = values as Exclude<NumericArray, BigInt64Array | BigUint64Array>
  let min = Number.POSITIVE_INFINITY
  let max = Number.NEGATIVE_INFINITY
  for (let index = 0; index < numbers.length; index++) {
    const entry = numbers[index] as number
    if (entry < min) min = entry
    if (entry > max) max = entry
  }
  return min <= max ? { min, max } : undefined
}

function findBigRange(values: BigInt64Array | BigUint64Array): ValueRange {
  let min = values[0] as bigint
  let max = min
  for (let index = 1; index < values.length; index++) {
    const entry = values[index] as bigint
    if (entry < min) min = entry
    if (entry > max) max = entry
  }
  return { min, max }
}

function encodePlain(dtype: LeafDtype, values: LeafValues['values']): Uint8Array {
  if (dtype === 'string' || dtype === 'binary') return encodeByteArrays(values as readonly (string | Uint8Array)[])
  const numbers = values as NumericArray
  if (dtype === 'bool') return packBits(numbers as Uint8Array)
  if (numbers.BYTES_PER_ELEMENT >= 4) return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)
  return new Uint8Array(Int32Array.from(numbers as Int8Array).buffer)
}

function encodeByteArrays(values: readonly (string | Uint8Array)[]): Uint8Array {
  const encoder = new TextEncoder()
  const parts: Uint8Array[] = []
  for (const entry of values) {
    const bytes = typeof entry === 'string' ? encoder.encode(entry) : entry
    const length = new Uint8Array(4)
    new DataView(length.buffer).setUint32(0, bytes.length, true)
    parts.push(length, bytes)
  }
  return Buffer.concat(parts)
}

function packBits(values: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(values.length / 8))
  for (let index = 0; index < values.length; index++) {
    if (values[index]) bytes[index >> 3] = (bytes[index >> 3] as number) | (1 << (index & 7))
  }
  return bytes
}

function withLength(levels: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(4 + levels.length)
  new DataView(bytes.buffer).setUint32(0, levels.length, true)
  bytes.set(levels, 4)
  return bytes
}
