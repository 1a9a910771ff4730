import { ServiceError } from '../../errors.ts'

const magic = 0x184d2204
const malformed = (why: string): ServiceError =>
  new ServiceError('malformed_request', `A chunk is not an LZ4 frame: ${why}.`)

/** One LZ4 frame of known raw size, as hf_xet writes them; every length is checked before it is used. */
export function decodeLz4Frame(frame: Uint8Array, rawBytes: number): Uint8Array {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength)
  if (frame.byteLength < 7 || view.getUint32(0, true) !== magic)
    throw malformed('it does not start with the expected bytes')
  const flags = view.getUint8(4)
  if (flags >>> 6 !== 1) throw malformed('its version is unknown')
  const [hasBlockSums, hasSize, hasDictionary] = [(flags & 0x10) !== 0, (flags & 0x08) !== 0, (flags & 0x01) !== 0]
  const output = new Uint8Array(rawBytes)
  let at = 6 + (hasSize ? 8 : 0) + (hasDictionary ? 4 : 0) + 1
  let filled = 0
  for (;;) {
    if (at + 4 > frame.byteLength) throw malformed('it is cut off')
    const word = view.getUint32(at, true)
    at += 4
    if (word === 0) break
    const sizeBytes = word & 0x7fffffff
    if (at + sizeBytes > frame.byteLength) throw malformed('a block is cut off')
    const block = frame.subarray(at, at + sizeBytes)
    if (word >>> 31 === 1) {
      if (filled + sizeBytes > rawBytes) throw malformed('it contains more than it declares')
      output.set(block, filled)
      filled += sizeBytes
    } else filled = decodeBlock(block, output, filled)
    at += sizeBytes + (hasBlockSums ? 4 : 0)
  }
  if (filled !== rawBytes) throw malformed(`it holds ${filled} bytes instead of ${rawBytes}`)
  return output
}

/** Literals, then a match behind what was written; answers where the output ends now. */
function decodeBlock(block: Uint8Array, output: Uint8Array, start: number): number {
  let [at, filled] = [0, start]
  const take = (): number => {
    const byte = block[at++]
    if (byte === undefined) throw malformed('a block ends early')
    return byte
  }
  const takeLength = (base: number): number => {
    let length = base
    for (let more = base === 15 ? 255 : 0; more === 255; length += more) more = take()
    return length
  }
  while (at < block.length) {
    const token = take()
    const literals = takeLength(token >>> 4)
    if (at + literals > block.length || filled + literals > output.length) throw malformed('literals run past its end')
    output.set(block.subarray(at, at + literals), filled)
    at += literals
    filled += literals
    if (at >= block.length) break
    const distance = take() | (take() << 8)
    const length = takeLength(token & 15) + 4
    if (distance === 0 || distance > filled || filled + length > output.length)
      throw malformed('a match is out of bounds')
    if (distance >= length) output.copyWithin(filled, filled - distance, filled - distance + length)
    else
      for (let index = 0; index < length; index++) output[filled + index] = output[filled + index - distance] as number
    filled += length
  }
  return filled
}
