import type { NumericArray } from '../feature.ts'
import { toDoubles } from './doubles.ts'

const DIGIT_BITS = 11
const DIGIT_COUNT = 3
const BINS = 1 << DIGIT_BITS
/** Below this the tables of the radix sort cost more than they save. */
const FEW_VALUES = 1024
const SIGN = 0x80000000
const EXPONENT = 0x7f800000

/** The finite values of each dimension in ascending order, -0 before 0; the innermost dimension runs fastest. */
export function sortDimensions(blocks: readonly NumericArray[], dimensionCount: number): Float64Array[] {
  const dimensions = Array.from({ length: dimensionCount }, (_, dimension) => dimension)
  if (blocks.every((block) => block instanceof Float32Array)) {
    const words = blocks.map((block) => new Uint32Array(block.buffer, block.byteOffset, block.length))
    return dimensions.map((dimension) => sortSingles(words, dimension, dimensionCount))
  }
  const doubles = blocks.map(toDoubles)
  return dimensions.map((dimension) => sortDoubles(doubles, dimension, dimensionCount))
}

function sortDoubles(blocks: readonly Float64Array[], dimension: number, stride: number): Float64Array {
  const values = new Float64Array(countValues(blocks, stride))
  let filled = 0
  let isSorted = true
  let previous = Number.NEGATIVE_INFINITY
  for (const block of blocks) {
    for (let at = dimension; at < block.length; at += stride) {
      const value = block[at] as number
      if (!Number.isFinite(value)) continue
      // Equal zeros may be 0 and -0, which have an order too.
      if (value < previous || (value === 0 && previous === 0)) isSorted = false
      previous = value
      values[filled++] = value
    }
  }
  const finite = values.subarray(0, filled)
  return isSorted ? finite : finite.sort()
}

/** float32 by its bits, turned so that unsigned order is numeric order: a third of the time of sorting doubles. */
function sortSingles(blocks: readonly Uint32Array[], dimension: number, stride: number): Float64Array {
  const keys = new Uint32Array(countValues(blocks, stride))
  let filled = 0
  for (const block of blocks) {
    for (let at = dimension; at < block.length; at += stride) {
      const bits = block[at] as number
      if ((bits & EXPONENT) === EXPONENT) continue
      keys[filled++] = bits >= SIGN ? ~bits : bits | SIGN
    }
  }
  const finite = keys.subarray(0, filled)
  const sorted = filled < FEW_VALUES ? finite.sort() : sortKeys(finite)
  for (let at = 0; at < filled; at++) {
    const key = sorted[at] as number
    sorted[at] = key >= SIGN ? key & ~SIGN : ~key
  }
  return new Float64Array(new Float32Array(sorted.buffer, sorted.byteOffset, filled))
}

/** Radix sort from the lowest digit up; `keys` is used as scratch. */
function sortKeys(keys: Uint32Array): Uint32Array {
  let from = keys
  let to: Uint32Array = new Uint32Array(keys.length)
  for (let digit = 0; digit < DIGIT_COUNT; digit++) {
    const shift = digit * DIGIT_BITS
    const places = new Uint32Array(BINS)
    for (let at = 0; at < from.length; at++) {
      const bin = ((from[at] as number) >>> shift) & (BINS - 1)
      places[bin] = (places[bin] as number) + 1
    }
    let next = 0
    for (let bin = 0; bin < BINS; bin++) {
      const count = places[bin] as number
      places[bin] = next
      next += count
    }
    for (let at = 0; at < from.length; at++) {
      const key = from[at] as number
      const bin = (key >>> shift) & (BINS - 1)
      const place = places[bin] as number
      to[place] = key
      places[bin] = place + 1
    }
    ;[from, to] = [to, from]
  }
  return from
}

function countValues(blocks: readonly ArrayLike<number>[], stride: number): number {
  return Math.ceil(blocks.reduce((sum, { length }) => sum + length, 0) / stride)
}
