import { ruleFacts } from '@nmp/formats/checks'
import { presentFinding } from '@nmp/formats/checks/report'
import { countBelow } from '@nmp/formats/statistics/count-below'
import type { Static } from 'typebox'
import { invalidValue, notFound } from '../errors.ts'
import { findRule } from './report-view.ts'
import type { episodeChecks, RankingsQuery, rankingsPage } from './schemas.ts'
import { listFindings, type OpenedChecks, partOf, summarizeChecks } from './service.ts'
import type { RankingColumns } from './stored-report.ts'

type Ranked = Static<typeof rankingsPage>['items'][number]

/** What rules measure of episodes: of all of them or of one rule or episode, rule by rule. */
export function listRankings({ reports }: OpenedChecks, query: RankingsQuery): Static<typeof rankingsPage> {
  if (query.rule !== undefined && !findRule(query.rule))
    throw invalidValue(['query', 'rule'], `there is no rule ${query.rule}`, query.rule)
  const wanted = ruleFacts.filter(({ id }) => query.rule === undefined || id === query.rule)
  let [total, skipped] = [0, query.offset]
  const items: Ranked[] = []
  for (const { id } of wanted) {
    const columns = reports[partOf(id)]?.rankings[id]
    if (!columns) continue
    const places = orderPlaces(columns, query)
    total += places.length
    const shown = places.slice(skipped, skipped + query.limit - items.length)
    skipped = Math.max(0, skipped - places.length)
    if (shown.length > 0) items.push(...presentPlaces(id, columns, shown))
  }
  return { offset: query.offset, limit: query.limit, total, items }
}

function orderPlaces({ episodes, values }: RankingColumns, { order, episode_index: only }: RankingsQuery): number[] {
  const places = [...episodes.keys()].filter((place) => only === undefined || episodes[place] === only)
  const valueAt = (place: number): number => values[place] ?? 0
  if (order === 'lowest') return places.sort((a, b) => valueAt(a) - valueAt(b) || a - b)
  return order === 'highest' ? places.sort((a, b) => valueAt(b) - valueAt(a) || a - b) : places
}

function presentPlaces(rule: string, columns: RankingColumns, places: readonly number[]): Ranked[] {
  const { episodes, values, percentiles, confidences } = columns
  const sorted = Float64Array.from(values).sort()
  return places.map((place) => ({
    rule,
    episode_index: episodes[place] ?? 0,
    value: values[place] ?? 0,
    rank: countBelow(sorted, values[place] ?? 0, false) + 1,
    of: sorted.length,
    percentile: percentiles[place] ?? 0,
    confidence: confidences?.[place] ?? null,
  }))
}

/** Everything that is known of one episode. */
export function describeEpisode(opened: OpenedChecks, episodeIndex: number): Static<typeof episodeChecks> {
  if (episodeIndex >= opened.seen.revision.summary.total_episodes) throw notFound()
  const { dataset_id, revision_id, look_first } = summarizeChecks(opened)
  const place = look_first.findIndex(({ episode_index: index }) => index === episodeIndex)
  const first = look_first[place]
  const all = { offset: 0, limit: 10_000 }
  return {
    dataset_id,
    revision_id,
    episode_index: episodeIndex,
    findings: listFindings(opened, { ...all, episode_index: episodeIndex }).items.map(presentFinding),
    rankings: listRankings(opened, { ...all, episode_index: episodeIndex }).items,
    look_first: first ? { place: place + 1, score: first.score, reasons: first.reasons } : null,
  }
}
