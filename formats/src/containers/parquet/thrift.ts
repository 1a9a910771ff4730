import { FormatError } from '../../errors.ts'

/** Thrift's compact protocol, the part that Parquet footers and page headers use. */

export type ThriftValue = boolean | number | bigint | Uint8Array | ThriftList | ThriftStruct
export type ThriftList = ThriftValue[]
export type ThriftStruct = Map<number, ThriftValue>

const maxDepth = 32
const maxNodes = 20_000_000

const typeCodes = {
  true: 1,
  false: 2,
  byte: 3,
  i16: 4,
  i32: 5,
  i64: 6,
  double: 7,
  binary: 8,
  list: 9,
  set: 10,
  map: 11,
  struct: 12,
}

/** Decodes one struct at the start of `bytes`; every length is checked against the bytes that are there. */
export function decodeThrift(bytes: Uint8Array, name: string): { value: ThriftStruct; length: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  let nodes = 0

  const fail = (): never => {
    throw new FormatError('container_invalid', `${name}: the Thrift metadata is damaged.`)
  }
  const readByte = (): number => (at < bytes.length ? (bytes[at++] as number) : fail())
  const readVarint = (): bigint => {
    let result = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = readByte()
      result |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return result
    }
    return fail()
  }
  /** Those of up to seven bytes, which is nearly all, need no bigint; undefined, and nothing read, for the others. */
  const readShortVarint = (): number | undefined => {
    const start = at
    let result = 0
    for (let factor = 1; factor < 2 ** 49; factor *= 128) {
      const byte = readByte()
      result += (byte & 0x7f) * factor
      if (byte < 0x80) return result
    }
    at = start
    return undefined
  }
  const readLength = (): number => {
    const length = readShortVarint() ?? Number(readVarint())
    return length <= bytes.length - at ? length : fail()
  }
  const readInteger = (): number | bigint => {
    const short = readShortVarint()
    if (short !== undefined) return short % 2 === 0 ? short / 2 : -(short + 1) / 2
    const raw = BigInt.asUintN(64, readVarint())
    const value = (raw >> 1n) ^ -(raw & 1n)
    return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value
  }
  const readValue = (type: number, depth: number): ThriftValue => {
    if (depth > maxDepth || ++nodes > maxNodes) fail()
    switch (type) {
      case typeCodes.true:
        return true
      case typeCodes.false:
        return false
      case typeCodes.byte:
        return (readByte() << 24) >> 24
      case typeCodes.i16:
      case typeCodes.i32:
      case typeCodes.i64:
        return readInteger()
      case typeCodes.double:
        at += 8
        return at <= bytes.length ? view.getFloat64(at - 8, true) : fail()
      case typeCodes.binary: {
        const length = readLength()
        at += length
        return bytes.subarray(at - length, at)
      }
      case typeCodes.list:
      case typeCodes.set:
        return readList(depth)
      case typeCodes.struct:
        return readStruct(depth)
      default:
        return fail()
    }
  }
  const readList = (depth: number): ThriftList => {
    const head = readByte()
    const type = head & 0x0f
    const length = head >> 4 === 15 ? readLength() : head >> 4
    const list: ThriftList = []
    for (let index = 0; index < length; index++) {
      const isBoolean = type === typeCodes.true || type === typeCodes.false
      list.push(isBoolean ? readByte() === typeCodes.true : readValue(type, depth + 1))
    }
    return list
  }
  const readStruct = (depth: number): ThriftStruct => {
    const fields: ThriftStruct = new Map()
    for (let id = 0, head = readByte(); head !== 0; head = readByte()) {
      id = head >> 4 === 0 ? Number(readInteger()) : id + (head >> 4)
      fields.set(id, readValue(head & 0x0f, depth + 1))
    }
    return fields
  }

  const value = readStruct(0)
  return { value, length: at }
}

/** A struct to encode: fields in ascending order of id; undefined ones are left out. */
export type ThriftField =
  | { i32: number }
  | { i64: number | bigint }
  | { text: string }
  | { bytes: Uint8Array }
  | { bool: boolean }
  | { struct: ThriftFields }
  | { list: 'i32'; items: readonly number[] }
  | { list: 'text'; items: readonly string[] }
  | { list: 'struct'; items: readonly ThriftFields[] }
export type ThriftFields = readonly (readonly [id: number, field: ThriftField | undefined])[]

export function encodeThrift(fields: ThriftFields): Uint8Array {
  const out: number[] = []
  writeStruct(out, fields)
  return Uint8Array.from(out)
}

function writeVarint(out: number[], value: bigint): void {
  let rest = BigInt.asUintN(64, value)
  while (rest >= 0x80n) {
    out.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  out.push(Number(rest))
}

function writeInteger(out: number[], value: number | bigint): void {
  const wide = BigInt(value)
  writeVarint(out, (wide << 1n) ^ (wide >> 63n))
}

function writeBytes(out: number[], bytes: Uint8Array): void {
  writeVarint(out, BigInt(bytes.length))
  for (const byte of bytes) out.push(byte)
}

function writeStruct(out: number[], fields: ThriftFields): void {
  let lastId = 0
  for (const [id, field] of fields) {
    if (field === undefined) continue
    const type = fieldType(field)
    if (id - lastId < 16) out.push(((id - lastId) << 4) | type)
    else {
      out.push(type)
      writeInteger(out, id)
    }
    lastId = id
    writeField(out, field)
  }
  out.push(0)
}

function fieldType(field: ThriftField): number {
  if ('i32' in field) return typeCodes.i32
  if ('i64' in field) return typeCodes.i64
  if ('text' in field || 'bytes' in field) return typeCodes.binary
  if ('bool' in field) return field.bool ? typeCodes.true : typeCodes.false
  return 'struct' in field ? typeCodes.struct : typeCodes.list
}

function writeField(out: number[], field: ThriftField): void {
  if ('i32' in field) writeInteger(out, field.i32)
  else if ('i64' in field) writeInteger(out, field.i64)
  else if ('text' in field) writeBytes(out, new TextEncoder().encode(field.text))
  else if ('bytes' in field) writeBytes(out, field.bytes)
  else if ('struct' in field) writeStruct(out, field.struct)
  else if ('list' in field) {
    const type = { i32: typeCodes.i32, text: typeCodes.binary, struct: typeCodes.struct }[field.list]
    const { length } = field.items
    if (length < 15) out.push((length << 4) | type)
    else {
      out.push(0xf0 | type)
      writeVarint(out, BigInt(length))
    }
    if (field.list === 'i32') for (const item of field.items) writeInteger(out, item)
    else if (field.list === 'text') for (const item of field.items) writeBytes(out, new TextEncoder().encode(item))
    else for (const item of field.items) writeStruct(out, item)
  }
}
