import { queryOptions, useQuery } from '@tanstack/react-query'
import { request } from '../app/client.ts'

export interface Camera {
  key: string
  label: string
  width: number
  height: number
  channels: number
  fps: number
  codec: string | null
  pixel_format: string | null
  depth_map: boolean
}

export interface Signal {
  key: string
  dimension: number
  names: string[]
  fps: number
}

export interface Statistics {
  codebase_version: string
  total_recording_sec: number
  total_cameras: number
  camera_resolutions: string[]
  shortest_episode_frames: number
  longest_episode_frames: number
  shortest_episode_sec: number
  longest_episode_sec: number
  mean_episode_sec: number
  median_episode_sec: number
  std_episode_sec: number
  exact: boolean
  sample_size: number
  histogram: { label: string; count: number }[]
}

export interface Episode {
  episode_index: number
  length_frames: number
  duration_sec: number
  dataset_from_index: number
  dataset_to_index: number
  tasks: string[]
  camera_keys: string[]
  source_index: number
  motion: number | null
  variance: number | null
  still_sec: number | null
}

export interface Manifest {
  id: string
  slug: string
  title: string
  description: string
  source: {
    provider: string
    source_label: string
    source_locator: string
    source_url: string | null
    hf_repo_id: string | null
  }
  observation: { camera_count: number; cameras: Camera[]; state: Signal | null }
  metrics: {
    total_episodes: number
    total_frames: number
    fps: number
    total_tasks: number
    split_names: string[]
    codebase_version: string
  }
  task_name: string | null
  robot_type: string | null
  tags: string[]
  modalities: string[]
  action: Signal | null
  statistics: Statistics
  export_artifacts: { key: string; label: string; kind: string; access: string; href: string; description: string }[]
  org_slug: string
  project_slug: string
  visibility: 'private' | 'public'
  role: 'admin' | 'editor' | 'viewer' | null
  revision_id: string
  revision_number: number
  source_layout: string
  source_version: string
  hf_revision: string | null
  size_bytes: number
  tasks: string[]
  licence: string | null
  citation: string | null
  card_markdown: string | null
  published_at: string | null
  created_at: string
  updated_at: string
}

const base = (id: string) => `/catalog/datasets/${id}`

const manifestQuery = (id: string) =>
  queryOptions({
    queryKey: ['dataset', id],
    queryFn: async ({ signal }) =>
      (await request<{ item: Manifest }>('GET', base(id), { query: { limit: 1 }, signal })).item,
    staleTime: 60_000,
  })

export const useManifest = (id: string) => useQuery(manifestQuery(id))

export interface EpisodeQuery {
  offset: number
  limit: number
  q?: string | undefined
  sort?: string | undefined
  order?: string | undefined
}

export interface EpisodePage {
  offset: number
  limit: number
  total: number
  items: Episode[]
}

export const episodesQuery = (id: string, query: EpisodeQuery) =>
  queryOptions({
    queryKey: ['episodes', id, query],
    queryFn: async ({ signal }) =>
      (await request<{ item: EpisodePage }>('GET', `${base(id)}/episodes`, { query: { ...query }, signal })).item,
    staleTime: 5 * 60_000,
  })

export interface EpisodeNavigation {
  current: Episode
  total: number
  previous: Episode | null
  next: Episode | null
}

export const navigationQuery = (id: string, index: number) =>
  queryOptions({
    queryKey: ['navigation', id, index],
    queryFn: async ({ signal }) =>
      (await request<{ item: EpisodeNavigation }>('GET', `${base(id)}/episodes/${index}/navigation`, { signal })).item,
    staleTime: 5 * 60_000,
  })

export interface Stream {
  camera_key: string
  label: string
  url: string | null
  preview_time_sec: number
  duration_sec: number
  poster_url: string
}

export interface FramesItem {
  episode_index: number
  length_frames: number
  duration_sec: number
  tasks: string[]
  streams: Stream[]
}

export interface FramesPage {
  offset: number
  limit: number
  total: number
  camera_key: string | null
  view: 'first' | 'last'
  items: FramesItem[]
}

export interface FramesQuery {
  offset: number
  limit: number
  view?: 'first' | 'last'
  camera_key?: string | undefined
}

export const framesQuery = (id: string, query: FramesQuery) =>
  queryOptions({
    queryKey: ['frames', id, query],
    queryFn: async ({ signal }) =>
      (await request<{ item: FramesPage }>('GET', `${base(id)}/frames`, { query: { ...query }, signal })).item,
    // The URLs inside live for one to two hours.
    staleTime: 30 * 60_000,
  })

export interface Scored {
  episode_index: number
  score: number
  score_label: string
  length_frames: number
  duration_sec: number
  tasks: string[]
}

export interface Filtering {
  supports_motion_insights: boolean
  low_motion_episodes: Scored[]
  high_variance_episodes: Scored[]
}

export const filteringQuery = (id: string) =>
  queryOptions({
    queryKey: ['filtering', id],
    queryFn: async ({ signal }) =>
      (await request<{ item: Filtering }>('GET', `${base(id)}/filtering`, { signal })).item,
    staleTime: 5 * 60_000,
  })

export interface FeatureStatistics {
  name: string
  dtype: string
  shape: number[]
  names: string[] | null
  sampled: boolean
  count: number | null
  min: number[] | null
  max: number[] | null
  mean: number[] | null
  std: number[] | null
  q01: number[] | null
  q10: number[] | null
  q50: number[] | null
  q90: number[] | null
  q99: number[] | null
}

export const featureStatisticsQuery = (id: string) =>
  queryOptions({
    queryKey: ['feature-statistics', id],
    queryFn: async ({ signal }) =>
      (await request<{ item: { features: FeatureStatistics[] } }>('GET', `${base(id)}/feature-statistics`, { signal }))
        .item.features,
    staleTime: 5 * 60_000,
  })

export interface StoredFile {
  path: string
  size_bytes: number
  sha256: string
  href: string
}

export const filesPage = (id: string, cursor: string | undefined, signal: AbortSignal) =>
  request<{ items: StoredFile[]; next_cursor: string | null }>('GET', `${base(id)}/files`, {
    query: { limit: 200, cursor },
    signal,
  })
