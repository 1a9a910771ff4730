import type { ColumnFeature, NumericArray } from '../feature.ts'
import { addValues, createMoments, listDeviations, listFinite, type Moments } from './moments.ts'
import { type QuantileName, quantileLevels, quantileNames, quantileOfSorted } from './quantiles.ts'
import { sortDimensions } from './sorting.ts'
import { mergeQuantiles, type Summary, summarize } from './summary.ts'

/** Statistics of one feature over one episode. */
export interface FeatureStatistics {
  readonly moments: Moments
  readonly quantiles: Readonly<Record<QuantileName, readonly number[]>>
  /** False when the episode was too long to sort; quantiles are then the middle of a bracket. */
  readonly isExact: boolean
}

/** Values of one feature that are held for sorting; an episode with more is summarised in pieces. */
const bufferedValues = 4_000_000

/** LeRobot folds a feature of several dimensions to its last one. */
export function countDimensions(feature: Pick<ColumnFeature, 'shape'>): number {
  return feature.shape.at(-1) ?? 1
}

/** Collects one feature of one episode, block by block. */
export class EpisodeStatistics {
  readonly #moments: Moments
  readonly #dimensionCount: number
  readonly #hasQuantiles: boolean
  readonly #pieces: Summary[][] = []
  #held: NumericArray[] = []
  #heldValues = 0

  /** Without quantiles, which are most of the work, their lists are empty. */
  constructor(dimensionCount: number, { hasQuantiles = true } = {}) {
    this.#dimensionCount = dimensionCount
    this.#hasQuantiles = hasQuantiles
    this.#moments = createMoments(dimensionCount)
  }

  /** `values` is kept until the episode ends and must not be changed. */
  add(values: NumericArray, frameCount: number): void {
    addValues(this.#moments, values, frameCount)
    if (!this.#hasQuantiles) return
    this.#held.push(values)
    this.#heldValues += values.length
    if (this.#heldValues > bufferedValues) this.#summarizeHeld()
  }

  finish(): FeatureStatistics {
    const isExact = this.#pieces.length === 0
    const probabilities = quantileNames.map((name) => quantileLevels[name])
    const perDimension: number[][] = []
    if (isExact && this.#hasQuantiles) {
      for (const sorted of sortDimensions(this.#held, this.#dimensionCount)) {
        perDimension.push(probabilities.map((probability) => quantileOfSorted(sorted, probability)))
      }
    } else if (!isExact) {
      this.#summarizeHeld()
      for (const summary of this.#joinPieces())
        perDimension.push(mergeQuantiles([summary], probabilities).map(({ value }) => value))
    }
    const quantiles = Object.fromEntries(
      quantileNames.map((name, index) => [name, perDimension.map((row) => row[index] as number)]),
    )
    return { moments: this.#moments, quantiles: quantiles as Record<QuantileName, number[]>, isExact }
  }

  #summarizeHeld(): void {
    if (this.#heldValues === 0) return
    this.#pieces.push([...sortDimensions(this.#held, this.#dimensionCount).map(summarize)])
    this.#held = []
    this.#heldValues = 0
  }

  #joinPieces(): Summary[] {
    const join = (pick: (summary: Summary) => Float64Array, dimension: number) =>
      Float64Array.from(this.#pieces.flatMap((piece) => [...pick(piece[dimension] as Summary)]))
    return Array.from({ length: this.#dimensionCount }, (_, dimension) => ({
      first: join(({ first }) => first, dimension),
      last: join(({ last }) => last, dimension),
      count: join(({ count }) => count, dimension),
    }))
  }
}

/** Of the numbers `first`, `first + step`, … without a look at each: every episode has columns that only count. */
export function describeCounted(first: number, step: 0 | 1, frameCount: number): FeatureStatistics {
  const span = step * (frameCount - 1)
  const one = (value: number) => new Float64Array([value])
  const moments: Moments = {
    frameCount,
    valueCount: one(frameCount),
    min: one(first),
    max: one(first + span),
    mean: one(first + span / 2),
    squares: one((step * frameCount * (frameCount * frameCount - 1)) / 12),
    notFiniteCount: 0,
  }
  const quantiles = Object.fromEntries(quantileNames.map((name) => [name, [first + span * quantileLevels[name]]]))
  return { moments, quantiles: quantiles as Record<QuantileName, number[]>, isExact: true }
}

/** The five numbers and five quantiles as LeRobot's stats.json spells them. */
export function presentStatistics(
  moments: Moments,
  quantiles: Readonly<Record<QuantileName, readonly number[]>>,
): Record<string, readonly number[]> {
  return {
    min: listFinite(moments.min),
    max: listFinite(moments.max),
    mean: listFinite(moments.mean),
    std: listDeviations(moments),
    count: [moments.frameCount],
    ...quantiles,
  }
}
