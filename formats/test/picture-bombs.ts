import { crc32, deflateSync } from 'node:zlib'

/** Pictures of some kilobytes that are, or say they are, far more. */

const chunk = (type: string, data: Uint8Array): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const bytes = Buffer.alloc(body.length + 8)
  bytes.writeUInt32BE(data.length)
  body.copy(bytes, 4)
  bytes.writeUInt32BE(crc32(body), body.length + 4)
  return bytes
}

interface WrittenPng {
  width: number
  height: number
  /** Of a grey pixel; 8 unless said. */
  bits?: 8 | 16
  /** Of zeros, as they are stored; those of the picture unless said. */
  pixelBytes?: number
  /** Between the header and the pixels. */
  extra?: Uint8Array
}

/** A black picture, of which the stored pixels may be too few or too many. */
export function writePng({ width, height, bits = 8, pixelBytes, extra = Buffer.alloc(0) }: WrittenPng): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = bits
  const lines = deflateSync(Buffer.alloc(pixelBytes ?? height * (1 + (width * bits) / 8)))
  const start = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([start, chunk('IHDR', header), extra, chunk('IDAT', lines), chunk('IEND', Buffer.alloc(0))])
}

/** A text beside the pixels, compressed: so many spaces. */
export const writePngText = (length: number): Buffer =>
  chunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0', 'latin1'), deflateSync(Buffer.alloc(length, ' '))]))

/** A colour profile beside the pixels, compressed: so many zeros. */
export const writePngProfile = (length: number): Buffer =>
  chunk('iCCP', Buffer.concat([Buffer.from('p\0\0', 'latin1'), deflateSync(Buffer.alloc(length))]))

/** A JPEG that ends where its pixels begin. */
export function writeJpegHeader(width: number, height: number): Buffer {
  const frame = Buffer.from('ffc00011080000000003012200021101031101', 'hex')
  frame.writeUInt16BE(height, 5)
  frame.writeUInt16BE(width, 7)
  const quantization = Buffer.concat([Buffer.from('ffdb004300', 'hex'), Buffer.alloc(64, 1)])
  const scan = Buffer.from('ffda000c03010002110311003f00', 'hex')
  return Buffer.concat([Buffer.from('ffd8', 'hex'), quantization, frame, scan, Buffer.from('ffd9', 'hex')])
}
