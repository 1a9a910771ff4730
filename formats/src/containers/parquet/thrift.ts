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

/** Fields of a struct that somebody wants, and of the structs in them; where none are named, all. */
export type WantedFields = ReadonlyMap<number, WantedFields | undefined>

/**
 * Structs of one list of the outermost struct, given away as soon as each is read, so that the list stays empty: of a file with 10,000
 * row groups they held 200 MB at once.
 */
export interface ThriftItems {
  readonly field: number
  readonly wanted: WantedFields
  take(item: ThriftStruct): void
}

/** Decodes one struct at the start of `bytes`; every length is checked against the bytes that are there. */
export function decodeThrift(
  bytes: Uint8Array,
  name: string,
  items?: ThriftItems,
): { value: ThriftStruct; length: number } {
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
  const readValue = (type: number, depth: number, wanted?: WantedFields): ThriftValue => {
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
        return readList(depth, wanted)
      case typeCodes.struct:
        return readStruct(depth, wanted)
      default:
        return fail()
    }
  }
  const readListHead = (): { type: number; length: number; isBoolean: boolean } => {
    const head = readByte()
    const type = head & 0x0f
    const length = head >> 4 === 15 ? readLength() : head >> 4
    return { type, length, isBoolean: type === typeCodes.true || type === typeCodes.false }
  }
  const readList = (depth: number, wanted?: WantedFields): ThriftList => {
    const { type, length, isBoolean } = readListHead()
    const list: ThriftList = []
    for (let index = 0; index < length; index++)
      list.push(isBoolean ? readByte() === typeCodes.true : readValue(type, depth + 1, wanted))
    return list
  }
  /** The same as `readList`; what are no structs stays in the list. */
  const giveAway = ({ wanted, take }: ThriftItems, depth: number): ThriftList => {
    const start = at
    const { type, length } = readListHead()
    if (type !== typeCodes.struct) {
      at = start
      return readList(depth)
    }
    for (let index = 0; index < length; index++) {
      if (++nodes > maxNodes) fail()
      take(readStruct(depth + 1, wanted))
    }
    return []
  }
  const readStruct = (depth: number, wanted?: WantedFields): ThriftStruct => {
    const fields: ThriftStruct = new Map()
    for (let id = 0, head = readByte(); head !== 0; head = readByte()) {
      id = head >> 4 === 0 ? Number(readInteger()) : id + (head >> 4)
      const type = head & 0x0f
      const isGiven = depth === 0 && items?.field === id && type === typeCodes.list
      if (isGiven) fields.set(id, giveAway(items, depth + 1))
      else if (wanted && !wanted.has(id)) skipValue(type, depth + 1)
      else fields.set(id, readValue(type, depth + 1, wanted?.get(id)))
    }
    return fields
  }
  /** As `readValue`, and as strict, but nothing is made of it. */
  const skipValue = (type: number, depth: number): void => {
    if (type === typeCodes.struct) {
      if (depth > maxDepth || ++nodes > maxNodes) fail()
      for (let head = readByte(); head !== 0; head = readByte()) {
        if (head >> 4 === 0) readInteger()
        skipValue(head & 0x0f, depth + 1)
      }
    } else if (type === typeCodes.list || type === typeCodes.set) {
      if (depth > maxDepth || ++nodes > maxNodes) fail()
      const { type: itemType, length, isBoolean } = readListHead()
      for (let index = 0; index < length; index++) {
        if (isBoolean) readByte()
        else skipValue(itemType, depth + 1)
      }
    } else if (type === typeCodes.binary) {
      if (++nodes > maxNodes) fail()
      const length = readLength()
      at += length
    } else readValue(type, depth)
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
  /** Structs that were appended one by one. */
  | { list: 'encoded'; count: number; items: ByteSink }
export type ThriftFields = readonly (readonly [id: number, field: ThriftField | undefined])[]

export function encodeThrift(fields: ThriftFields): Uint8Array {
  const out = new ByteSink()
  appendThrift(out, fields)
  return out.take()
}

export const appendThrift = (out: ByteSink, fields: ThriftFields): void => writeStruct(out, fields)

/** Bytes one after the other: as a list of numbers, a footer of five megabytes took a hundred. */
export class ByteSink {
  #bytes = new Uint8Array(256)
  #length = 0

  get length(): number {
    return this.#length
  }

  push(byte: number): void {
    if (this.#length === this.#bytes.length) this.#grow(1)
    this.#bytes[this.#length++] = byte
  }

  append(bytes: Uint8Array): void {
    if (this.#length + bytes.length > this.#bytes.length) this.#grow(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** What was appended since it was so long is forgotten. */
  shorten(length: number): void {
    this.#length = length
  }

  /** A copy of its bytes. */
  take(): Uint8Array {
    return this.#bytes.slice(0, this.#length)
  }

  appendTo(other: ByteSink): void {
    other.append(this.#bytes.subarray(0, this.#length))
  }

  #grow(more: number): void {
    const larger = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length + more))
    larger.set(this.#bytes)
    this.#bytes = larger
  }
}

/** Numbers below half of it keep their sign in the lowest bit without leaving what doubles count exactly. */
const largestShort = 2 ** 52

function writeVarint(out: ByteSink, value: number): void {
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) out.push((rest % 128) | 0x80)
  out.push(rest)
}

function writeLongVarint(out: ByteSink, value: bigint): void {
  let rest = BigInt.asUintN(64, value)
  while (rest >= 0x80n) {
    out.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  out.push(Number(rest))
}

function writeInteger(out: ByteSink, value: number | bigint): void {
  if (typeof value === 'number' && Math.abs(value) < largestShort / 2) {
    writeVarint(out, value < 0 ? -2 * value - 1 : 2 * value)
    return
  }
  const wide = BigInt(value)
  writeLongVarint(out, (wide << 1n) ^ (wide >> 63n))
}

function writeBytes(out: ByteSink, bytes: Uint8Array): void {
  writeVarint(out, bytes.length)
  out.append(bytes)
}

const encoder = new TextEncoder()

function writeStruct(out: ByteSink, fields: ThriftFields): void {
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

const itemTypes = { i32: typeCodes.i32, text: typeCodes.binary, struct: typeCodes.struct, encoded: typeCodes.struct }

function writeField(out: ByteSink, field: ThriftField): void {
  if ('i32' in field) writeInteger(out, field.i32)
  else if ('i64' in field) writeInteger(out, field.i64)
  else if ('text' in field) writeBytes(out, encoder.encode(field.text))
  else if ('bytes' in field) writeBytes(out, field.bytes)
  else if ('struct' in field) writeStruct(out, field.struct)
  else if ('list' in field) {
    const type = itemTypes[field.list]
    const length = field.list === 'encoded' ? field.count : field.items.length
    if (length < 15) out.push((length << 4) | type)
    else {
      out.push(0xf0 | type)
      writeVarint(out, length)
    }
    if (field.list === 'i32') for (const item of field.items) writeInteger(out, item)
    else if (field.list === 'text') for (const item of field.items) writeBytes(out, encoder.encode(item))
    else if (field.list === 'struct') for (const item of field.items) writeStruct(out, item)
    else field.items.appendTo(out)
  }
}
