/** Packed little-endian numbers of HDF5 as the typed arrays of features. */
import { arrayTypes, type NumericArray, type NumericDtype } from '../../feature.ts'

const kept: Readonly<Record<string, NumericDtype>> = {
  bool: 'bool',
  int8: 'int8',
  int16: 'int16',
  int32: 'int32',
  int64: 'int64',
  uint8: 'uint8',
  uint16: 'uint16',
  uint32: 'uint32',
  uint64: 'uint64',
  float16: 'float32',
  float32: 'float32',
  // Policies train in float32, and every public converter stores it so.
  float64: 'float32',
}

/** The feature's type for an HDF5 type; undefined when a column cannot hold it. */
export function findColumnDtype(dtype: string): NumericDtype | undefined {
  return Object.hasOwn(kept, dtype) ? kept[dtype] : undefined
}

type SourceArray = NumericArray | Float16Array

/** A view on the bytes, copied only when they are not aligned. */
export function viewNumbers(dtype: string, bytes: Uint8Array): SourceArray | undefined {
  if (dtype !== 'float16' && !Object.hasOwn(arrayTypes, dtype)) return undefined
  const type = dtype === 'float16' ? Float16Array : arrayTypes[dtype as NumericDtype]
  const size = type.BYTES_PER_ELEMENT
  const aligned = bytes.byteOffset % size === 0 ? bytes : bytes.slice()
  return new type(aligned.buffer as ArrayBuffer, aligned.byteOffset, Math.floor(aligned.byteLength / size))
}

export function toNumbers(dtype: string, bytes: Uint8Array): Float64Array | undefined {
  const values = viewNumbers(dtype, bytes)
  return values && Float64Array.from(values as Iterable<number | bigint>, Number)
}

/** Rows of several arrays side by side, `widths[i]` values of each per row, in the feature's type. */
export function joinColumns(
  dtype: NumericDtype,
  parts: readonly { readonly values: SourceArray; readonly width: number }[],
  rowCount: number,
): NumericArray {
  const first = parts[0]
  const type = arrayTypes[dtype]
  if (parts.length === 1 && first && first.values.constructor === type) return first.values as NumericArray
  const total = parts.reduce((sum, { width }) => sum + width, 0)
  const joined = new type(rowCount * total) as Float64Array
  let column = 0
  for (const { values, width } of parts) {
    const isBig = values instanceof BigInt64Array || values instanceof BigUint64Array
    const numbers = isBig ? Float64Array.from(values, Number) : (values as Float64Array)
    for (let row = 0; row < rowCount; row++) {
      for (let index = 0; index < width; index++) {
        joined[row * total + column + index] = numbers[row * width + index] as number
      }
    }
    column += width
  }
  return joined
}
