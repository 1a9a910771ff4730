import { promisify } from 'node:util'
import { constants, zstdCompress } from 'node:zlib'
import type { Codec } from '../../containers/codec/codec.ts'
import type { CameraFeature } from '../../feature.ts'
import type { ChunkCoder } from './chunked-array.ts'

const compress = promisify(zstdCompress)
/** Of pictures of 320x240, level 3 takes half as long again (3.1 instead of 2.1 ms) and leaves 55 instead of 60 %. */
const zstdLevel = 1
/** Effort 7, libjxl's own default, takes three times as long (126 instead of 39 ms) and gives no smaller pictures at this size. */
const jpegXlEffort = 3

export const plain: ChunkCoder = { compressor: null, encode: (chunk) => chunk }

export const zstd: ChunkCoder = {
  compressor: { id: 'zstd', level: zstdLevel },
  // numcodecs reads the size of what comes out from the frame's head.
  encode: (chunk) =>
    compress(chunk, {
      pledgedSrcSize: chunk.length,
      params: { [constants.ZSTD_c_compressionLevel]: zstdLevel, [constants.ZSTD_c_contentSizeFlag]: 1 },
    }),
}

/** A picture a chunk, by the encoder of the library that decodes video; imagecodecs and UMI's own code register the decoder. */
export function createJpegXl(
  { width, height }: Pick<CameraFeature, 'width' | 'height'>,
  quality: number,
  codec: Codec,
  signal: AbortSignal | undefined,
): ChunkCoder {
  const distance = findDistance(quality)
  return {
    compressor: { id: 'imagecodecs_jpegxl', distance, effort: jpegXlEffort },
    encode: (data) => codec.compress({ width, height, data, distance, effort: jpegXlEffort, signal }),
  }
}

/** As libjxl's own tools read a quality from 1 to 100. */
function findDistance(quality: number): number {
  if (quality >= 100) return 0
  const distance = quality >= 30 ? 0.1 + (100 - quality) * 0.09 : (53 / 3000) * quality ** 2 - (23 / 20) * quality + 25
  return Math.min(15, Math.round(distance * 100) / 100)
}
