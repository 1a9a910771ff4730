/** What the parent and the HDF5 child say to each other, and the bounds both hold to. */
import type { JsonValue } from '../../json.ts'

/** One row range of one dataset never exceeds this. */
export const maxSliceBytes = 64 * 1024 * 1024
/** HDF5 inflates whole chunks, so a chunk bounds the memory of a read of one byte. */
export const maxChunkBytes = 128 * 1024 * 1024
export const maxDepth = 64
export const maxLinks = 200_000
export const maxAttributeBytes = 4 * 1024 * 1024
/** Attributes up to this size come with the tree; larger ones are read when asked for. */
export const inlineAttributeBytes = 16 * 1024

/** An object of the file. Paths start with "/" and have no other at the end; the root is "/". */
export type Hdf5Node = Hdf5Group | Hdf5Dataset

export interface Hdf5Group {
  readonly kind: 'group'
  readonly path: string
  readonly attrs: Readonly<Record<string, JsonValue>>
  /** Names of attributes too large to come along. */
  readonly largeAttrs?: readonly string[]
}

export interface Hdf5Dataset {
  readonly kind: 'dataset'
  readonly path: string
  /** [] for a scalar; an array type adds its own dimensions. */
  readonly shape: readonly number[]
  /** NumPy's name where there is one; `bool`, `S<n>`, `str`, `V<n>`, `vlen:<base>`, else `compound`, `reference`, `other`. */
  readonly dtype: string
  /** Of one element, without array dimensions. */
  readonly itemBytes: number
  readonly chunks: readonly number[] | null
  readonly filters: readonly Hdf5Filter[]
  readonly attrs: Readonly<Record<string, JsonValue>>
  readonly largeAttrs?: readonly string[]
  /** Why its values are never read (a bound passed, an unknown filter), as a sentence. */
  readonly refusal?: string
}

export interface Hdf5Filter {
  readonly id: number
  readonly name: string
}

export interface OpenCall {
  readonly path: string
}

export interface DescribeCall {
  readonly maxLinks: number
}

export interface RowsCall {
  readonly dataset: string
  readonly start: number
  readonly end: number
}

export interface AttributeCall {
  readonly object: string
  readonly name: string
}

/** `packed`: the elements one after the other. `ragged`: a u32 length per element, then the bytes of all. */
export interface RowsHead {
  readonly form: 'packed' | 'ragged'
}

export interface DescribeHead {
  readonly nodes: readonly Hdf5Node[]
  /** Soft links that were not followed. */
  readonly skippedLinks: number
  readonly isTruncated: boolean
}

/** Where rows lie in the file as they are, little-endian and unfiltered; null when they do not. */
export interface LocateHead {
  readonly extents: readonly (readonly [offset: number, sizeBytes: number])[] | null
}
