import type { RuleFacts, RuleReport } from './rule.ts'

/** What no recording tells of itself, and a service knows. */
export interface Beyond {
  /** Episodes that other datasets of the project have as well. */
  readonly copies: readonly { readonly episodeIndex: number; readonly count: number; readonly where: string }[]
  /** The numbers of the revision before and of this one, by feature; absent where there is none before. */
  readonly statistics?: { readonly before: SetStatistics; readonly now: SetStatistics; readonly revision: number }
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
