import type { NumericArray } from '../feature.ts'
import { viewAsDoubles } from './doubles.ts'

/** The five that LeRobot's normalisation uses. */
export const quantileLevels = { q01: 0.01, q10: 0.1, q50: 0.5, q90: 0.9, q99: 0.99 } as const
export type QuantileName = keyof typeof quantileLevels
export const quantileNames = Object.keys(quantileLevels) as QuantileName[]

/** numpy's default: linear between the two order statistics around (n - 1) q. */
export function quantileOfSorted(sorted: Float64Array, probability: number): number {
  return interpolate(sorted.length, probability, (rank) => sorted[rank] as number)
}

export function interpolate(count: number, probability: number, valueAt: (rank: number) => number): number {
  if (count === 0) return 0
  const position = (count - 1) * probability
  const below = Math.floor(position)
  const low = valueAt(below)
  const high = below + 1 < count ? valueAt(below + 1) : low
  return low + (high - low) * (position - below)
}

/** Memory for values that are sorted at once, and for the values of a narrowed range. */
const bufferedValues = 2_000_000
const dimensionsAtOnce = 64
const maxDistinct = 64
const digits = 4
const binCount = 65_536

/**
 * Exact quantiles of any number of values in bounded memory. Values that fit are sorted. More are counted by the leading 16
 * bits of their order-preserving 64-bit form, then only the bins that hold a wanted rank are read again, until the values left
 * fit or all 64 bits are known: at most five readings, in practice two. `read` starts anew on each call.
 */
export async function findExactQuantiles(
  read: () => AsyncIterable<NumericArray>,
  dimensionCount: number,
  probabilities: readonly number[],
): Promise<number[][]> {
  const results: number[][] = []
  for (let first = 0; first < dimensionCount; first += dimensionsAtOnce) {
    const size = Math.min(dimensionsAtOnce, dimensionCount - first)
    const searches = Array.from({ length: size }, () => new QuantileSearch(Math.floor(bufferedValues / size)))
    while (searches.some((search) => !search.isDone)) {
      for await (const block of read()) {
        const values = viewAsDoubles(block)
        for (const [index, search] of searches.entries()) {
          if (!search.isDone) search.add(values, first + index, dimensionCount)
        }
      }
      for (const search of searches) search.endReading(probabilities)
    }
    results.push(...searches.map((search) => search.result))
  }
  return results
}

const chunkValues = 4096

/** Outside V8's heap, and never copied to grow: as arrays of numbers, the same values made the heap of a process three times as large. */
class ValueBuffer {
  readonly #most: number
  readonly #chunks: Float64Array[] = []
  #count = 0

  constructor(most: number) {
    this.#most = most
  }

  hasRoom(times: number): boolean {
    return this.#count + times <= this.#most
  }

  add(value: number, times: number): void {
    for (let time = 0; time < times; time++) {
      const at = this.#count++ % chunkValues
      if (at === 0) this.#chunks.push(new Float64Array(chunkValues))
      const last = this.#chunks[this.#chunks.length - 1] as Float64Array
      last[at] = value
    }
  }

