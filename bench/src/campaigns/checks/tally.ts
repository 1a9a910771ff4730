import type { CheckFinding } from '@nmp/formats/checks/report'
import type { Defect } from '../../../../formats/test/planted-defects.ts'

/** What became of the defects of one rule. */
export class Tally {
  readonly rule: string
  injected = 0
  found = 0
  /** Episodes that the rule named, and those of them that have its defect. */
  named = 0
  right = 0
  readonly sets = new Set<string>()
  readonly #frameErrors: number[] = []

  constructor(rule: string) {
    this.rule = rule
  }

  add(set: string, defects: readonly Defect[], findings: readonly CheckFinding[]): void {
    const own = findings.filter(({ rule }) => rule === this.rule)
    if (defects.length > 0) this.sets.add(set)
    this.injected += defects.length
    for (const { position, frames } of defects) {
      const errors = own.flatMap(({ episodeIndex, frameFrom, frameTo }) => {
        if (episodeIndex !== position) return []
        if (!frames || frameFrom === null || frameTo === null) return [0]
        if (frameFrom >= frames[1] || frameTo <= frames[0]) return []
        return [Math.max(Math.abs(frameFrom - frames[0]), Math.abs(frameTo - frames[1]))]
      })
      if (errors.length === 0) {
        const where = frames ? `, frames ${frames[0]} to ${frames[1] - 1}` : ''
        console.log(`${this.rule} is missed in ${set}: episode ${position}${where}`)
        continue
      }
      this.found++
      if (frames) this.#frameErrors.push(Math.min(...errors))
    }
    const named = new Set(own.map(({ episodeIndex }) => episodeIndex))
    this.named += named.size
    this.right += [...named].filter((index) => defects.some(({ position }) => position === index)).length
  }

  get recall(): number {
    return this.injected === 0 ? 0 : this.found / this.injected
  }

  get precision(): number {
    return this.named === 0 ? 1 : this.right / this.named
  }

  /** Median and largest distance of an end from where it is, in frames; undefined where whole episodes are meant. */
  get frameError(): { median: number; most: number } | undefined {
    if (this.#frameErrors.length === 0) return undefined
    const sorted = this.#frameErrors.toSorted((a, b) => a - b)
    return { median: sorted[sorted.length >> 1] ?? 0, most: sorted.at(-1) ?? 0 }
  }
}
