const binsPerOctave = 8
const lowestPower = -40
const binCount = 80 * binsPerOctave

/** How often steps of which length occur, to a tenth of their length: quantiles of any number of steps in 2.5 kB. */
export class StepHistogram {
  readonly #counts = new Uint32Array(binCount)
  #total = 0

  /** No step at all, and what is not finite, does not count. */
  add(length: number): void {
    if (!(length > 0) || length === Number.POSITIVE_INFINITY) return
    const bin = Math.floor((Math.log2(length) - lowestPower) * binsPerOctave)
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
