import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { request } from '../app/client.ts'
import type { Recipe } from './draft.ts'

export interface VersionPreview {
  episode_count: number
  frame_count: number
  duration_sec: number
  source_episode_count: number
  source_frame_count: number
  estimated_bytes: number
  cameras: {
    key: string
    label: string
    source_width: number
    source_height: number
    width: number
    height: number
    treatment: 'copy' | 'encode'
    reason: string
  }[]
  statistics: {
    exact: boolean
    features: {
      name: string
      names: string[] | null
      exact: boolean
      sampled_episodes: number | null
      statistics: Record<string, number[]> | null
    }[]
  }
  action: {
    episode_index: number
    names: string[]
    frame_index: number[]
    timestamp: number[]
    before: (number | null)[][]
    after: (number | null)[][]
  } | null
}

export interface Source {
  dataset_kind: 'catalog' | 'project'
  dataset_id: string
}

export const previewQuery = (org: string, source: Source, recipe: Recipe, episodeIndex: number | undefined) =>
  queryOptions({
    queryKey: ['recipe-preview', org, source, recipe, episodeIndex],
    queryFn: async ({ signal }) => {
      const began = performance.now()
      const { item } = await request<{ item: VersionPreview }>(
        'POST',
        `/orgs/${org}/derived-dataset-versions/preview`,
        {
          body: { source, recipe, ...(episodeIndex === undefined ? {} : { episode_index: episodeIndex }) },
          signal,
        },
      )
      return { ...item, milliseconds: performance.now() - began }
    },
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  })
