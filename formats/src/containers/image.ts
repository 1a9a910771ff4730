/** Pictures: decoded in a sandbox, since strangers made them; pixels of ours are encoded and reshaped here. */
import sharp from 'sharp'
import { parsesHere } from './child/confinement.ts'
import * as here from './pictures/decoding.ts'
import * as elsewhere from './pictures/decoding-child.ts'
import type { DepthPixels, ImageProbe, Pixels } from './pictures/pixels.ts'

export type { DepthPixels, ImageFormat, ImageProbe, Pixels } from './pictures/pixels.ts'

const { viewBytes, withImageErrors } = here

/** Size and kind of a picture without decoding its pixels. */
export const probeImage = (bytes: Uint8Array): Promise<ImageProbe> =>
  parsesHere() ? here.probeImage(bytes) : elsewhere.probeImage(bytes)

/** Decodes to 8-bit RGB; grey becomes three equal channels, alpha is dropped, the EXIF rotation is not applied (as PIL). */
export const decodeImage = (bytes: Uint8Array): Promise<Pixels> =>
  parsesHere() ? here.decodeImage(bytes) : elsewhere.decodeImage(bytes)

/** Decodes a one-channel 16-bit (or 8-bit) picture to 16-bit values as stored, without colour conversion. */
export const decodeDepthImage = (bytes: Uint8Array): Promise<DepthPixels> =>
  parsesHere() ? here.decodeDepthImage(bytes) : elsewhere.decodeDepthImage(bytes)

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
