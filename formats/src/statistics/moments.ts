import type { NumericArray } from '../feature.ts'
import { listNumbers, viewAsDoubles } from './doubles.ts'

/** Count, range, mean and spread of each dimension of a feature; merging two is exact up to rounding. */
export interface Moments {
  /** Frames, which is what LeRobot counts; a dimension of an N-D feature sees several values per frame. */
  frameCount: number
  readonly valueCount: Float64Array
  readonly min: Float64Array
  readonly max: Float64Array
  readonly mean: Float64Array
  /** Sum of squared distances from the mean. */
  readonly squares: Float64Array
  /** NaN and infinite values; they take no part. */
  notFiniteCount: number
}

export function createMoments(dimensionCount: number): Moments {
  return {
    frameCount: 0,
    valueCount: new Float64Array(dimensionCount),
    min: new Float64Array(dimensionCount).fill(Number.POSITIVE_INFINITY),
    max: new Float64Array(dimensionCount).fill(Number.NEGATIVE_INFINITY),
    mean: new Float64Array(dimensionCount),
    squares: new Float64Array(dimensionCount),
    notFiniteCount: 0,
  }
}

/** Adds rows of numbers; the innermost dimension runs fastest. */
export function addValues(moments: Moments, block: NumericArray, frameCount: number): void {
  const values = viewAsDoubles(block)
  const dimensionCount = moments.mean.length
  moments.frameCount += frameCount
  for (let dimension = 0; dimension < dimensionCount; dimension++) {
    const part = measureFinite(values, dimension, dimensionCount) ?? measureEach(values, dimension, dimensionCount)
    moments.notFiniteCount += values.length / dimensionCount - part.count
    if (part.count > 0) mergeDimension(moments, dimension, part)
  }
}

interface Part {
  count: number
  min: number
  max: number
  mean: number
  squares: number
}

/** A sum tells of a value that is not finite without a question about each; undefined where there may be one. */
function measureFinite(values: Float64Array, first: number, step: number): Part | undefined {
  let [count, sum, min, max] = [0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let at = first; at < values.length; at += step) {
    const value = values[at] as number
    count++
    sum += value
    if (value < min) min = value
    if (value > max) max = value
  }
  if (!Number.isFinite(sum)) return undefined
  const mean = sum / count
  let squares = 0
  for (let at = first; at < values.length; at += step) {
    const distance = (values[at] as number) - mean
    squares += distance * distance
  }
  return { count, min, max, mean, squares }
}

function measureEach(values: Float64Array, first: number, step: number): Part {
  let [count, sum, min, max] = [0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let at = first; at < values.length; at += step) {
    const value = values[at] as number
    if (!Number.isFinite(value)) continue
    count++
    sum += value
    if (value < min) min = value
    if (value > max) max = value
  }
  const mean = sum / count
  let squares = 0
  for (let at = first; at < values.length; at += step) {
    const distance = (values[at] as number) - mean
    if (Number.isFinite(distance)) squares += distance * distance
  }
  return { count, min, max, mean, squares }
}

export function mergeMoments(into: Moments, from: Moments): void {
  into.frameCount += from.frameCount
  into.notFiniteCount += from.notFiniteCount
  for (let dimension = 0; dimension < into.mean.length; dimension++) {
    const at = (column: Float64Array) => column[dimension] as number
    const count = at(from.valueCount)
    if (count === 0) continue
    mergeDimension(into, dimension, {
      count,
      min: at(from.min),
      max: at(from.max),
      mean: at(from.mean),
      squares: at(from.squares),
    })
  }
}

/** Population standard deviations; 0 where there is no value, never NaN. */
export function listDeviations(moments: Moments): number[] {
  const deviations = listNumbers(moments.squares)
  for (const [dimension, squares] of deviations.entries())
    deviations[dimension] = Math.sqrt(squares / Math.max(1, moments.valueCount[dimension] as number))
  return deviations
}

/** A column as plain numbers, 0 in dimensions without any finite value. */
export function listFinite(column: Float64Array): number[] {
  const list = listNumbers(column)
  for (let at = 0; at < list.length; at++) if (!Number.isFinite(list[at])) list[at] = 0
  return list
}

/** Chan's rule: no catastrophic cancellation, whatever the order of merging. */
function mergeDimension(moments: Moments, dimension: number, part: Part): void {
  const before = moments.valueCount[dimension] as number
  const count = before + part.count
  const distance = part.mean - (moments.mean[dimension] as number)
  moments.valueCount[dimension] = count
  moments.mean[dimension] = (moments.mean[dimension] as number) + (distance * part.count) / count
  moments.squares[dimension] =
    (moments.squares[dimension] as number) + part.squares + (distance * distance * before * part.count) / count
  moments.min[dimension] = Math.min(moments.min[dimension] as number, part.min)
  moments.max[dimension] = Math.max(moments.max[dimension] as number, part.max)
}
