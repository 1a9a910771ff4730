/** What the parent and the child that writes HDF5 say to each other. */
import type { NumericDtype } from '../../feature.ts'

/** Truth values are stored as bytes of 0 and 1: h5wasm writes no enumerations. */
export type Hdf5Dtype = Exclude<NumericDtype, 'bool'>

/** Of arrays that are deflated. */
export const gzipLevel = 4

/** Paths are those of the file, "/" first. The body of `rows` and `texts` comes with the message. */
export type WriteStep =
  | { readonly do: 'group'; readonly path: string }
  | ({ readonly do: 'array'; readonly path: string; readonly dtype: Hdf5Dtype; readonly shape: readonly number[] } & {
      /** A chunk is that many rows, each deflated; else the rows lie one after the other. */
      readonly chunkRows?: number
    })
  | {
      readonly do: 'rows'
      readonly path: string
      readonly start: number
      readonly count: number
      /** Some of the same rows in other places: they are sent once. `from` counts from the first of them. */
      readonly again?: readonly RowsAgain[]
    }
  | { readonly do: 'texts'; readonly path: string; readonly texts: readonly string[] }
  | { readonly do: 'attribute'; readonly path: string; readonly name: string; readonly value: string | number }

export interface RowsAgain {
  readonly path: string
  readonly from: number
  readonly start: number
  readonly count: number
}

export interface CreateCall {
  readonly path: string
}
