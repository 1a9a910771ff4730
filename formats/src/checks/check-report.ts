import type { Severity } from '../finding.ts'

/** Something that was found, by a rule of this folder or while the files were read. */
export interface CheckFinding {
  readonly rule: string
  readonly severity: Severity
  /** The source's own number; null when it concerns the set. */
  readonly episodeIndex: number | null
  /** Half-open; null when it is not about frames. */
  readonly frameFrom: number | null
  readonly frameTo: number | null
  readonly camera: string | null
  readonly feature: string | null
  readonly value: number | null
  readonly cutOff: number | null
  readonly sentence: string
  /** The strictest cut-off at which it is still found; null where there is none. */
  readonly until: number | null
}

/** What an episode measures, and how many of the others measure less. */
export interface Ranking {
  readonly rule: string
  readonly episodeIndex: number
  readonly value: number
  /** 0 is the lowest of the set, 100 the highest. */
  readonly percentile: number
  /** 0 to 1, of rules that measure how sure they are. */
  readonly confidence?: number
}

/** A reason to look at an episode that is no finding: it stands out in a ranking. */
export interface RankReason {
  readonly episodeIndex: number
  readonly reason: string
}

/** An episode that a person should look at before the others, and why. */
export interface LookFirst {
  readonly episodeIndex: number
  readonly score: number
  readonly reasons: readonly string[]
}

export interface CheckReport {
  readonly ruleSetVersion: number
  readonly episodes: number
  readonly frames: number
  readonly findings: readonly CheckFinding[]
  /** By rule: how many more were found than are listed. */
  readonly unlisted: Readonly<Record<string, number>>
  readonly rankings: readonly Ranking[]
  readonly lookFirst: readonly LookFirst[]
  /** Why episodes stand out in rankings, where they do. */
  readonly reasons: readonly RankReason[]
  /** What only a looser cut-off finds, as far as each rule says; empty unless asked for. */
  readonly near: readonly CheckFinding[]
  readonly unlistedNear: Readonly<Record<string, number>>
  /** By rule and for every episode in which it found something, near or not, listed or not: the strictest cut-off that finds it. */
  readonly strictest: Readonly<Record<string, readonly (readonly [episodeIndex: number, until: number])[]>>
  /** By rule: why it could not go on; empty unless a run goes on without such rules. */
  readonly failed: Readonly<Record<string, string>>
}

/** The form that every door gives out: `nmp-formats check --json`, the API, the SDKs. */
export const presentFinding = ({ episodeIndex, frameFrom, frameTo, cutOff, ...finding }: CheckFinding) => ({
  rule: finding.rule,
  severity: finding.severity,
  episode_index: episodeIndex,
  frame_from: frameFrom,
  frame_to: frameTo,
  camera: finding.camera,
  feature: finding.feature,
  value: finding.value,
  cut_off: cutOff,
  sentence: finding.sentence,
})

export function presentReport({ ruleSetVersion, episodes, frames, unlisted, ...report }: CheckReport) {
  return {
    ok: report.findings.every(({ severity }) => severity !== 'error'),
    rule_set_version: ruleSetVersion,
    episodes,
    frames,
    findings: report.findings.map(presentFinding),
    unlisted,
    rankings: report.rankings.map(({ episodeIndex, ...ranking }) => ({
      rule: ranking.rule,
      episode_index: episodeIndex,
      value: ranking.value,
      percentile: ranking.percentile,
      ...(ranking.confidence !== undefined && { confidence: ranking.confidence }),
    })),
    look_first: report.lookFirst.map(({ episodeIndex, score, reasons }) => ({
      episode_index: episodeIndex,
      score,
      reasons,
    })),
  }
}
