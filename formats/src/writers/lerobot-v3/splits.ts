import type { Findings } from '../../finding.ts'
import { sidecarPath } from '../../layouts/lerobot/sidecar.ts'
import { defaultSplits, type SplitTally } from '../../splits.ts'

const listed = 20

/** What became of the splits, in words; nothing of the one split that LeRobot writes into every dataset. */
export function reportSplits(
  splits: SplitTally,
  lost: ReadonlyMap<string, readonly number[]>,
  findings: Findings,
): void {
  const kept = splits.list()
  const names = new Set([...kept.map(({ name }) => name), ...lost.keys()])
  const isUsual = splits.outsideCount === 0 && names.isSubsetOf(new Set(defaultSplits))
  if (isUsual) return
  for (const [name, episodes] of lost) {
    const shown = listSome(episodes.map(String))
    findings.add('split-episodes-missing', `The split ${name} names episodes that are missing or left out: ${shown}.`)
  }
  if (kept.length === 0) return
  const counts = listSome(kept.map(({ name, episodeCount }) => `${name} (${episodeCount})`))
  const outside = splits.outsideCount
  const beside = outside === 0 ? '' : `; ${outside} ${outside === 1 ? 'episode is' : 'episodes are'} in none`
  const scattered = kept.filter(({ range }) => range === undefined).map(({ name }) => name)
  const place =
    scattered.length === 0
      ? ''
      : ` Not in info.json, which can only express ranges of episodes, but in ${sidecarPath}: ${listSome(scattered)}.`
  findings.add('splits-kept', `Splits are kept, with their episodes: ${counts}${beside}.${place}`)
}

function listSome(names: readonly string[]): string {
  const more = names.length > listed ? ` and ${names.length - listed} more` : ''
  return names.slice(0, listed).join(', ') + more
}
