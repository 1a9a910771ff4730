/** Videos whose own headers ask for frames of gigabytes. */

function writeBits(fields: readonly (readonly [value: number, bits: number])[]): Buffer {
  const text = fields.map(([value, bits]) => value.toString(2).padStart(bits, '0')).join('')
  const bytes = text.padEnd(Math.ceil(text.length / 8) * 8, '0').match(/.{8}/g) ?? []
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
}

/** Exp-Golomb: as many zeros as the number has further bits. */
const golomb = (value: number): readonly [number, number] => {
  const bits = (value + 1).toString(2).length
  return [value + 1, bits * 2 - 1]
}

/** The sequence parameters of an H.264 stream of one reference frame, in blocks of 16 pixels. */
const writeSequence = (wide: number, high: number): Buffer =>
  Buffer.concat([
    Buffer.from([0x67, 66, 0xc0, 62]),
    writeBits([
      ...[0, 0, 2, 1].map(golomb),
      [0, 1],
      golomb(wide - 1),
      golomb(high - 1),
      [1, 1],
      [1, 1],
      [0, 1],
      [0, 1],
      [1, 1],
    ]),
  ])

/** The MP4 with H.264 in which the stream says that its frames have so many blocks; everything else stays where it is. */
export function enlargeFrames(mp4: Buffer, wide: number, high: number): Buffer {
  const changed = Buffer.from(mp4)
  const length = changed.indexOf('avcC', 0, 'latin1') + 4 + 6
  const place = length + 2
  const own = changed.subarray(place, place + changed.readUInt16BE(length))
  const sequence = writeSequence(wide, high)
  if (sequence.length > own.length) throw new Error('there is no room for the sequence parameters')
  own.fill(0)
  sequence.copy(own)
  return changed
}

/** The MP4 with H.264 whose container says that its pictures are 65,535 by 65,535, while the stream stays what it is. */
export function enlargeHeader(mp4: Buffer): Buffer {
  const changed = Buffer.from(mp4)
  changed.writeUInt32BE(0xffffffff, changed.indexOf('avc1', 0, 'latin1') + 4 + 24)
  const track = changed.indexOf('tkhd', 0, 'latin1') + 4
  changed.writeUInt32BE(65_535 * 65_536, track + 76)
  changed.writeUInt32BE(65_535 * 65_536, track + 80)
  return changed
}
