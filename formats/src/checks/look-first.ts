import type { Severity } from '../finding.ts'
import type { CheckFinding, LookFirst, RankReason } from './check-report.ts'

/** One error weighs more than two warnings; what stands out in a ranking a little less than a warning. */
const weights: Readonly<Record<Severity, number>> = { error: 8, warning: 3, info: 1 }
const rankWeight = 2
const maxReasons = 5
const maxEpisodes = 100

/**
 * The order in which to look at the episodes: by the rules that found something, each counted once however often it did, so that one
 * long defect does not hide three short ones.
 */
export function orderEpisodes(findings: readonly CheckFinding[], reasons: readonly RankReason[]): LookFirst[] {
  const episodes = new Map<number, { score: number; rules: Set<string>; reasons: [weight: number, reason: string][] }>()
  const open = (episodeIndex: number) => {
    const known = episodes.get(episodeIndex) ?? { score: 0, rules: new Set<string>(), reasons: [] }
    episodes.set(episodeIndex, known)
    return known
  }
  for (const { rule, severity, episodeIndex, sentence } of findings) {
    if (episodeIndex === null) continue
    const episode = open(episodeIndex)
    if (episode.rules.has(rule)) continue
    episode.rules.add(rule)
    episode.score += weights[severity]
    episode.reasons.push([weights[severity], sentence])
  }
  for (const { episodeIndex, reason } of reasons) {
    const episode = open(episodeIndex)
    episode.score += rankWeight
    episode.reasons.push([rankWeight, `${reason[0]?.toUpperCase()}${reason.slice(1)}.`])
  }
  return [...episodes]
    .map(([episodeIndex, { score, reasons }]) => ({
      episodeIndex,
      score,
      reasons: reasons
        .sort((a, b) => b[0] - a[0])
        .slice(0, maxReasons)
        .map(([, reason]) => reason),
    }))
    .sort((a, b) => b.score - a.score || a.episodeIndex - b.episodeIndex)
    .slice(0, maxEpisodes)
}
