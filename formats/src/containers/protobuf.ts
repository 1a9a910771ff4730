/** Messages of Protocol Buffers, written field by field: the few that our targets need have no use for a compiler of schemas. */

const lengthDelimited = 2
const text = new TextEncoder()

/** Seven bits a byte, lowest first; negative numbers as the 64 bits they are. */
export function encodeVarint(value: number | bigint): Uint8Array {
  const bytes: number[] = []
  if (typeof value === 'number' && value >= 0 && value <= 0xffff_ffff) {
    let rest = value
    for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80)
    bytes.push(rest)
  } else {
    let rest = BigInt.asUintN(64, BigInt(value))
    for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
    bytes.push(Number(rest))
  }
  return Uint8Array.from(bytes)
}

/** So that small negative numbers stay short (`sint32`, `sint64`). */
export const encodeZigzag = (value: number | bigint): Uint8Array => {
  const wide = BigInt(value)
  return encodeVarint(BigInt.asUintN(64, (wide << 1n) ^ (wide >> 63n)))
}

export const encodeNumber = (field: number, value: number | bigint): Uint8Array[] => [
  encodeVarint(field << 3),
  encodeVarint(value),
]

/** Tag and length of a field whose bytes follow. */
export const encodeHead = (field: number, sizeBytes: number): Uint8Array[] => [
  encodeVarint((field << 3) | lengthDelimited),
  encodeVarint(sizeBytes),
]

export const encodeBytes = (field: number, bytes: Uint8Array): Uint8Array[] => [
  ...encodeHead(field, bytes.length),
  bytes,
]

export const encodeText = (field: number, value: string): Uint8Array[] => encodeBytes(field, text.encode(value))

export const encodeMessage = (field: number, pieces: readonly Uint8Array[]): Uint8Array[] => [
  ...encodeHead(field, countBytes(pieces)),
  ...pieces,
]

const countBytes = (pieces: readonly Uint8Array[]): number => pieces.reduce((sum, { length }) => sum + length, 0)
