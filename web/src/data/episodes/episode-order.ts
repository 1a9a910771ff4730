import type { Flag } from '../flags.ts'
import type { Insights } from '../insights.ts'
import type { EpisodesSearch } from '../searches.ts'
import { type EpisodeLabels, listBySuccess } from './label-lists.ts'
import type { Outliers } from './outliers.ts'

/** What a row shows; the texts of tasks may come later than the rest. */
export interface RowEpisode {
  episode_index: number
  length_frames: number
  duration_sec: number
  tasks: string[] | undefined
  splits?: string[] | undefined
  motion: number | null
  variance: number | null
}

/**
 * Which episodes are listed, in their order, where this can be told without asking: lengths and scores of all episodes
 * are here, so any sort is exact and no row has to wait. Undefined while they are not, for a search or a split, and by task, which the
 * server knows.
 */
export function orderEpisodes(
  { q, split, show, sort, order }: EpisodesSearch,
  insights: Insights | undefined,
  outliers: Outliers | undefined,
  flagsOf: ReadonlyMap<number, Flag[]>,
  labels?: EpisodeLabels | undefined,
): number[] | undefined {
  if (q || split || (sort === 'task' && !show)) return undefined
  const shown = findShown(show, outliers, flagsOf, labels)
  if (show && !shown) return []
  if (!insights) return sort === 'motion' || sort === 'variance' || sort === 'flags' ? [] : shown
  const indices = shown ?? Array.from(insights.lengthFrames, (_, index) => index)
  if (sort === undefined || sort === 'task') return order === 'desc' ? indices.toReversed() : indices
  const values = { duration: insights.lengthFrames, motion: insights.motion, variance: insights.variance }
  const measure = (index: number) => (sort === 'flags' ? flagsOf.get(index)?.length : values[sort][index]) ?? 0
  const sorted = indices.toSorted((a, b) => measure(a) - measure(b) || a - b)
  return order === 'desc' ? sorted.reverse() : sorted
}

function findShown(
  show: EpisodesSearch['show'],
  outliers: Outliers | undefined,
  flagsOf: ReadonlyMap<number, Flag[]>,
  labels: EpisodeLabels | undefined,
): number[] | undefined {
  if (show === undefined) return undefined
  return {
    flagged: [...flagsOf.keys()].sort((a, b) => a - b),
    'low-motion': outliers?.lowMotion,
    'high-variance': outliers?.highVariance,
    success: listBySuccess(labels, true),
    failure: listBySuccess(labels, false),
  }[show]
}

const drawn = new WeakMap<Insights, Map<number, RowEpisode>>()

/** The same object for the same row, so that it is painted once. */
export function drawRow(
  insights: Insights,
  fps: number,
  index: number,
  tasks: string[] | undefined,
  splits?: string[] | undefined,
): RowEpisode {
  const rows = drawn.get(insights) ?? new Map<number, RowEpisode>()
  drawn.set(insights, rows)
  const known = rows.get(index)
  if (known && known.tasks === tasks && known.splits === splits) return known
  const row = {
    episode_index: index,
    length_frames: insights.lengthFrames[index] ?? 0,
    duration_sec: (insights.lengthFrames[index] ?? 0) / fps,
    tasks,
    splits,
    motion: insights.motion[index] ?? null,
    variance: insights.variance[index] ?? null,
  }
  rows.set(index, row)
  return row
}

export function groupFlags(flags: readonly Flag[]): Map<number, Flag[]> {
  const byEpisode = new Map<number, Flag[]>()
  for (const flag of flags) {
    const known = byEpisode.get(flag.episode_index)
    if (known) known.push(flag)
    else byEpisode.set(flag.episode_index, [flag])
  }
  return byEpisode
}
