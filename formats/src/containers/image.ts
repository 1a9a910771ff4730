import sharp, { type Sharp } from 'sharp'
import { FormatError } from '../errors.ts'
import { createLimiter } from '../limiter.ts'

/** 8-bit pixels, rows from the top, channels interleaved. */
export interface Pixels {
  width: number
  height: number
  channels: 1 | 3
  data: Uint8Array
}

/** 16-bit grey pixels (depth), rows from the top. */
export interface DepthPixels {
  width: number
  height: number
  data: Uint16Array
}

export interface ImageProbe {
  format: ImageFormat
  width: number
  height: number
  channels: number
  bitDepth: 8 | 16
}

export type ImageFormat = 'jpeg' | 'png' | 'webp' | 'tiff'

/** SVG and HEIF are left out on purpose: one can name other files, the other is a codec library of its own. */
const allowedFormats: ReadonlySet<string> = new Set<ImageFormat>(['jpeg', 'png', 'webp', 'tiff'])
const pixelLimit = 50_000_000
const simultaneousImages = 4

sharp.cache(false)
// One libvips thread per image: callers run many small images, and threads inside one 640x480 image cost more than they give.
sharp.concurrency(1)

const images = createLimiter(simultaneousImages)

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

async function withImageErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await images.run(work)
  } catch (error) {
    if (error instanceof FormatError) throw error
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error)
    if (/pixel limit/i.test(reason ?? '')) {
      throw new FormatError('limit_exceeded', `The picture has more than ${pixelLimit / 1e6} million pixels.`, {
        cause: error,
      })
    }
    throw new FormatError('container_invalid', `The picture cannot be read: ${reason}.`, { cause: error })
  }
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

/** Decodes to 8-bit RGB; grey becomes three equal channels, alpha is dropped, the EXIF rotation is not applied (as PIL). */
export function decodeImage(bytes: Uint8Array): Promise<Pixels> {
  return withImageErrors(async () => {
    const { data, info } = await openImage(bytes)
      .toColourspace('srgb')
      .removeAlpha()
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true })
    if (info.channels === 1) return { width: info.width, height: info.height, channels: 3, data: repeatChannel(data) }
    return { width: info.width, height: info.height, channels: 3, data: viewBytes(data) }
  })
}

/** Decodes a one-channel 16-bit (or 8-bit) picture to 16-bit values as stored, without colour conversion. */
export function decodeDepthImage(bytes: Uint8Array): Promise<DepthPixels> {
  return withImageErrors(async () => {
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
}

/** Level 6 is what lerobot writes; the bytes depend only on the pixels and the bundled library. */
export function encodePng(
  picture: Pixels | DepthPixels,
  options: { compressionLevel?: number } = {},
): Promise<Uint8Array> {
  return withImageErrors(async () => {
    const { width, height, data } = picture
    const isDepth = data instanceof Uint16Array
    const channels = 'channels' in picture ? picture.channels : 1
    const image = sharp(data, { raw: { width, height, channels } })
    const bytes = await (isDepth ? image.toColourspace('grey16') : channels === 1 ? image.toColourspace('b-w') : image)
      .png({ compressionLevel: options.compressionLevel ?? 6, adaptiveFiltering: false, palette: false })
      .toBuffer()
    return viewBytes(bytes)
  })
}

export function encodeJpeg(picture: Pixels, options: { quality?: number } = {}): Promise<Uint8Array> {
  return withImageErrors(async () => {
    const { width, height, channels, data } = picture
    const bytes = await sharp(data, { raw: { width, height, channels } })
      .jpeg({ quality: options.quality ?? 85 })
      .toBuffer()
    return viewBytes(bytes)
  })
}

export function encodeWebp(picture: Pixels, options: { quality?: number } = {}): Promise<Uint8Array> {
  return withImageErrors(async () => {
    const { width, height, channels, data } = picture
    // Effort 2: the default of 4 costs twice the time for a twentieth of the bytes.
    const bytes = await sharp(data, { raw: { width, height, channels } })
      .webp({ quality: options.quality ?? 80, effort: 2 })
      .toBuffer()
    return viewBytes(bytes)
  })
}

/** Crops in source pixels, then resizes: `fit` pads black, `fill` cuts, `stretch` changes the aspect. */
export async function reshapePixels(picture: Pixels, transform: PixelTransform): Promise<Pixels> {
  let changed = picture
  for (const step of listTransforms(transform)) changed = await withImageErrors(() => reshapeOnce(changed, step))
  return changed
}

async function reshapeOnce({ width, height, channels, data }: Pixels, step: PixelTransform): Promise<Pixels> {
  let image = sharp(data, { raw: { width, height, channels } })
  if (step.crop) image = image.extract(step.crop)
  if (step.resize) {
    const { mode, width: toWidth, height: toHeight } = step.resize
    const fit = mode === 'fit' ? 'contain' : mode === 'fill' ? 'cover' : 'fill'
    image = image.resize({ width: toWidth, height: toHeight, fit, background: '#000', kernel: 'cubic' })
  }
  const { data: pixels, info } = await image.raw().toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, channels, data: viewBytes(pixels) }
}

/** As `reshapePixels`, but every value is one that was there: a mean of two distances is neither. */
export const reshapeDepth = (picture: DepthPixels, transform: PixelTransform): DepthPixels =>
  listTransforms(transform).reduce(reshapeDepthOnce, picture)

function reshapeDepthOnce({ width, height, data }: DepthPixels, step: PixelTransform): DepthPixels {
  const from = step.crop ?? { left: 0, top: 0, width, height }
  const { width: toWidth, height: toHeight, mode } = step.resize ?? { ...from, mode: 'stretch' as const }
  const ratios = [toWidth / from.width, toHeight / from.height] as const
  const ratio = mode === 'fit' ? Math.min(...ratios) : Math.max(...ratios)
  const [scaleX, scaleY] = mode === 'stretch' ? ratios : [ratio, ratio]
  const place = (at: number, to: number, of: number, scale: number) => Math.floor((at + 0.5 - to / 2) / scale + of / 2)
  const values = new Uint16Array(toWidth * toHeight)
  for (let y = 0; y < toHeight; y++) {
    const row = place(y, toHeight, from.height, scaleY)
    if (row < 0 || row >= from.height) continue
    for (let x = 0; x < toWidth; x++) {
      const column = place(x, toWidth, from.width, scaleX)
      if (column < 0 || column >= from.width) continue
      values[y * toWidth + x] = data[(from.top + row) * width + from.left + column] as number
    }
  }
  return { width: toWidth, height: toHeight, data: values }
}

/** What a recipe does to a camera: crop first (source pixels), then resize. */
export interface PixelTransform {
  crop?: { left: number; top: number; width: number; height: number }
  resize?: { width: number; height: number; mode: 'fit' | 'fill' | 'stretch' }
  /** What a recipe on the result of this one does: counted in the pixels of that result. */
  next?: PixelTransform
}

/** One after the other, each without those that follow it. */
export function listTransforms(transform: PixelTransform | undefined): PixelTransform[] {
  if (!transform) return []
  const { next, ...own } = transform
  return [own, ...listTransforms(next)]
}

export function appendTransform(
  first: PixelTransform | undefined,
  next: PixelTransform | undefined,
): PixelTransform | undefined {
  if (!first || !next) return first ?? next
  return { ...first, next: appendTransform(first.next, next) as PixelTransform }
}

function viewBytes(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
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
