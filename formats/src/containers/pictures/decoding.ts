/** Pictures of strangers, decoded in this process: `image.ts` asks for it where this process is in a sandbox, `decoding-entry.ts` is one. */
import sharp, { type Sharp } from 'sharp'
import { FormatError } from '../../errors.ts'
import { pixelLimit, viewBytes, withImageErrors } from './libvips.ts'
import type { DepthPixels, ImageFormat, ImageProbe, Pixels } from './pixels.ts'
import { fitPicture, type PictureShape, shapeDepth, shapePixels } from './reshape.ts'

/** SVG and HEIF are left out on purpose: one can name other files, the other is a codec library of its own. */
const allowedFormats: ReadonlySet<string> = new Set<ImageFormat>(['jpeg', 'png', 'webp', 'tiff'])

/** The signature decides which decoder libvips picks, so it is checked before libvips sees a byte. */
function findFormatBySignature(bytes: Uint8Array): ImageFormat | undefined {
  const starts = (...signature: number[]) => signature.every((byte, index) => bytes[index] === byte)
  if (starts(0xff, 0xd8, 0xff)) return 'jpeg'
  if (starts(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'png'
  if (starts(0x49, 0x49, 0x2a, 0x00) || starts(0x4d, 0x4d, 0x00, 0x2a)) return 'tiff'
  if (starts(0x52, 0x49, 0x46, 0x46) && bytes[8] === 0x57 && bytes[9] === 0x45) return 'webp'
  return undefined
}

function openImage(bytes: Uint8Array): Sharp {
  if (findFormatBySignature(bytes) === undefined) {
    throw new FormatError('container_invalid', 'The picture is not JPEG, PNG, WebP or TIFF; store it as one of these.')
  }
  return sharp(bytes, { limitInputPixels: pixelLimit, failOn: 'error', animated: false, pages: 1 })
}

/** Size and kind of a picture without decoding its pixels. */
export function probeImage(bytes: Uint8Array): Promise<ImageProbe> {
  return withImageErrors(async () => {
    const { format, width, height, channels, depth } = await openImage(bytes).metadata()
    if (!allowedFormats.has(format)) throw new FormatError('container_invalid', `The picture is ${format}.`)
    if (width * height > pixelLimit) {
      throw new FormatError('limit_exceeded', `The picture is ${width} x ${height}; the limit is 50 million pixels.`)
    }
    return { format: format as ImageFormat, width, height, channels, bitDepth: depth === 'ushort' ? 16 : 8 }
  })
}

/**
 * Decodes to 8-bit RGB; grey becomes three equal channels, alpha is dropped, the EXIF rotation is not applied (as PIL). What is only to be
 * smaller becomes so row by row, so that fifty million pixels are never in memory at once; what a version changes is decoded whole first.
 */
export async function decodeImage(bytes: Uint8Array, { transform, maxWidth }: PictureShape): Promise<Pixels> {
  const isOnlySmaller = transform === undefined && maxWidth !== undefined
  const decoded = await withImageErrors(async (): Promise<Pixels> => {
    const image = openImage(bytes).toColourspace('srgb').removeAlpha()
    const fitted = isOnlySmaller ? fitPicture(await image.metadata(), maxWidth) : undefined
    const shown = fitted ? image.resize({ ...fitted, fit: 'fill', kernel: 'cubic', withoutEnlargement: true }) : image
    const { data, info } = await shown.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
    if (info.channels === 1) return { width: info.width, height: info.height, channels: 3, data: repeatChannel(data) }
    return { width: info.width, height: info.height, channels: 3, data: viewBytes(data) }
  })
  return isOnlySmaller ? decoded : shapePixels(decoded, { transform, maxWidth })
}

/** Decodes a one-channel 16-bit (or 8-bit) picture to 16-bit values as stored, without colour conversion. */
export async function decodeDepthImage(bytes: Uint8Array, shape: PictureShape): Promise<DepthPixels> {
  const decoded = await withImageErrors(async () => {
    const image = openImage(bytes)
    const { channels, depth } = await image.metadata()
    if (channels !== 1) {
      throw new FormatError('container_invalid', `A depth picture has one channel; this one has ${channels}.`)
    }
    const wide = depth === 'ushort'
    const { data, info } = await image
      .toColourspace(wide ? 'grey16' : 'b-w')
      .raw({ depth: wide ? 'ushort' : 'uchar' })
      .toBuffer({ resolveWithObject: true })
    const values = wide ? new Uint16Array(viewBytes(data).slice().buffer) : Uint16Array.from(data)
    return { width: info.width, height: info.height, data: values }
  })
  return shapeDepth(decoded, shape)
}

function repeatChannel(grey: Uint8Array): Uint8Array {
  const rgb = new Uint8Array(grey.length * 3)
  for (let i = 0, j = 0; i < grey.length; i++) {
    const value = grey[i] ?? 0
    rgb[j++] = value
    rgb[j++] = value
    rgb[j++] = value
  }
  return rgb
}
