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

/**
 * What rules measure of episodes: of all of them or of one rule or episode, rule by rule. Only those that are shown are put in order: a set
 * may have very many episodes, and others wait meanwhile.
 */
export function listRankings({ reports }: OpenedChecks, query: RankingsQuery): Static<typeof rankingsPage> {
  if (query.rule !== undefined && !findRule(query.rule))
    throw invalidValue(['query', 'rule'], `there is no rule ${query.rule}`, query.rule)
  const wanted = ruleFacts.filter(({ id }) => query.rule === undefined || id === query.rule)
  let [total, skipped] = [0, query.offset]
  const items: Ranked[] = []
  for (const { id } of wanted) {
    const columns = reports[partOf(id)]?.rankings[id]
    if (!columns) continue
    const own = query.episode_index === undefined ? undefined : findPlaces(columns, query.episode_index)
    const count = own?.length ?? columns.episodes.length
    total += count
    const room = query.limit - items.length
    if (skipped < count && room > 0) {
      const places = orderPlaces(columns, own ?? columns.episodes.keys(), query.order)
      items.push(...presentPlaces(id, columns, places.slice(skipped, skipped + room)))
    }
    skipped = Math.max(0, skipped - count)
  }
  return { offset: query.offset, limit: query.limit, total, items }
}

function findPlaces({ episodes }: RankingColumns, episode: number): number[] {
  const places: number[] = []
  for (let at = episodes.indexOf(episode); at >= 0; at = episodes.indexOf(episode, at + 1)) places.push(at)
  return places
}

function orderPlaces({ values }: RankingColumns, all: Iterable<number>, order: RankingsQuery['order']): number[] {
  const places = [...all]
  const valueAt = (place: number): number => values[place] ?? 0
  if (order === 'lowest') return places.sort((a, b) => valueAt(a) - valueAt(b) || a - b)
  return order === 'highest' ? places.sort((a, b) => valueAt(b) - valueAt(a) || a - b) : places
}

/** Where fewer are shown, counting for each is less work than putting all in order. */
const fewPlaces = 16

function presentPlaces(rule: string, columns: RankingColumns, places: readonly number[]): Ranked[] {
  const { episodes, values, percentiles, confidences } = columns
  const sorted = places.length > fewPlaces ? Float64Array.from(values).sort() : undefined
  const countLower = (value: number): number =>
    sorted ? countBelow(sorted, value, false) : values.reduce((count, other) => (other < value ? count + 1 : count), 0)
  return places.map((place) => ({
    rule,
    episode_index: episodes[place] ?? 0,
    value: values[place] ?? 0,
    rank: countLower(values[place] ?? 0) + 1,
    of: values.length,
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
