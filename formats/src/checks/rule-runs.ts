import type { Dataset } from '../dataset.ts'
import { FormatError } from '../errors.ts'
import type { Finding, Severity } from '../finding.ts'
import { type CheckReport, takeFinding } from './check-report.ts'
import type { EpisodeSignals } from './episode-signals.ts'
import { checkRules, ruleFacts, ruleSetVersion } from './index.ts'
import { orderEpisodes } from './look-first.ts'
import type { CameraTraces } from './pictures/camera-traces.ts'
import type { Rule, RuleRun } from './rule.ts'
import { RuleRecorder } from './rule-recorder.ts'
import type { SetFacts } from './set-facts.ts'

export interface RunOptions {
  /** By rule; what is not named keeps its own. */
  readonly cutOffs?: ReadonlyMap<string, number>
  /** Whether what looser cut-offs would find is kept beside the findings; default false. */
  readonly keepsNear?: boolean
  /** Whether a rule that breaks is left out and named, instead of ending the run; default false. */
  readonly outlivesRules?: boolean
}

interface StartedRule {
  readonly rule: Rule
  readonly recorder: RuleRecorder
  readonly run: RuleRun
  failure: string | undefined
}

const severityOrder: readonly Severity[] = ['error', 'warning', 'info']

/** Every rule on its way through a set. */
export class RuleRuns {
  readonly #started: readonly StartedRule[]
  readonly #options: RunOptions

  constructor(set: SetFacts, options: RunOptions) {
    this.#options = options
    this.#started = checkRules.map((rule) => startRule(rule, set, options))
  }

  look(episode: EpisodeSignals): void {
    for (const started of this.#started) this.#attempt(started, (run) => run.look?.(episode))
  }

  watch(camera: CameraTraces, episode: EpisodeSignals): void {
    for (const started of this.#started) this.#attempt(started, (run) => run.watch?.(camera, episode))
  }

  /** After the last episode. `read`: what was found while the files were read. */
  conclude(usable: Dataset, read: readonly Finding[]): CheckReport {
    for (const started of this.#started) this.#attempt(started, (run) => run.conclude?.())
    return gatherReport(usable, this.#started, read)
  }

  #attempt(started: StartedRule, act: (run: RuleRun) => void): void {
    if (started.failure !== undefined) return
    try {
      act(started.run)
    } catch (error) {
      if (!this.#options.outlivesRules) throw error
      started.failure = describeFailure(error)
    }
  }
}

/** Before anything is read. */
export function requireKnown({ cutOffs = new Map<string, number>() }: RunOptions): void {
  const known = ruleFacts.filter(({ cutOff }) => cutOff !== null)
  for (const [id, value] of cutOffs) {
    if (!known.some((rule) => rule.id === id))
      throw new FormatError(
        'unsupported',
        `There is no cut-off of ${JSON.stringify(id)}; rules with one: ${known.map((rule) => rule.id).join(', ')}.`,
      )
    if (!Number.isFinite(value)) throw new FormatError('unsupported', `The cut-off of ${id} must be a number.`)
  }
}

const describeFailure = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function startRule(rule: Rule, set: SetFacts, { cutOffs, keepsNear = false, outlivesRules }: RunOptions): StartedRule {
  const recorder = new RuleRecorder(rule, {
    cutOff: cutOffs?.get(rule.id),
    keepsNear,
    sourceIndexOf: set.sourceIndexOf,
  })
  try {
    return { rule, recorder, run: rule.begin(set, recorder), failure: undefined }
  } catch (error) {
    if (!outlivesRules) throw error
    return { rule, recorder, run: {}, failure: describeFailure(error) }
  }
}

function gatherReport(usable: Dataset, runs: readonly StartedRule[], read: readonly Finding[]): CheckReport {
  // Half of what a rule says is no result.
  const whole = runs.filter(({ failure }) => failure === undefined)
  const found = [...read.map(takeFinding), ...whole.flatMap(({ recorder }) => recorder.findings)].sort(
    (a, b) => severityOrder.indexOf(a.severity) - severityOrder.indexOf(b.severity),
  )
  const reasons = whole.flatMap(({ recorder }) => recorder.reasons)
  const byRule = <T>(pick: (started: StartedRule) => T | undefined, of = whole): Record<string, T> =>
    Object.fromEntries(
      of.flatMap((started) => {
        const value = pick(started)
        return value === undefined ? [] : [[started.rule.id, value]]
      }),
    )
  return {
    ruleSetVersion,
    episodes: usable.episodeCount,
    frames: usable.frameCount,
    findings: found,
    unlisted: byRule(({ recorder }) => recorder.unlisted || undefined),
    rankings: whole.flatMap(({ recorder }) => recorder.listRankings()),
    setValues: whole.flatMap(({ recorder }) => recorder.setValues),
    lookFirst: orderEpisodes(found, reasons),
    reasons,
    near: whole.flatMap(({ recorder }) => recorder.near),
    unlistedNear: byRule(({ recorder }) => recorder.unlistedNear || undefined),
    strictest: byRule(({ recorder }) => (recorder.strictest.size > 0 ? [...recorder.strictest] : undefined)),
    failed: byRule(({ failure }) => failure, [...runs]),
    paths: whole.map(({ run }) => run.listPaths?.()).find((paths) => paths !== undefined),
  }
}
