/** TensorFlow's record files: length, data, and a checksum of each. No library on npm that is kept writes them. */

const polynomial = 0x82f6_3b78
const lanes = 8

/** CRC-32C goes eight bytes at a time: byte by byte it takes longer than to write them. */
const tables = createTables()

function createTables(): Uint32Array {
  const table = new Uint32Array(256 * lanes)
  for (let byte = 0; byte < 256; byte++) {
    let value = byte
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1
    table[byte] = value
  }
  for (let at = 256; at < table.length; at++) {
    const before = table[at - 256] as number
    table[at] = (before >>> 8) ^ (table[before & 0xff] as number)
  }
  return table
}

/** Goes on from the checksum of what came before. */
export function updateCrc32c(crc: number, bytes: Uint8Array): number {
  const t = tables
  let value = ~crc
  let at = 0
  const whole = bytes.length - (bytes.length % lanes)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (; at < whole; at += lanes) {
    const low = value ^ view.getUint32(at, true)
    const high = view.getUint32(at + 4, true)
    value =
      (t[1792 + (low & 0xff)] as number) ^
      (t[1536 + ((low >>> 8) & 0xff)] as number) ^
      (t[1280 + ((low >>> 16) & 0xff)] as number) ^
      (t[1024 + (low >>> 24)] as number) ^
      (t[768 + (high & 0xff)] as number) ^
      (t[512 + ((high >>> 8) & 0xff)] as number) ^
      (t[256 + ((high >>> 16) & 0xff)] as number) ^
      (t[high >>> 24] as number)
  }
  for (; at < bytes.length; at++) value = (value >>> 8) ^ (t[(value ^ (bytes[at] as number)) & 0xff] as number)
  return ~value >>> 0
}

/** Rotated and moved, so that a checksum over checksums tells something. */
const mask = (crc: number): number => (((crc >>> 15) | (crc << 17)) + 0xa282_ead8) >>> 0

/** What stands before the data of a record. */
export function encodeRecordHead(sizeBytes: number): Uint8Array {
  const head = Buffer.alloc(12)
  head.writeBigUInt64LE(BigInt(sizeBytes), 0)
  head.writeUInt32LE(mask(updateCrc32c(0, head.subarray(0, 8))), 8)
  return head
}

/** What stands behind it. */
export function encodeRecordTail(crc: number): Uint8Array {
  const tail = Buffer.alloc(4)
  tail.writeUInt32LE(mask(crc), 0)
  return tail
}

/** Bytes that a record has beyond its data. */
export const recordFrameBytes = 16
