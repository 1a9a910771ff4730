import { countBelow } from '../statistics/count-below.ts'
import type { CheckFinding, Ranking, RankReason, SetValue } from './check-report.ts'
import { isFound, pickLooser } from './cut-off.ts'
import type { OfSet, Place, RuleFacts, RuleReport } from './rule.ts'

/** More of one rule is counted and not listed. */
const maxPerRule = 1000
const maxPerEpisode = 20

export interface RecorderOptions {
  readonly cutOff: number | undefined
  /** Whether what a looser cut-off would find is taken down too. */
  readonly keepsNear: boolean
  readonly sourceIndexOf: (position: number) => number
}

/** Takes down what one rule says. */
export class RuleRecorder implements RuleReport {
  /** What the rule goes by. */
  readonly cutOff: number
  readonly findings: CheckFinding[] = []
  /** What only a looser cut-off finds. */
  readonly near: CheckFinding[] = []
  readonly reasons: RankReason[] = []
  readonly setValues: SetValue[] = []
  /** By episode, listed or not: the strictest cut-off at which something is found in it. */
  readonly strictest = new Map<number, number>()
  unlisted = 0
  unlistedNear = 0
  readonly #rule: RuleFacts
  readonly #asked: number
  readonly #sourceIndexOf: (position: number) => number
  readonly #values: { position: number; value: number; confidence: number | undefined }[] = []
  readonly #perEpisode = { found: new Map<number, number>(), near: new Map<number, number>() }

  constructor(rule: RuleFacts, { cutOff, keepsNear, sourceIndexOf }: RecorderOptions) {
    this.#rule = rule
    this.#asked = cutOff ?? rule.cutOff ?? Number.NaN
    this.cutOff = keepsNear ? pickLooser(rule, this.#asked) : this.#asked
    this.#sourceIndexOf = sourceIndexOf
  }

  flag({ position, frames, feature, camera, elsewhere }: Place, value: number, sentence: string, until = value): void {
    const isNear = !Number.isNaN(this.#asked) && this.cutOff !== this.#asked && !isFound(this.#rule, until, this.#asked)
    const perEpisode = isNear ? this.#perEpisode.near : this.#perEpisode.found
    const list = isNear ? this.near : this.findings
    const ofEpisode = position === undefined ? 0 : (perEpisode.get(position) ?? 0)
    if (position !== undefined) {
      perEpisode.set(position, ofEpisode + 1)
      this.#remember(this.#sourceIndexOf(position), until)
    }
    if (ofEpisode >= maxPerEpisode || list.length >= maxPerRule) {
      if (isNear) this.unlistedNear++
      else this.unlisted++
      return
    }
    list.push({
      rule: this.#rule.id,
      severity: this.#rule.severity,
      episodeIndex: position === undefined ? null : this.#sourceIndexOf(position),
      frameFrom: frames?.[0] ?? null,
      frameTo: frames?.[1] ?? null,
      camera: camera ?? null,
      feature: feature ?? null,
      value: Number(value.toPrecision(6)),
      cutOff: Number.isNaN(this.#asked) ? null : this.#asked,
      sentence,
      until,
      ...(elsewhere && { elsewhere }),
    })
  }

  #remember(episodeIndex: number, until: number): void {
    const known = this.strictest.get(episodeIndex)
    const isDown = this.#rule.found === 'below' || this.#rule.found === 'up-to'
    if (known === undefined || (isDown ? until < known : until > known)) this.strictest.set(episodeIndex, until)
  }

  measureSet({ camera, value, confidence, agreeing, measured, sentence }: OfSet): void {
    const rounded = { value: Number(value.toPrecision(6)), confidence: Math.round(confidence * 1000) / 1000 }
    this.setValues.push({ rule: this.#rule.id, camera: camera ?? null, ...rounded, agreeing, measured, sentence })
  }

  rank(position: number, value: number, more: { confidence?: number; reason?: string } = {}): void {
    if (!Number.isFinite(value)) return
    this.#values.push({ position, value, confidence: more.confidence })
    if (more.reason !== undefined)
      this.reasons.push({ episodeIndex: this.#sourceIndexOf(position), reason: more.reason })
  }

  /** With equal values in the middle of the places that they share. */
  listRankings(): Ranking[] {
    const sorted = Float64Array.from(this.#values, ({ value }) => value).sort()
    const last = Math.max(1, sorted.length - 1)
    return this.#values.map(({ position, value, confidence }) => {
      const [first, end] = [countBelow(sorted, value, false), countBelow(sorted, value, true)]
      const percentile = sorted.length === 1 ? 50 : (100 * (first + end - 1)) / 2 / last
      return {
        rule: this.#rule.id,
        episodeIndex: this.#sourceIndexOf(position),
        value: Number(value.toPrecision(6)),
        percentile: Math.round(percentile * 10) / 10,
        rank: first + 1,
        ...(confidence !== undefined && { confidence }),
      }
    })
  }
}
