/** HDF5 types: their names, and small values as JSON. */
import type { Metadata } from 'h5wasm'
import { type JsonValue, toStorableText } from '../../json.ts'

const classes = { integer: 0, float: 1, string: 3, opaque: 5, compound: 6, reference: 7, enum: 8, vlen: 9, array: 10 }

export interface ElementType {
  readonly dtype: string
  readonly itemBytes: number
  /** Dimensions of an array type. */
  readonly dims: readonly number[]
}

export function describeType(metadata: Metadata): ElementType {
  if (metadata.type === classes.array && metadata.array_type) {
    const base = describeType(metadata.array_type)
    const dims = metadata.array_type.shape ?? []
    return { ...base, dims: [...dims, ...base.dims] }
  }
  return { dtype: nameType(metadata), itemBytes: metadata.size, dims: [] }
}

function nameType(metadata: Metadata): string {
  const { type, size } = metadata
  if (type === classes.integer) return `${metadata.signed ? 'int' : 'uint'}${size * 8}`
  if (type === classes.float) return `float${size * 8}`
  if (type === classes.string) return metadata.vlen ? 'str' : `S${size}`
  if (type === classes.opaque) return `V${size}`
  if (type === classes.enum) return isTruth(metadata) ? 'bool' : `int${size * 8}`
  if (type === classes.vlen && metadata.vlen_type) return `vlen:${nameType(metadata.vlen_type)}`
  if (type === classes.compound) return 'compound'
  return type === classes.reference ? 'reference' : 'other'
}

function isTruth({ enum_type, size }: Metadata): boolean {
  const names = Object.keys(enum_type?.members ?? {})
  return size === 1 && names.length === 2 && names.includes('TRUE') && names.includes('FALSE')
}

const maxListed = 256

/** Little-endian packed numbers or fixed strings as JSON: a single value for a scalar, else a list of at most 256. */
export function toJson(type: ElementType, shape: readonly number[], bytes: Uint8Array): JsonValue {
  const count = [...shape, ...type.dims].reduce((product, size) => product * size, 1)
  const values: JsonValue[] = []
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let index = 0; index < Math.min(count, maxListed); index++) {
    values.push(readValue(type, view, index * type.itemBytes))
  }
  return shape.length + type.dims.length === 0 ? (values[0] ?? null) : values
}

function readValue({ dtype, itemBytes }: ElementType, view: DataView, at: number): JsonValue {
  if (at + itemBytes > view.byteLength) return null
  switch (dtype) {
    case 'bool':
      return view.getInt8(at) !== 0
    case 'int8':
      return view.getInt8(at)
    case 'uint8':
      return view.getUint8(at)
    case 'int16':
      return view.getInt16(at, true)
    case 'uint16':
      return view.getUint16(at, true)
    case 'int32':
      return view.getInt32(at, true)
    case 'uint32':
      return view.getUint32(at, true)
    case 'int64':
      return toSafeNumber(view.getBigInt64(at, true))
    case 'uint64':
      return toSafeNumber(view.getBigUint64(at, true))
    case 'float16':
      return toFinite(view.getFloat16(at, true))
    case 'float32':
      return toFinite(view.getFloat32(at, true))
    case 'float64':
      return toFinite(view.getFloat64(at, true))
    default:
      return dtype.startsWith('S') ? decodeText(new Uint8Array(view.buffer, view.byteOffset + at, itemBytes)) : null
  }
}

/** JSON has no 64-bit integers: beyond 2^53 they are text. */
function toSafeNumber(value: bigint): JsonValue {
  return BigInt(Number(value)) === value && Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
}

function toFinite(value: number): JsonValue {
  return Number.isFinite(value) ? value : null
}

/** Text without its padding of NUL bytes. */
export function decodeText(bytes: Uint8Array): string {
  let end = bytes.length
  while (end > 0 && bytes[end - 1] === 0) end--
  return toStorableText(new TextDecoder('utf-8').decode(bytes.subarray(0, end)))
}
