import type { CheckFinding, Ranking } from './check-report.ts'
import type { Place, RuleFacts, RuleReport } from './rule.ts'

/** More of one rule is counted and not listed. */
const maxPerRule = 1000
const maxPerEpisode = 20

/** A reason to look at an episode that is no finding: it stands out in a ranking. */
interface RankReason {
  readonly episodeIndex: number
  readonly reason: string
}

/** Takes down what one rule says. */
export class RuleRecorder implements RuleReport {
  readonly cutOff: number
  readonly findings: CheckFinding[] = []
  readonly reasons: RankReason[] = []
  unlisted = 0
  readonly #rule: RuleFacts
  readonly #sourceIndexOf: (position: number) => number
  readonly #values: { position: number; value: number; confidence: number | undefined }[] = []
  readonly #perEpisode = new Map<number, number>()

  constructor(rule: RuleFacts, cutOff: number | undefined, sourceIndexOf: (position: number) => number) {
    this.#rule = rule
    this.cutOff = cutOff ?? rule.cutOff ?? Number.NaN
    this.#sourceIndexOf = sourceIndexOf
  }

  flag({ position, frames, feature, camera }: Place, value: number, sentence: string): void {
    const ofEpisode = position === undefined ? 0 : (this.#perEpisode.get(position) ?? 0)
    if (position !== undefined) this.#perEpisode.set(position, ofEpisode + 1)
    if (ofEpisode >= maxPerEpisode || this.findings.length >= maxPerRule) {
      this.unlisted++
      return
    }
    this.findings.push({
      rule: this.#rule.id,
      severity: this.#rule.severity,
      episodeIndex: position === undefined ? null : this.#sourceIndexOf(position),
      frameFrom: frames?.[0] ?? null,
      frameTo: frames?.[1] ?? null,
      camera: camera ?? null,
      feature: feature ?? null,
      value: Number(value.toPrecision(6)),
      cutOff: Number.isNaN(this.cutOff) ? null : this.cutOff,
      sentence,
    })
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
        ...(confidence !== undefined && { confidence }),
      }
    })
  }
}

function countBelow(sorted: Float64Array, value: number, withEqual: boolean): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const here = sorted[middle] as number
    if (here < value || (withEqual && here === value)) low = middle + 1
    else high = middle
  }
  return low
}
