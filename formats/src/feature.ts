import type { JsonObject, JsonValue } from './json.ts'

/** One array type per numeric dtype; bool is a byte of 0 or 1. */
export const arrayTypes = {
  float32: Float32Array,
  float64: Float64Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  bool: Uint8Array,
} as const

export type NumericDtype = keyof typeof arrayTypes
export type NumericArray =
  | Float32Array
  | Float64Array
  | Int8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigUint64Array

/** A column of numbers, truth values or text, one entry of `shape` per frame. */
export interface ColumnFeature {
  readonly kind: 'column'
  readonly name: string
  /** `language`: LeRobot's annotation rows, one JSON list per frame. */
  readonly dtype: NumericDtype | 'string' | 'language'
  /** [1] is a scalar, [N] a vector, up to five dimensions. */
  readonly shape: readonly number[]
  /** As the source gave them; see `labelDimensions`. */
  readonly names: JsonValue
}

export interface CameraFeature {
  readonly kind: 'camera'
  readonly name: string
  /** How the camera is kept in a LeRobot dataset: an MP4 stream, or one encoded picture per row. */
  readonly storage: 'video' | 'image'
  readonly width: number
  readonly height: number
  readonly channels: number
  /** Set for depth cameras. */
  readonly depth?: DepthScale
  /** Set where videos of several sources come together: frames of any other stream are encoded as this one. */
  readonly stream?: VideoStream
  /** The source's own `info` object, carried through; descriptive only. */
  readonly info: JsonObject
}

export interface VideoStream {
  readonly codec: 'av1' | 'h264'
  /** FFmpeg's name. */
  readonly pixelFormat: string
}

/** How the 12-bit codes of a depth video become distances (facts: LeRobot >= 0.6). */
export interface DepthScale {
  readonly minMeters: number
  readonly maxMeters: number
  readonly shift: number
  readonly logarithmic: boolean
  readonly unit: 'm' | 'mm'
}

export type Feature = ColumnFeature | CameraFeature

export function isNumericDtype(dtype: string): dtype is NumericDtype {
  return Object.hasOwn(arrayTypes, dtype)
}

export function isColumn(feature: Feature): feature is ColumnFeature {
  return feature.kind === 'column'
}

export function isCamera(feature: Feature): feature is CameraFeature {
  return feature.kind === 'camera'
}

const longestNameBytes = 255

/**
 * Cameras are folders of a dataset: a name that leads out of it, or is one on no disk, is none. The same is asked of names that somebody
 * gives to features.
 */
export function isPlainName(name: string): boolean {
  const isShort = new TextEncoder().encode(name).byteLength <= longestNameBytes
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return isShort && !['', '.', '..'].includes(name) && !/[/\\\0-\x1f\x7f]/.test(name)
}

/** Numbers per frame. */
export function countValues(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1)
}

/** Labels met in the wild: a list, a list in a list, a dict of one list. Anything that does not fit the shape becomes index labels. */
export function labelDimensions(feature: ColumnFeature): string[] {
  const size = feature.shape[0] ?? 1
  let names: JsonValue | undefined = feature.names
  for (let depth = 0; depth < 8 && names !== null && typeof names === 'object'; depth++) {
    if (Array.isArray(names) && names.every((name) => typeof name === 'string')) {
      return names.length === size ? names : indexLabels(size)
    }
    names = Object.values(names)[0]
  }
  return indexLabels(size)
}

function indexLabels(size: number): string[] {
  return Array.from({ length: size }, (_, index) => String(index))
}
