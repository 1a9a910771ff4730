import { pipeline, type Transform } from 'node:stream'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'

type Bytes = AsyncIterable<Uint8Array>

export const compress = (body: Bytes): Transform => passThrough(body, createZstdCompress())

export const decompress = (body: Bytes): Transform => passThrough(body, createZstdDecompress())

/** What goes wrong in the source ends the transform with it, where its reader sees it. */
function passThrough(body: Bytes, transform: Transform): Transform {
  pipeline(body, transform, () => undefined)
  return transform
}
