import { arrayTypes, countValues, type Feature, isColumn, isNumericDtype } from '../feature.ts'

/** About what a text or a list of language rows takes. */
const textBytes = 40

/** Bytes of the numbers and texts of one frame, as they lie in memory. */
export function countRowBytes(features: readonly Feature[]): number {
  return features.filter(isColumn).reduce((sum, { dtype, shape }) => {
    if (!isNumericDtype(dtype)) return sum + textBytes
    return sum + countValues(shape) * arrayTypes[dtype].BYTES_PER_ELEMENT
  }, 0)
}