  join(): Float64Array {
    const joined = new Float64Array(this.#count)
    for (const [index, chunk] of this.#chunks.entries()) {
      const from = index * chunkValues
      joined.set(chunk.subarray(0, this.#count - from), from)
    }
    return joined
  }
}

/** An interval of order-preserving keys that holds wanted ranks. */
interface Range {
  /** Leading digits, as one number below 2^(16 depth). */
  readonly prefix: number
  /** Values below the range. */
  readonly before: number
  readonly ranks: number[]
  counts: Float64Array | undefined
}

class QuantileSearch {
  isDone = false
  result: number[] = []
  readonly #capacity: number
  readonly #known = new Map<number, number>()
  /** Undefined once there are more values than it may hold. */
  #buffer: ValueBuffer | undefined
  #distinct: Map<number, number> | undefined = new Map()
  #count = 0
  #depth = 0
  readonly #wanted = new Uint8Array(binCount)
  #ranges: Range[] = [{ prefix: 0, before: 0, ranks: [], counts: undefined }]

  constructor(capacity: number) {
    this.#capacity = capacity
    this.#buffer = new ValueBuffer(capacity)
  }

  add(values: Float64Array, dimension: number, stride: number): void {
    let at = dimension
    for (; this.#distinct && at < values.length; at += stride) {
      const value = values[at] as number
      if (!Number.isFinite(value)) continue
      this.#count++
      this.#countDistinct(this.#distinct, value)
    }
    const counts = this.#ranges[0]?.counts
    if (this.#depth === 0 && counts) this.#count += countLeading(values, at, stride, counts)
    else this.#addFiltered(values, at, stride)
  }

  /** Everything at first; later only values whose leading digit a wanted rank lies in. */
  #addFiltered(values: Float64Array, start: number, stride: number): void {
    const wanted = this.#wanted
    for (let at = start; at < values.length; at += stride) {
      const value = values[at] as number
      if (!Number.isFinite(value)) continue
      if (this.#depth === 0) this.#count++
      else if (wanted[toKey(value).high >>> 16] === 0) continue
      this.#addValue(value)
    }
  }

  endReading(probabilities: readonly number[]): void {
    if (this.isDone) return
    if (this.#depth === 0) this.#ranges[0]?.ranks.push(...listRanks(this.#count, probabilities))
    if (this.#distinct) this.#resolveDistinct(this.#distinct)
    else if (this.#buffer) this.#resolveBuffer(this.#buffer.join().sort())
    else this.#narrow()
    if (this.#ranges.length > 0) return
    this.isDone = true
    this.result = probabilities.map((probability) =>
      interpolate(this.#count, probability, (rank) => this.#known.get(rank) ?? 0),
    )
  }

  /** Grippers, modes and constants have few values however many frames there are. */
  #countDistinct(distinct: Map<number, number>, value: number): void {
    distinct.set(value, (distinct.get(value) ?? 0) + 1)
    if (distinct.size <= maxDistinct) return
    this.#distinct = undefined
    for (const [known, count] of distinct) this.#addValue(known, count)
  }

  #resolveDistinct(distinct: ReadonlyMap<number, number>): void {
    let below = 0
    const ranks = this.#ranges[0]?.ranks ?? []
    for (const [value, count] of [...distinct].sort(([a], [b]) => a - b)) {
      for (const rank of ranks) if (rank >= below && rank < below + count) this.#known.set(rank, value)
      below += count
    }
    this.#ranges = []
  }

  #addValue(value: number, times = 1): void {
    const key = toKey(value)
    const range = this.#depth === 0 ? this.#ranges[0] : this.#findRange(leadingDigits(key, this.#depth))
    if (!range) return
    if (this.#buffer && !this.#buffer.hasRoom(times)) this.#spill(this.#buffer.join())
    if (this.#buffer) this.#buffer.add(value, times)
    else if (range.counts) {
      const digit = nextDigit(toKey(value), this.#depth)
      range.counts[digit] = (range.counts[digit] as number) + times
    }
  }

  #findRange(prefix: number): Range | undefined {
    for (let index = 0; index < this.#ranges.length; index++) {
      const range = this.#ranges[index]
      if (range?.prefix === prefix) return range
    }
    return undefined
  }

  /** Too many for sorting: count them by their next digit instead. */
  #spill(buffer: Float64Array): void {
    this.#buffer = undefined
    for (const range of this.#ranges) range.counts = new Float64Array(binCount)
    for (const value of buffer) this.#addValue(value)
  }

  #resolveBuffer(sorted: Float64Array): void {
    let start = 0
    for (const range of this.#ranges) {
      const isInRange = (value: number) =>
        this.#depth === 0 || leadingDigits(toKey(value), this.#depth) === range.prefix
      while (start < sorted.length && !isInRange(sorted[start] as number)) start++
      for (const rank of range.ranks) this.#known.set(rank, sorted[start + rank - range.before] as number)
    }
    this.#ranges = []
  }

  #narrow(): void {
    const next: Range[] = []
    for (const { prefix, before, ranks, counts } of this.#ranges) {
      let below = before
      for (let digit = 0, at = 0; digit < binCount && at < ranks.length; digit++) {
        const count = counts?.[digit] ?? 0
        const inside: number[] = []
        while (at < ranks.length && (ranks[at] as number) < below + count) inside.push(ranks[at++] as number)
        if (this.#depth === digits - 1) for (const rank of inside) this.#known.set(rank, fromKey(prefix, digit))
        else if (inside.length > 0)
          next.push({ prefix: prefix * binCount + digit, before: below, ranks: inside, counts: undefined })
        below += count
      }
    }
    if (this.#depth === 0) for (const { prefix } of next) this.#wanted[prefix] = 1
    this.#depth++
    this.#ranges = next
    this.#buffer = new ValueBuffer(this.#capacity)
  }
}

function listRanks(count: number, probabilities: readonly number[]): number[] {
  const ranks = new Set<number>()
  for (const probability of probabilities) {
    const below = Math.floor((count - 1) * probability)
    if (below >= 0) ranks.add(below)
    if (below + 1 < count) ranks.add(below + 1)
  }
  return [...ranks].sort((a, b) => a - b)
}

/** The inner loop of large datasets: counts leading digits, gives the number of finite values. */
function countLeading(values: Float64Array, start: number, stride: number, counts: Float64Array): number {
  let finite = 0
  for (let at = start; at < values.length; at += stride) {
    const value = values[at] as number
    if (!Number.isFinite(value)) continue
    finite++
    keyFloat[0] = value
    const high = keyBits[1] as number
    const digit = (high >>> 31 === 1 ? ~high : high | 0x80000000) >>> 16
    counts[digit] = (counts[digit] as number) + 1
  }
  return finite
}

const keyFloat = new Float64Array(1)
const keyBits = new Uint32Array(keyFloat.buffer)
const key = { high: 0, low: 0 }

/** The float64 bits, turned so that unsigned order is numeric order. */
function toKey(value: number): typeof key {
  keyFloat[0] = value
  const low = keyBits[0] as number
  const high = keyBits[1] as number
  const isNegative = high >>> 31 === 1
  key.high = (isNegative ? ~high : high | 0x80000000) >>> 0
  key.low = (isNegative ? ~low : low) >>> 0
  return key
}

function fromKey(leading: number, lastDigit: number): number {
  const high = Math.floor(leading / binCount) >>> 0
  const low = ((leading % binCount) * binCount + lastDigit) >>> 0
  const isNegative = high >>> 31 === 0
  keyBits[1] = isNegative ? ~high : high & 0x7fffffff
  keyBits[0] = isNegative ? ~low : low
  return keyFloat[0] as number
}

function leadingDigits({ high, low }: typeof key, depth: number): number {
  if (depth === 1) return high >>> 16
  return depth === 2 ? high : high * binCount + (low >>> 16)
}

function nextDigit({ high, low }: typeof key, depth: number): number {
  if (depth === 0) return high >>> 16
  if (depth === 1) return high & 0xffff
  return depth === 2 ? low >>> 16 : low & 0xffff
}
