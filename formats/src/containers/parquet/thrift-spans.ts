import { FormatError } from '../../errors.ts'

/** Thrift structs taken apart and put together again without a look at what most of their fields say: nothing of them is lost. */

export interface ThriftSpan {
  readonly type: number
  readonly bytes: Uint8Array
}
/** By field number, ascending. */
export type ThriftSpans = Map<number, ThriftSpan>

const structType = 12
const listType = 9
const i64Type = 6

const fail = (): never => {
  throw new FormatError('container_invalid', 'The Thrift metadata is damaged.')
}

/** The fields of the struct that begins at `start`, and where it ends. */
export function splitStruct(bytes: Uint8Array, start = 0): { fields: ThriftSpans; end: number } {
  const fields: ThriftSpans = new Map()
  const end = walkStruct(bytes, start, 0, (id, type, from, to) =>
    fields.set(id, { type, bytes: bytes.subarray(from, to) }),
  )
  return { fields, end }
}

/** The structs of a list, each as its bytes. */
export function splitList({ type, bytes }: ThriftSpan): Uint8Array[] {
  const head = readListHead(bytes, 0)
  if (type !== listType || head.itemType !== structType) fail()
  const items: Uint8Array[] = []
  for (let at = head.at; items.length < head.length; ) {
    const end = walkStruct(bytes, at, 0)
    items.push(bytes.subarray(at, end))
    at = end
  }
  return items
}

export function joinStruct(fields: ThriftSpans): Uint8Array {
  const parts: Uint8Array[] = []
  let last = 0
  for (const [id, { type, bytes }] of [...fields].sort(([a], [b]) => a - b)) {
    parts.push(
      id - last < 16 ? Uint8Array.of(((id - last) << 4) | type) : Uint8Array.of(type, ...encodeZigzag(id)),
      bytes,
    )
    last = id
  }
  return Buffer.concat([...parts, Uint8Array.of(0)])
}

export function joinList(items: readonly Uint8Array[]): ThriftSpan {
  const { length } = items
  const head = length < 15 ? [(length << 4) | structType] : [0xf0 | structType, ...encodeVarint(length)]
  return { type: listType, bytes: Buffer.concat([Uint8Array.from(head), ...items]) }
}

export const structSpan = (bytes: Uint8Array): ThriftSpan => ({ type: structType, bytes })

export const i64Span = (value: number): ThriftSpan => ({ type: i64Type, bytes: Uint8Array.from(encodeZigzag(value)) })

/** A number that is no negative one, as sizes and places are. */
export function readSpanNumber(span: ThriftSpan | undefined): number | undefined {
  if (!span) return undefined
  const { value, at } = readVarint(span.bytes, 0)
  return at === span.bytes.length && value % 2 === 0 ? value / 2 : fail()
}

const encodeZigzag = (value: number): number[] => encodeVarint(value * 2)

function encodeVarint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  return [...bytes, rest]
}

function readVarint(bytes: Uint8Array, start: number): { value: number; at: number } {
  let value = 0
  for (let at = start, factor = 1; at < bytes.length && at < start + 10; factor *= 128) {
    const byte = bytes[at++] as number
    value += (byte & 0x7f) * factor
    if (byte < 0x80) return { value, at }
  }
  return fail()
}

function readListHead(bytes: Uint8Array, start: number): { itemType: number; length: number; at: number } {
  const head = bytes[start] ?? fail()
  const itemType = head & 0x0f
  if (head >> 4 < 15) return { itemType, length: head >> 4, at: start + 1 }
  const { value, at } = readVarint(bytes, start + 1)
  return value <= bytes.length ? { itemType, length: value, at } : fail()
}

const deepest = 32

function walkStruct(
  bytes: Uint8Array,
  start: number,
  depth: number,
  onField?: (id: number, type: number, from: number, to: number) => void,
): number {
  if (depth > deepest) fail()
  let [at, id] = [start, 0]
  for (;;) {
    const head = bytes[at++] ?? fail()
    if (head === 0) return at
    if (head >> 4 > 0) id += head >> 4
    else {
      const { value, at: next } = readVarint(bytes, at)
      id = value / 2
      at = next
    }
    const type = head & 0x0f
    const end = type <= 2 ? at : skip(bytes, at, type, depth)
    onField?.(id, type, at, end)
    at = end
  }
}

function skip(bytes: Uint8Array, start: number, type: number, depth: number): number {
  const within = (end: number): number => (end <= bytes.length ? end : fail())
  switch (type) {
    case 1:
    case 2:
    case 3:
      return within(start + 1)
    case 4:
    case 5:
    case 6:
      return readVarint(bytes, start).at
    case 7:
      return within(start + 8)
    case 8: {
      const { value, at } = readVarint(bytes, start)
      return within(at + value)
    }
    case listType:
    case 10: {
      const { itemType, length, at } = readListHead(bytes, start)
      let end = at
      for (let item = 0; item < length; item++) end = skip(bytes, end, itemType, depth + 1)
      return end
    }
    case structType:
      return walkStruct(bytes, start, depth + 1)
    default:
      return fail()
  }
}
