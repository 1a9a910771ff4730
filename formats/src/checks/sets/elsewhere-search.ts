import { countBelow } from '../../statistics/count-below.ts'
import type { NearCopy } from '../beyond-rule.ts'
import { pickLooser } from '../cut-off.ts'
import type { Elsewhere } from '../rule.ts'
import { alikeLengths, type MotionPaths, minPaths, pairShare } from './motion-paths.ts'
import { nearDuplicateElsewhere } from './near-duplicate-elsewhere.ts'
import { matchPaths } from './path-pairing.ts'

/** Pairs of episodes of about the same length that are compared: some seconds, however large a project is. */
const mostPairs = 200_000_000

/**
 * Episodes of a set that are nearly those of others, found as `near-duplicate` would find them were both one set. Others come in parts,
 * of which only one is held at a time; how much is compared is bounded, and what was left out is counted.
 */
export class ElsewhereSearch {
  /** Episodes of others that could not be compared any more. */
  skipped = 0
  readonly #own: MotionPaths
  readonly #limit: number
  readonly #byLength: Int32Array
  readonly #lengths: Float64Array
  readonly #nearest = new Map<number, { distance: number; elsewhere: Elsewhere }>()
  #pairsLeft: number

  /** `cutOffs`: by rule, as they were set. */
  constructor(own: MotionPaths, cutOffs: Readonly<Record<string, number>> = {}, most = mostPairs) {
    this.#own = own
    const { id, cutOff } = nearDuplicateElsewhere
    this.#limit = pickLooser(nearDuplicateElsewhere, cutOffs[id] ?? cutOff ?? 0)
    this.#pairsLeft = most
    const lengthOf = (index: number): number => own.lengths[index] as number
    this.#byLength = Int32Array.from(own.episodes.keys()).sort((a, b) => lengthOf(a) - lengthOf(b))
    this.#lengths = Float64Array.from(this.#byLength, lengthOf)
  }

  /** `other`: some episodes of another dataset. */
  compare(other: MotionPaths, { datasetId, slug }: Omit<Elsewhere, 'episodeIndex'>): void {
    const tooFew = this.#own.episodes.length + other.episodes.length < minPaths
    const pairing = tooFew ? undefined : matchPaths(this.#own, other)
    if (!pairing) return
    // Asked for only where something is near.
    let usual: number | undefined
    for (const [index, episodeIndex] of other.episodes.entries()) {
      const [shortest, longest] = alikeLengths(other.lengths[index] as number)
      const from = countBelow(this.#lengths, shortest, false)
      const to = countBelow(this.#lengths, longest, true)
      if (to - from > this.#pairsLeft) {
        this.skipped++
        continue
      }
      this.#pairsLeft -= to - from
      for (let at = from; at < to; at++) {
        const own = this.#byLength[at] as number
        const limit = this.#nearest.get(own)?.distance ?? this.#limit
        const distance = pairing.measure(own, index, limit)
        if (distance >= limit) continue
        usual ??= pairing.findUsual()
        if (distance >= pairShare * usual) continue
        this.#nearest.set(own, { distance, elsewhere: { datasetId, slug, episodeIndex } })
      }
    }
  }

  list(): NearCopy[] {
    return [...this.#nearest]
      .map(([own, found]) => ({ episodeIndex: this.#own.episodes[own] as number, ...found }))
      .sort((a, b) => a.episodeIndex - b.episodeIndex)
  }
}
