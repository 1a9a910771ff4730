import type {
  DatasetManifest,
  EpisodeRecord,
  FeatureStatistics as Features,
  FilterOptions,
  FramesPage,
} from '@nmp/sdk/generated/records'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { client } from '../session/client.ts'

export type Manifest = DatasetManifest
export type Camera = Manifest['observation']['cameras'][number]
export type Episode = EpisodeRecord
export type Filtering = FilterOptions
export type FramesItem = FramesPage['items'][number]
/** Of one feature. */
export type FeatureStatistics = Features['features'][number]

const minutes = 60_000

export const manifestQuery = (id: string) =>
  queryOptions({
    queryKey: ['dataset', id],
    queryFn: async ({ signal }) =>
      (await client.catalog.getCatalogDataset({ dataset_id: id, limit: 1 }, { signal })).item,
    staleTime: minutes,
  })

export const useManifest = (id: string) => useQuery(manifestQuery(id))

export interface EpisodeQuery {
  offset: number
  limit: number
  q?: string | undefined
  split?: string | undefined
  sort?: string | undefined
  order?: 'asc' | 'desc' | undefined
}

export const episodesQuery = (id: string, query: EpisodeQuery) =>
  queryOptions({
    queryKey: ['episodes', id, query],
    queryFn: async ({ signal }) => (await client.catalog.listEpisodes({ dataset_id: id, ...query }, { signal })).item,
    staleTime: 5 * minutes,
  })

/** The number of every episode that a search or a split finds. */
export async function listMatches(id: string, query: Omit<EpisodeQuery, 'offset' | 'limit'>): Promise<number[]> {
  const found: number[] = []
  for await (const { episode_index } of client.catalog.iterateEpisodes({ dataset_id: id, ...query, limit: 200 }))
    found.push(episode_index)
  return found
}

export const navigationQuery = (id: string, index: number) =>
  queryOptions({
    queryKey: ['navigation', id, index],
    queryFn: async ({ signal }) =>
      (await client.catalog.getEpisodeNavigation({ dataset_id: id, episode_index: index }, { signal })).item,
    staleTime: 5 * minutes,
  })

export interface FramesQuery {
  offset: number
  limit: number
  view?: 'first' | 'last'
  camera_key?: string | undefined
}

export const framesQuery = (id: string, query: FramesQuery) =>
  queryOptions({
    queryKey: ['frames', id, query],
    queryFn: async ({ signal }) => (await client.catalog.listFrames({ dataset_id: id, ...query }, { signal })).item,
    // The URLs inside live for one to two hours.
    staleTime: 30 * minutes,
  })

export const filteringQuery = (id: string) =>
  queryOptions({
    queryKey: ['filtering', id],
    queryFn: async ({ signal }) => (await client.catalog.getFiltering({ dataset_id: id }, { signal })).item,
    staleTime: 5 * minutes,
  })

export const featureStatisticsQuery = (id: string) =>
  queryOptions({
    queryKey: ['feature-statistics', id],
    queryFn: async ({ signal }): Promise<FeatureStatistics[]> =>
      (await client.catalog.getFeatureStatistics({ dataset_id: id }, { signal })).item.features,
    staleTime: 5 * minutes,
  })

const fewPoints = 120

/** The first episode's numbers, as many as a small curve shows. */
export const firstSignalsQuery = (datasetId: string) =>
  queryOptions({
    queryKey: ['first-signals', datasetId],
    queryFn: async ({ signal }) =>
      (await client.catalog.getEpisodeRows({ dataset_id: datasetId, episode_index: 0, points: fewPoints }, { signal }))
        .item,
    staleTime: 10 * minutes,
    retry: false,
  })

const curvesPage = 200

/** The page of motion curves that an episode is on. */
export const curvesQuery = (id: string, page: number) =>
  queryOptions({
    queryKey: ['motion-curves', id, page],
    queryFn: async ({ signal }) =>
      (
        await client.catalog.getMotionCurves(
          { dataset_id: id, offset: page * curvesPage, limit: curvesPage },
          { signal },
        )
      ).item,
    staleTime: 30 * minutes,
  })

export const curvePageOf = (episode: number): number => Math.floor(episode / curvesPage)

export const filesPage = (id: string, cursor: string | undefined, signal: AbortSignal) =>
  client.catalog.listFiles({ dataset_id: id, limit: 200, cursor }, { signal })
