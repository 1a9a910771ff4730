import { unwrapStep } from './angle-steps.ts'

const binsPerOctave = 8
const lowestPower = -40
const binCount = 80 * binsPerOctave

/** A number by its bits: what a logarithm would say is in its exponent and in which eighth of an octave its leading bits lie. */
const cell = new Float64Array(1)
const words = new Uint32Array(cell.buffer)
const exponentBias = 1023
const mantissaMask = 0xfffff
const leadingBits = (value: number): number => {
  cell[0] = value
  return (words[1] as number) & mantissaMask
}
/** Where each eighth ends; the last one's end is no mantissa. */
const edges = Uint32Array.from({ length: binsPerOctave }, (_, part) =>
  part + 1 < binsPerOctave ? leadingBits(2 ** ((part + 1) / binsPerOctave)) : mantissaMask + 1,
)
/** By the first six bits: how many eighths have ended before them. */
const partsBefore = Uint8Array.from({ length: 64 }, (_, first) => edges.filter((edge) => edge < first << 14).length)

/** Steps below are among the slower ones, whatever their length. */
const fastShare = 0.99

/** One dimension over a set: its least and greatest value, and how often steps of which length occur, to a tenth of their length. 2.5 kB. */
export class StepHistogram {
  min = Number.POSITIVE_INFINITY
  max = Number.NEGATIVE_INFINITY
  readonly #counts = new Uint32Array(binCount)
  #total = 0
  /** So many steps are faster than the quantile at most. */
  readonly #mostFaster: number
  /** More than those are in this bin and above it: what is below only counts. */
  #lowest = 0
  /** How many are in it and above. */
  #high = 0
  /** The last number of the episode under way. */
  #last = Number.NaN

  /** `frames`: of all the rows that will come. */
  constructor(frames: number) {
    this.#mostFaster = Math.ceil(frames * (1 - fastShare)) + 1
  }

  /** The next rows of an episode, from the place of the dimension in the first of them on. What is no number does not count, nor does no step at all. */
  add(rows: Float64Array, dimension: number, width: number): void {
    const counts = this.#counts
    let { min, max } = this
    let last = this.#last
    const lowest = this.#lowest
    // With some room: lengths at the edge of a bin go by its exact rule.
    const slow = lowest === 0 ? 0 : 2 ** (lowest / binsPerOctave + lowestPower) * 0.999
    let total = 0
    let high = 0
    for (let at = dimension; at < rows.length; at += width) {
      const value = rows[at] as number
      if (!Number.isFinite(value)) continue
      if (value < min) min = value
      if (value > max) max = value
      const length = Math.abs(unwrapStep(value - last))
      last = value
      if (!(length > 0) || length === Number.POSITIVE_INFINITY) continue
      total++
      if (length < slow) continue
      const bin = findBin(length)
      counts[bin] = (counts[bin] as number) + 1
      if (bin >= lowest) high++
    }
    this.min = min
    this.max = max
    this.#last = last
    this.#total += total
    this.#high += high
    this.#raiseLowest()
  }

  #raiseLowest(): void {
    while (this.#lowest + 1 < binCount) {
      const left = this.#high - (this.#counts[this.#lowest] as number)
      if (left <= this.#mostFaster) return
      this.#high = left
      this.#lowest++
    }
  }

  endEpisode(): void {
    this.#last = Number.NaN
  }

  /** The upper edge of the bin that holds the 99th percentile; 0 where nothing was counted. */
  findFast(): number {
    if (this.#total === 0) return 0
    const rank = Math.ceil(this.#total * fastShare)
    let reached = this.#total - this.#high
    for (let bin = this.#lowest; bin < binCount; bin++) {
      const count = this.#counts[bin] as number
      reached += count
      if (reached >= rank && count > 0) return 2 ** ((bin + 1) / binsPerOctave + lowestPower)
    }
    return 0
  }
}

function findBin(length: number): number {
  cell[0] = length
  const word = words[1] as number
  const mantissa = word & mantissaMask
  let part = partsBefore[mantissa >>> 14] as number
  const edge = edges[part] as number
  if (mantissa > edge) part++
  // Too near to tell by the leading bits.
  else if (mantissa === edge) part = Math.floor(Math.log2(length) * binsPerOctave) & (binsPerOctave - 1)
  const bin = ((word >>> 20) - exponentBias - lowestPower) * binsPerOctave + part
  return bin < 0 ? 0 : bin < binCount ? bin : binCount - 1
}
