import type { EpisodeAnnotation, EpisodeMedia, EpisodeRows as StoredRows } from '@nmp/sdk/generated/records'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { client } from '../../session/client.ts'
import { curationOf } from '../curation.ts'
import type { Manifest } from '../dataset.ts'

export type MediaStream = EpisodeMedia['streams'][number]
export type Segment = EpisodeAnnotation['segments'][number]

export const mediaQuery = (id: string, episode: number) =>
  queryOptions({
    queryKey: ['episode-media', id, episode],
    queryFn: async ({ signal }) =>
      (await client.catalog.getEpisodeMedia({ dataset_id: id, episode_index: episode }, { signal })).item,
    staleTime: 30 * 60_000,
  })

/** Columns of numbers: state and action are asked for, and nothing else. */
export interface EpisodeRows extends StoredRows {
  series: (StoredRows['series'][number] & { values: (number | null)[][] })[]
}

/** Enough for a pixel each on the widest screen, twice; an episode of this length or less comes whole. */
const wholePoints = 4000
/** Of a piece, of which a quarter to a half is on the screen. */
const piecePoints = 6000

export interface RowRange {
  start: number
  end: number
}

export const rowsQuery = (id: string, episode: number, columns: readonly string[], range?: RowRange) =>
  queryOptions({
    queryKey: ['rows', id, episode, columns, range],
    queryFn: async ({ signal }) =>
      (
        await client.catalog.getEpisodeRows(
          {
            dataset_id: id,
            episode_index: episode,
            columns: columns.join(','),
            points: range ? piecePoints : wholePoints,
            start_frame: range?.start,
            end_frame: range?.end,
          },
          { signal },
        )
      ).item as EpisodeRows,
    staleTime: 30 * 60_000,
    enabled: columns.length > 0,
    ...(range ? { placeholderData: keepPreviousData } : {}),
  })

export const annotationSetsQuery = (dataset: Manifest) =>
  queryOptions({
    queryKey: ['annotation-sets', dataset.id],
    queryFn: async ({ signal }) => (await curationOf(dataset).listSets({ signal })).items,
    enabled: dataset.role !== null,
    staleTime: 60_000,
  })

/** Of one episode only: a set may hold ten thousand. */
export const annotationSetQuery = (dataset: Manifest, setId: string | undefined, episode: number) =>
  queryOptions({
    queryKey: ['annotation-set', setId, episode],
    queryFn: async ({ signal }) => (await curationOf(dataset).getSet(setId ?? '', episode, { signal })).item,
    enabled: setId !== undefined,
    staleTime: 60_000,
  })

/** Puts one episode's annotation into the set, or into a first set when there is none. */
export async function saveAnnotation(
  dataset: Manifest,
  setId: string | undefined,
  annotation: Partial<EpisodeAnnotation> & { episode_index: number },
): Promise<void> {
  const episodes = [annotation]
  if (setId) await curationOf(dataset).putSet(setId, { episodes, merge: true })
  else await curationOf(dataset).createSet({ name: 'segments', episodes })
}
