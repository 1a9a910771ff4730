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
