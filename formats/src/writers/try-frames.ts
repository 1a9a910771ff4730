import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import type { Codec } from '../containers/codec/codec.ts'
import type { StoredChange } from '../containers/codec/filter.ts'
import { gzipLevel } from '../containers/hdf5/write-calls.ts'
import { encodeJpeg, encodePng, type Pixels } from '../containers/image.ts'
import type { Video } from '../containers/video/video.ts'
import type { PictureForm } from './frame-form.ts'
import { jpegQuality, pngLevel } from './rlds/pictures.ts'
import { createJpegXl, zstd } from './zarr/coders.ts'

const compress = promisify(deflate)

interface FramesToTry {
  readonly video: Video
  readonly frames: readonly number[]
  readonly change: StoredChange | undefined
  readonly signal: AbortSignal
}

/** The bytes of some frames of a video, each as the target would write it. */
export async function* tryFrames(codec: Codec, request: FramesToTry, form: PictureForm): AsyncGenerator<number> {
  if (form.as === 'jpeg') for await (const { bytes } of codec.render(request)) yield bytes.length
  else
    for await (const { width, height, data } of codec.decode(request))
      yield await tryPixels(codec, { width, height, channels: 3, data: data as Uint8Array }, form)
}

export async function tryPixels(codec: Codec, picture: Pixels, form: PictureForm): Promise<number> {
  return (await compressPixels(codec, picture, form)).length
}

async function compressPixels(codec: Codec, picture: Pixels, form: PictureForm): Promise<Uint8Array> {
  switch (form.as) {
    case 'jpeg':
      return encodeJpeg(picture, { quality: jpegQuality })
    case 'png':
      return encodePng(picture, { compressionLevel: pngLevel })
    case 'zstd':
      return zstd.encode(picture.data)
    case 'gzip':
      return compress(picture.data, { level: gzipLevel })
    case 'jpegxl':
      return createJpegXl(picture, form.quality, codec, undefined).encode(picture.data)
  }
}
