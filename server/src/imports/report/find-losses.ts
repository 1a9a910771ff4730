import type { Losses } from '../../datasets/losses.ts'
import { type ImportReport, listDropped } from './report.ts'

/** Null where everything that was found is in the dataset. */
export function findLosses({ counts, findings, episodes }: ImportReport): Losses | null {
  const dropped = listDropped(findings)
  if (counts.episodes_left_out === 0 && dropped.length === 0) return null
  const [why] = episodes.flatMap(({ outcome, notes }) => (outcome === 'left_out' ? notes.slice(0, 1) : []))
  const left = findings.find(({ severity }) => severity === 'error')?.sentence
  return {
    episodes_found: counts.episodes_found,
    episodes_left_out: counts.episodes_left_out,
    dropped: dropped.length,
    first_reason: why ?? left ?? dropped[0] ?? '',
  }
}
