/**
 * The wire between parent and child: [head length u32][body length u32][head JSON][body bytes], little-endian.
 * Both lengths are bounded, since a parser that was taken over may write anything.
 */
export interface ChildMessage {
  head: unknown
  body?: Uint8Array
}

export const prefixBytes = 8
const headLimitBytes = 8 * 1024 * 1024
const bodyLimitBytes = 256 * 1024 * 1024

export function encodePrefixAndHead(message: ChildMessage): Uint8Array {
  const head = Buffer.from(JSON.stringify(message.head ?? null))
  const bodyBytes = message.body?.byteLength ?? 0
  checkLengths(head.length, bodyBytes)
  const bytes = Buffer.allocUnsafe(prefixBytes + head.length)
  bytes.writeUInt32LE(head.length, 0)
  bytes.writeUInt32LE(bodyBytes, 4)
  bytes.set(head, prefixBytes)
  return bytes
}

export function decodePrefix(prefix: Uint8Array): { headBytes: number; bodyBytes: number } {
  const view = new DataView(prefix.buffer, prefix.byteOffset, prefixBytes)
  const headBytes = view.getUint32(0, true)
  const bodyBytes = view.getUint32(4, true)
  checkLengths(headBytes, bodyBytes)
  return { headBytes, bodyBytes }
}

function checkLengths(headBytes: number, bodyBytes: number): void {
  if (headBytes > headLimitBytes || bodyBytes > bodyLimitBytes) {
    throw new RangeError(`a message of ${headBytes} + ${bodyBytes} bytes exceeds the bound of the child's wire`)
  }
}
