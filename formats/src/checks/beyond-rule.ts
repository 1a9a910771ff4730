import type { Elsewhere, RuleFacts, RuleReport } from './rule.ts'

/** What no recording tells of itself, and a service knows. */
export interface Beyond {
  /** Episodes that other datasets of the project have as well. */
  readonly copies: readonly {
    readonly episodeIndex: number
    readonly count: number
    /** The first of them. */
    readonly elsewhere: Elsewhere
  }[]
  /** Episodes that are nearly those of other datasets of the project, each with the nearest. */
  readonly nearCopies: readonly NearCopy[]
  /** How many episodes of the project were too many to be compared. */
  readonly notCompared: number
  /** The numbers of the revision before and of this one, by feature; absent where there is none before. */
  readonly statistics?: { readonly before: SetStatistics; readonly now: SetStatistics; readonly revision: number }
}

export interface NearCopy {
  readonly episodeIndex: number
  /** By the measure of `near-duplicate`: a share of the range. */
  readonly distance: number
  readonly elsewhere: Elsewhere
}

/** Quantiles over every row, by dimension, as LeRobot's meta/stats.json has them. */
export type SetStatistics = Readonly<Record<string, FeatureQuantiles>>
export interface FeatureQuantiles {
  readonly q01: readonly number[]
  readonly q10: readonly number[]
  readonly q50: readonly number[]
  readonly q90: readonly number[]
  readonly q99: readonly number[]
}

/** A rule that looks beyond the recording; a file of its own like every other. */
export interface BeyondRule extends RuleFacts {
  tell(beyond: Beyond, report: RuleReport): void
}
