/** Above this a dimension is continuous: grippers that open and shut, modes and flags have fewer values. */
export const maxSwitchValues = 8

interface Dimension {
  min: number
  max: number
  readonly values: Set<number>
  /** Of the episode under way, counted from its first value, so that small motion far from zero is not rounded away. */
  first: number
  count: number
  sum: number
  squares: number
}

/** Range, number of values and variance within episodes, of each dimension of a column; rows are added in order. */
export class DimensionSurvey {
  readonly width: number
  readonly #dimensions: Dimension[]
  readonly #squares: Float64Array
  readonly #counts: Float64Array

  constructor(width: number) {
    this.width = width
    this.#squares = new Float64Array(width)
    this.#counts = new Float64Array(width)
    this.#dimensions = Array.from({ length: width }, () => ({
      min: Number.POSITIVE_INFINITY,
      max: Number.NEGATIVE_INFINITY,
      values: new Set<number>(),
      first: 0,
      count: 0,
      sum: 0,
      squares: 0,
    }))
  }

  add(rows: Float64Array): void {
    for (const [index, dimension] of this.#dimensions.entries()) {
      for (let at = index; at < rows.length; at += this.width) {
        const value = rows[at] as number
        if (!Number.isFinite(value)) continue
        if (value < dimension.min) dimension.min = value
        if (value > dimension.max) dimension.max = value
        if (dimension.values.size <= maxSwitchValues) dimension.values.add(value)
        if (dimension.count === 0) dimension.first = value
        const moved = value - dimension.first
        dimension.count++
        dimension.sum += moved
        dimension.squares += moved * moved
      }
    }
  }

  endEpisode(): void {
    for (const [index, dimension] of this.#dimensions.entries()) {
      const { count, sum, squares } = dimension
      if (count > 0) {
        this.#squares[index] = (this.#squares[index] as number) + Math.max(0, squares - (sum * sum) / count)
        this.#counts[index] = (this.#counts[index] as number) + count
      }
      dimension.count = 0
      dimension.sum = 0
      dimension.squares = 0
    }
  }

  rangeOf(index: number): number {
    const { min, max } = this.#dimensions[index] as Dimension
    return max > min ? max - min : 0
  }

  /** Around each episode's own mean. */
  varianceOf(index: number): number {
    return (this.#squares[index] as number) / Math.max(1, this.#counts[index] as number)
  }

  isContinuous(index: number): boolean {
    return (this.#dimensions[index] as Dimension).values.size > maxSwitchValues && this.rangeOf(index) > 0
  }

  listContinuous(): number[] {
    return this.#list((index) => this.isContinuous(index))
  }

  /** Two to eight values. */
  listSwitches(): number[] {
    return this.#list((index) => !this.isContinuous(index) && this.rangeOf(index) > 0)
  }

  #list(isListed: (index: number) => boolean): number[] {
    return this.#dimensions.flatMap((_, index) => (isListed(index) ? [index] : []))
  }
}
