import type { Severity } from '../finding.ts'
import type { FrameRange } from '../frame-ranges.ts'
import type { EpisodeSignals } from './episode-signals.ts'
import type { CameraTraces } from './pictures/camera-traces.ts'
import type { SetFacts } from './set-facts.ts'
import type { MotionPaths } from './sets/motion-paths.ts'

export type Family = 'signals' | 'motion' | 'pictures' | 'sets'

/** What is told of a rule, in docs, reports and the API. */
export interface RuleFacts {
  /** Stable: reports, filters and docs refer to it. */
  readonly id: string
  readonly family: Family
  /** A `flag` is raised for frames or episodes; a `ranking` gives every episode a value, and none of them is wrong by itself. */
  readonly kind: 'flag' | 'ranking'
  readonly severity: Severity
  /** What it finds concerns the set as a whole. */
  readonly isOfSet?: true
  /** Of the value and of the cut-off. */
  readonly unit: string
  /** Null where nothing can be set. */
  readonly cutOff: number | null
  /** Which side of the cut-off is found: more than it, from it on, less than it, up to it. Null where nothing can be set. */
  readonly found: 'above' | 'from' | 'below' | 'up-to' | null
  /**
   * A service keeps what is found at this cut-off: what is found at a stricter one is among it, to the frame. Null where a finding
   * depends on the cut-off in another way, so that only another run tells.
   */
  readonly loosest: number | null
  /** What is measured, and from where on it is found. */
  readonly sentence: string
  /** What to do about it. */
  readonly remedy: string
}

/** One thing that may be wrong with a recording: a file of its own, and a line in `index.ts`. */
export interface Rule extends RuleFacts {
  begin(set: SetFacts, report: RuleReport): RuleRun
}

/** A rule on its way through a set: it looks at the episodes in order, and at the end says what only all of them tell. */
export interface RuleRun {
  look?(episode: EpisodeSignals): void
  /** Each camera of an episode, after the episode itself; not called where pictures are not looked at. */
  watch?(camera: CameraTraces, episode: EpisodeSignals): void
  conclude?(): void
  /** What a service keeps to find the same in other sets; after the last episode. */
  listPaths?(): MotionPaths | undefined
}

/** An episode of another dataset. */
export interface Elsewhere {
  readonly datasetId: string
  readonly slug: string
  readonly episodeIndex: number
}

/** Where something was found; no position: in the whole set. */
export interface Place {
  /** Where the same is beyond the set. */
  readonly elsewhere?: Elsewhere
  readonly position?: number
  /** Half-open; the whole episode when omitted. */
  readonly frames?: FrameRange
  readonly feature?: string
  readonly camera?: string
}

/** What all episodes together measure. */
export interface OfSet {
  readonly camera?: string
  readonly value: number
  /** 0 to 1. */
  readonly confidence: number
  /** Episodes that measure the same, and all that were measured. */
  readonly agreeing: number
  readonly measured: number
  readonly sentence: string
}

export interface RuleReport {
  /** The caller's, or the rule's own. */
  readonly cutOff: number
  /** `until`: the strictest cut-off at which it is still found, where that is not the value itself. */
  flag(place: Place, value: number, sentence: string, until?: number): void
  /** `reason`: why the episode stands out by this value, in words, where it does. */
  measureSet(value: OfSet): void
  rank(position: number, value: number, more?: { confidence?: number; reason?: string }): void
}
