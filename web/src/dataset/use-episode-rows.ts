import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { type Episode, episodesQuery, type Manifest } from '../data/dataset.ts'
import { drawRow, type RowEpisode } from '../data/episodes/episode-order.ts'
import type { Insights } from '../data/insights.ts'
import type { EpisodesSearch } from '../data/searches.ts'
import { hasSplits } from '../episode/splits.tsx'

const pageSize = 50

interface RowsInput {
  dataset: Manifest | undefined
  datasetId: string
  search: EpisodesSearch
  /** Known here, or undefined where the server's list has to be asked. */
  order: readonly number[] | undefined
  insights: Insights | undefined
}

/** How many rows there are: of the server's list the first page says so. */
export function useRowCount({ datasetId, search, order }: RowsInput) {
  const first = useQuery({
    ...episodesQuery(datasetId, { ...askFor(search), offset: 0, limit: pageSize }),
    placeholderData: keepPreviousData,
    enabled: order === undefined,
  })
  return { total: order?.length ?? first.data?.total ?? 0, first }
}

/** What the server is asked for, where it knows the list and the page does not. */
export const askFor = ({ q, split, sort, order }: EpisodesSearch) => ({
  q,
  split,
  sort: sort === 'duration' || sort === 'task' ? sort : undefined,
  order,
})

/** The episodes at the given places. Where the order is known, a row is drawn at once and only its task text may follow. */
export function useRowsAt(
  { dataset, datasetId, search, order, insights }: RowsInput,
  places: readonly number[],
): Map<number, RowEpisode> {
  const isPlain = order !== undefined && search.sort === undefined && search.show === undefined && !search.order
  const isAlike = dataset !== undefined && dataset.metrics.total_tasks <= 1 && !hasSplits(dataset)
  const hasOneTask = insights !== undefined && isAlike
  const pages = [...new Set(places.map((place) => Math.floor(place / pageSize)))]
  const byPage = order === undefined || isPlain
  const loaded = useQueries({
    queries:
      byPage && !(isPlain && hasOneTask)
        ? pages.map((page) =>
            episodesQuery(datasetId, {
              ...(isPlain ? {} : askFor(search)),
              offset: page * pageSize,
              limit: pageSize,
            }),
          )
        : hasOneTask || !order
          ? []
          : places.map((place) => episodesQuery(datasetId, { offset: order[place] ?? 0, limit: 1 })),
  })
  const rows = new Map<number, RowEpisode>()
  if (order === undefined || !insights) {
    for (const { data } of loaded)
      for (const [at, episode] of data?.items.entries() ?? []) {
        const place = order ? order.indexOf(episode.episode_index) : data ? data.offset + at : 0
        rows.set(place, episode)
      }
    return rows
  }
  const known = new Map<number, Episode>()
  for (const { data } of loaded) for (const episode of data?.items ?? []) known.set(episode.episode_index, episode)
  for (const place of places) {
    const index = order[place]
    if (index === undefined || !dataset) continue
    const tasks = known.get(index)?.tasks ?? (hasOneTask ? dataset.tasks : undefined)
    rows.set(place, drawRow(insights, dataset.metrics.fps, index, tasks, known.get(index)?.splits))
  }
  return rows
}
