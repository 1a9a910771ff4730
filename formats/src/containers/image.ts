/** Pictures: decoded in a sandbox, since strangers made them; pixels of ours are encoded and reshaped here. */
import sharp from 'sharp'
import { parsesHere } from './child/confinement.ts'
import * as here from './pictures/decoding.ts'
import * as elsewhere from './pictures/decoding-child.ts'
import { viewBytes, withImageErrors } from './pictures/libvips.ts'
import type { DepthPixels, ImageProbe, Pixels } from './pictures/pixels.ts'
import type { PictureShape } from './pictures/reshape.ts'

export type { DepthPixels, ImageFormat, ImageProbe, Pixels } from './pictures/pixels.ts'
export {
  appendTransform,
  fitPicture,
  listTransforms,
  type PictureShape,
  type PixelTransform,
  reshapeDepth,
  reshapePixels,
} from './pictures/reshape.ts'

/** Size and kind of a picture without decoding its pixels. */
export const probeImage = (bytes: Uint8Array): Promise<ImageProbe> =>
  parsesHere() ? here.probeImage(bytes) : elsewhere.probeImage(bytes)

/**
 * Decodes to 8-bit RGB; grey becomes three equal channels, alpha is dropped, the EXIF rotation is not applied (as PIL). A shape is made where
 * it was decoded: of fifty million pixels only those that are wanted come here.
 */
export const decodeImage = (bytes: Uint8Array, shape: PictureShape = {}): Promise<Pixels> =>
  parsesHere() ? here.decodeImage(bytes, shape) : elsewhere.decodeImage(bytes, shape)

/** Decodes a one-channel 16-bit (or 8-bit) picture to 16-bit values as stored, without colour conversion. */
export const decodeDepthImage = (bytes: Uint8Array, shape: PictureShape = {}): Promise<DepthPixels> =>
  parsesHere() ? here.decodeDepthImage(bytes, shape) : elsewhere.decodeDepthImage(bytes, shape)

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
