/** Pixels cropped and resized: numbers of ours by now, wherever they came from. */
import sharp from 'sharp'
import { viewBytes, withImageErrors } from './libvips.ts'
import type { DepthPixels, Pixels } from './pixels.ts'

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

/** How a picture is wanted: as a version changes it, and then no larger than somebody looks at. */
export interface PictureShape {
  transform?: PixelTransform | undefined
  maxWidth?: number | undefined
}

/** At the process that decodes: a large picture is decoded only for who says that no other is. */
export type AskedShape = PictureShape & { isAlone?: true }

interface Size {
  width: number
  height: number
}

/** Nobody looks at strips: pictures for people are at most this many times as tall as they may be wide. */
const tallest = 2

/** The size in which a picture is shown that may be so wide; its own where that is less. */
export function fitPicture({ width, height }: Size, maxWidth: number): Size {
  const [to, from] = height > tallest * width ? [tallest * maxWidth, height] : [maxWidth, width]
  if (from <= to) return { width, height }
  const scale = (length: number): number => Math.max(1, Math.round((length * to) / from))
  return { width: scale(width), height: scale(height) }
}

function planFit({ width, height }: Size, maxWidth: number): PixelTransform | undefined {
  const fitted = fitPicture({ width, height }, maxWidth)
  return fitted.width < width || fitted.height < height ? { resize: { ...fitted, mode: 'stretch' } } : undefined
}

export async function shapePixels(picture: Pixels, { transform, maxWidth }: PictureShape): Promise<Pixels> {
  const changed = transform ? await reshapePixels(picture, transform) : picture
  const rest = maxWidth === undefined ? undefined : planFit(changed, maxWidth)
  return rest ? reshapePixels(changed, rest) : changed
}

export function shapeDepth(picture: DepthPixels, { transform, maxWidth }: PictureShape): DepthPixels {
  const changed = transform ? reshapeDepth(picture, transform) : picture
  const rest = maxWidth === undefined ? undefined : planFit(changed, maxWidth)
  return rest ? reshapeDepth(changed, rest) : changed
}
