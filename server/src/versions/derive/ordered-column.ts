import { setImmediate } from 'node:timers/promises'
import type { NumericArray } from '@nmp/formats/feature'
import { toDoubles } from '@nmp/formats/statistics/doubles'
import { addValues, createMoments, type Moments, mergeMoments } from '@nmp/formats/statistics/moments'
import { interpolate, type QuantileName, quantileLevels, quantileNames } from '@nmp/formats/statistics/quantiles'
import type { ReadModel } from '../../datasets/read-model/model.ts'

/**
 * A column prepared for statistics of any set of its episodes: the order of its values, made once, and the moments of each episode. A
 * selection then costs one walk over the order instead of a sort.
 */
export interface OrderedColumn {
  width: number
  /** Per dimension: the values ascending, and the episode each came from. Values that are not finite are left out. */
  dimensions: { values: Float64Array; episodes: Uint32Array }[]
  moments: Moments[]
}

export async function orderColumn(model: ReadModel, column: NumericArray, width: number): Promise<OrderedColumn> {
  const doubles = toDoubles(column)
  const rowCount = doubles.length / width
  const episodeOfRow = new Uint32Array(rowCount)
  const { lengthFrames, fromIndex } = model.columns
  const moments = Array.from({ length: model.episodeCount }, (_, episode) => {
    const from = fromIndex[episode] as number
    const length = lengthFrames[episode] as number
    episodeOfRow.fill(episode, from, from + length)
    const entry = createMoments(width)
    addValues(entry, doubles.subarray(from * width, (from + length) * width), length)
    return entry
  })
  const dimensions: OrderedColumn['dimensions'] = []
  for (let dimension = 0; dimension < width; dimension++) {
    dimensions.push(orderDimension(doubles, width, dimension, episodeOfRow))
    // Other requests wait for one dimension, not for all.
    await setImmediate()
  }
  return { width, dimensions, moments }
}

function orderDimension(doubles: Float64Array, width: number, dimension: number, episodeOfRow: Uint32Array) {
  const count = episodeOfRow.length
  const own = new Float64Array(count)
  for (let row = 0; row < count; row++) own[row] = doubles[row * width + dimension] as number
  const order = sortRows(own)
  const values = new Float64Array(count)
  const episodes = new Uint32Array(count)
  let filled = 0
  for (let place = 0; place < count; place++) {
    const row = order[place] as number
    const value = own[row] as number
    if (!Number.isFinite(value)) continue
    values[filled] = value
    episodes[filled++] = episodeOfRow[row] as number
  }
  return { values: values.subarray(0, filled), episodes: episodes.subarray(0, filled) }
}

const digitBits = 16
const sign = 0x80000000

/** Rows in the order of their values, by the bits of the doubles turned so that unsigned order is numeric order: a stable radix sort. */
function sortRows(values: Float64Array): Uint32Array {
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length * 2)
  let from = Uint32Array.from(values.keys())
  let to = new Uint32Array(values.length)
  const places = new Uint32Array(1 << digitBits)
  const digitOf = (row: number, digit: number): number => {
    const high = words[2 * row + 1] as number
    const word = digit < 2 ? (words[2 * row] as number) : high
    const turned = high >= sign ? ~word : digit < 2 ? word : word | sign
    return (turned >>> (digit % 2 === 0 ? 0 : digitBits)) & 0xffff
  }
  for (let digit = 0; digit < 4; digit++) {
    places.fill(0)
    for (const row of from) {
      const bin = digitOf(row, digit)
      places[bin] = (places[bin] as number) + 1
    }
    if (places.includes(values.length)) continue
    let next = 0
    for (let bin = 0; bin < places.length; bin++) {
      const size = places[bin] as number
      places[bin] = next
      next += size
    }
    for (const row of from) {
      const bin = digitOf(row, digit)
      const place = places[bin] as number
      to[place] = row
      places[bin] = place + 1
    }
    ;[from, to] = [to, from]
  }
  return from
}

/** Exactly what a sort of the selected rows would give. */
export function measureSelection(
  { width, dimensions, moments }: OrderedColumn,
  selected: Uint32Array,
  episodeCount: number,
): { moments: Moments; quantiles: Record<QuantileName, number[]> } {
  const isSelected = new Uint8Array(episodeCount)
  const total = createMoments(width)
  for (const episode of selected) {
    isSelected[episode] = 1
    mergeMoments(total, moments[episode] as Moments)
  }
  const perDimension = dimensions.map((dimension, place) =>
    findQuantiles(dimension, isSelected, total.valueCount[place] as number),
  )
  const entries = quantileNames.map((name, at) => [name, perDimension.map((row) => row[at] as number)] as const)
  return { moments: total, quantiles: Object.fromEntries(entries) as Record<QuantileName, number[]> }
}

function findQuantiles(
  { values, episodes }: { values: Float64Array; episodes: Uint32Array },
  isSelected: Uint8Array,
  count: number,
): number[] {
  const wanted = new Set<number>()
  for (const name of quantileNames)
    interpolate(count, quantileLevels[name], (rank) => {
      wanted.add(rank)
      return 0
    })
  const ranks = [...wanted].sort((one, other) => one - other)
  const found = new Map<number, number>()
  let place = 0
  let before = 0
  for (const rank of ranks) {
    for (; place < values.length; place++) {
      const own = isSelected[episodes[place] as number] as number
      if (before === rank && own === 1) break
      before += own
    }
    if (place < values.length) found.set(rank, values[place] as number)
  }
  return quantileNames.map((name) => interpolate(count, quantileLevels[name], (rank) => found.get(rank) ?? 0))
}
