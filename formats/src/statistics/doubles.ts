import type { NumericArray } from '../feature.ts'

/** The values as doubles, converted once per block: loops over one array type are several times faster than over ten. */
export function toDoubles(values: NumericArray): Float64Array {
  if (values instanceof Float64Array) return values
  if (values instanceof BigInt64Array || values instanceof BigUint64Array) return convertBigInts(values)
  return new Float64Array(values)
}

let scratch = new Float64Array(0)
const scratchValues = 1_000_000

/** The same in memory that the next call uses again: that of one block each was a third of what V8 collected during an import. */
export function viewAsDoubles(values: NumericArray): Float64Array {
  const isConverted =
    values instanceof Float64Array || values instanceof BigInt64Array || values instanceof BigUint64Array
  if (isConverted || values.length > scratchValues) return toDoubles(values)
  if (scratch.length < values.length) scratch = new Float64Array(values.length)
  scratch.set(values)
  return scratch.subarray(0, values.length)
}

/** By halves: every bigint that is looked at is an object, which took longer to collect than its values to sort. One sum rounds as one would. */
function convertBigInts(values: BigInt64Array | BigUint64Array): Float64Array {
  const { buffer, byteOffset, length } = values
  const low = new Uint32Array(buffer, byteOffset, length * 2)
  const high = values instanceof BigInt64Array ? new Int32Array(buffer, byteOffset, length * 2) : low
  const doubles = new Float64Array(length)
  for (let at = 0; at < length; at++) doubles[at] = (high[2 * at + 1] as number) * 2 ** 32 + (low[2 * at] as number)
  return doubles
}

/** Whole numbers below 2^53, not negative, as 64-bit integers; by halves for the same reason. */
export function toBigInts(count: number, valueAt: (place: number) => number): BigInt64Array<ArrayBuffer> {
  const words = new Uint32Array(count * 2)
  for (let at = 0; at < count; at++) {
    const value = valueAt(at)
    if (value < 2 ** 32) words[2 * at] = value
    else {
      words[2 * at] = value % 2 ** 32
      words[2 * at + 1] = Math.floor(value / 2 ** 32)
    }
  }
  return new BigInt64Array(words.buffer)
}

/** As a list; spreading an array of doubles, or `from` with a function, asks an iterator for each. */
export function listNumbers(values: Float64Array): number[] {
  const list = new Array<number>(values.length)
  for (let at = 0; at < values.length; at++) list[at] = values[at] as number
  return list
}

/** Nothing that is no number gives 0 when multiplied by it, and a sum tells of one without a question about each. */
export function isAllFinite(values: Float64Array): boolean {
  let sum = 0
  for (let at = 0; at < values.length; at++) sum += (values[at] as number) * 0
  return sum === 0
}
