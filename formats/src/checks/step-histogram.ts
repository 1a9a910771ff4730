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

/** How often steps of which length occur, to a tenth of their length: quantiles of any number of steps in 2.5 kB. */
export class StepHistogram {
  readonly #counts = new Uint32Array(binCount)
  #total = 0

  /** No step at all, and what is not finite, does not count. */
  add(length: number): void {
    if (!(length > 0) || length === Number.POSITIVE_INFINITY) return
    cell[0] = length
    const word = words[1] as number
    const mantissa = word & mantissaMask
    let part = partsBefore[mantissa >>> 14] as number
    const edge = edges[part] as number
    if (mantissa > edge) part++
    // Too near to tell by the leading bits.
    else if (mantissa === edge) part = Math.floor(Math.log2(length) * binsPerOctave) & (binsPerOctave - 1)
    const bin = ((word >>> 20) - exponentBias - lowestPower) * binsPerOctave + part
    const kept = Math.min(binCount - 1, Math.max(0, bin))
    this.#counts[kept] = (this.#counts[kept] as number) + 1
    this.#total++
  }

  /** The upper edge of the bin that holds the quantile; 0 where nothing was counted. */
  findQuantile(probability: number): number {
    if (this.#total === 0) return 0
    const rank = Math.ceil(this.#total * probability)
    let reached = 0
    for (const [bin, count] of this.#counts.entries()) {
      reached += count
      if (reached >= rank && count > 0) return 2 ** ((bin + 1) / binsPerOctave + lowestPower)
    }
    return 0
  }
}
