import type { Finding, Severity } from '../finding.ts'
import type { Elsewhere } from './rule.ts'
import type { MotionPaths } from './sets/motion-paths.ts'

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
  /** Of rules that look beyond the set: where the same is. */
  readonly elsewhere?: Elsewhere
}

/** What an episode measures, and how many of the others measure less. */
export interface Ranking {
  readonly rule: string
  readonly episodeIndex: number
  readonly value: number
  /** 0 is the lowest of the set, 100 the highest. */
  readonly percentile: number
  /** 1 is the lowest of the set; equal values share one. */
  readonly rank: number
  /** 0 to 1, of rules that measure how sure they are. */
  readonly confidence?: number
}

/** What a rule measures of all episodes together. */
export interface SetValue {
  readonly rule: string
  readonly camera: string | null
  /** In the rule's unit. */
  readonly value: number
  /** 0 to 1. */
  readonly confidence: number
  /** Episodes that measure the same, and all that were measured. */
  readonly agreeing: number
  readonly measured: number
  readonly sentence: string
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
  readonly setValues: readonly SetValue[]
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
  /** How the arm went through each episode, for finding the same in other sets; undefined where nothing moves. */
  readonly paths: MotionPaths | undefined
}

/** What was found while the files were read, in the same form. */
export const takeFinding = ({ rule, severity, episode, sentence }: Finding): CheckFinding => ({
  rule,
  severity,
  episodeIndex: episode,
  frameFrom: null,
  frameTo: null,
  camera: null,
  feature: null,
  value: null,
  cutOff: null,
  sentence,
  until: null,
})

/** The form that every door gives out: `nmp-formats check --json`, the API, the SDKs. */
export const presentFinding = ({ episodeIndex, frameFrom, frameTo, cutOff, elsewhere, ...finding }: CheckFinding) => ({
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
  elsewhere: elsewhere
    ? { dataset_id: elsewhere.datasetId, dataset_slug: elsewhere.slug, episode_index: elsewhere.episodeIndex }
    : null,
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
      rank: ranking.rank,
      percentile: ranking.percentile,
      ...(ranking.confidence !== undefined && { confidence: ranking.confidence }),
    })),
    set_values: report.setValues,
    look_first: report.lookFirst.map(({ episodeIndex, score, reasons }) => ({
      episode_index: episodeIndex,
      score,
      reasons,
    })),
  }
}
