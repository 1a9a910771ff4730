import type { Dataset } from '../dataset.ts'
import type { ColumnFeature } from '../feature.ts'
import { type Finding, Findings } from '../finding.ts'
import type { MotionScale } from '../statistics/idle.ts'
import type { MeasuredEpisode, MotionWatcher } from '../statistics/motion.ts'
import type { CheckReport } from './check-report.ts'
import { HeldRows, listNumeric, readSignals, reportPart } from './episode-signals.ts'
import { RuleRuns, type RunOptions, requireKnown } from './rule-runs.ts'
import { type SetFacts, SetSurvey } from './set-facts.ts'
import { reportUnmeasured } from './unmeasured.ts'

export interface BesideOptions extends RunOptions {
  readonly signal: AbortSignal
  /** From the first episode on. */
  readonly maxMs: number
}

interface Begun {
  readonly dataset: Dataset
  readonly columns: readonly ColumnFeature[]
  readonly set: SetFacts
  readonly runs: RuleRuns
  readonly findings: Findings
  readonly rows: HeldRows
  readonly signal: AbortSignal
  looked: number
}

/**
 * The rules of numbers, on rows that are read and measured to score motion anyway. Whoever does that is never hindered: what breaks
 * here ends the looking, and there is no report.
 */
export class ChecksBeside implements MotionWatcher {
  readonly #options: BesideOptions
  #opened: { dataset: Dataset; survey: SetSurvey } | undefined
  #begun: Begun | undefined
  #timeout: AbortSignal | undefined

  constructor(options: BesideOptions) {
    this.#options = options
  }

  /** It took too long, and was left. */
  get isLate(): boolean {
    return this.#timeout?.aborted ?? false
  }

  open(dataset: Dataset): void {
    this.#opened = { dataset, survey: new SetSurvey(dataset) }
  }

  add(columns: ReadonlyMap<string, Float64Array>): void {
    this.#opened?.survey.add(columns)
  }

  endEpisode(): void {
    this.#opened?.survey.endEpisode()
  }

  async begin(scale: MotionScale): Promise<void> {
    if (!this.#opened) return
    const { dataset, survey } = this.#opened
    try {
      requireKnown(this.#options)
      const set = await survey.finish(dataset, scale)
      const findings = new Findings()
      reportUnmeasured(set, findings)
      const runs = new RuleRuns(set, this.#options)
      this.#timeout = AbortSignal.timeout(this.#options.maxMs)
      const signal = AbortSignal.any([this.#options.signal, this.#timeout])
      const columns = listNumeric(dataset)
      this.#begun = { dataset, columns, set, runs, findings, rows: new HeldRows(), signal, looked: 0 }
    } catch {
      this.#begun = undefined
    }
  }

  async look(position: number): Promise<MeasuredEpisode | undefined> {
    if (!this.#begun) return undefined
    const { dataset, columns, set, runs, findings, rows, signal } = this.#begun
    try {
      signal.throwIfAborted()
      const episode = dataset.getEpisode(position)
      const signals = await readSignals({ episode, position, columns, set, rows, maxValues: undefined, signal })
      reportPart(signals, episode, findings)
      runs.look(signals)
      this.#begun.looked++
      const { traces, scores, frames, notFinite } = signals
      // Gaps are held in another way here.
      const isWhole = frames === episode.length && notFinite.size === 0
      return isWhole && traces && scores ? { traces, scores } : undefined
    } catch {
      this.#begun = undefined
      return undefined
    }
  }

  /** Undefined where not every episode was looked at. `read`: what was found while the files were read. */
  conclude(read: readonly Finding[]): CheckReport | undefined {
    if (!this.#begun || this.#begun.looked < this.#begun.dataset.episodeCount) return undefined
    const { dataset, runs, findings } = this.#begun
    return runs.conclude(dataset, [...read, ...findings.list])
  }
}
