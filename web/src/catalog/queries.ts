import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { request } from '../app/client.ts'
import type { FacetKey } from './search.ts'

export interface CatalogItem {
  id: string
  org_slug: string
  project_slug?: string
  slug: string
  title: string
  description?: string
  robot_type: string | null
  tags: string[]
  tasks: string[]
  total_episodes: number
  total_frames: number
  total_seconds: number
  camera_keys: string[]
  size_bytes: number
  source_kind?: string
  length_histogram: number[]
  poster_url?: string | null
  published_at?: string
}

export interface Facet {
  value: string
  count: number
}

export interface BrowsePage {
  items: CatalogItem[]
  next_cursor: string | null
  total?: number | null
  facets?: Partial<Record<FacetKey, Facet[]>> | null
}

export interface BrowseFilter {
  q?: string | undefined
  robot_type?: string | undefined
  task?: string | undefined
  tag?: string | undefined
  size?: string | undefined
}

const browse = (filter: BrowseFilter, cursor: string | undefined, limit: number, signal: AbortSignal) =>
  request<BrowsePage>('GET', '/catalog/datasets', { query: { ...filter, cursor, limit }, signal })

export const browseQuery = (filter: BrowseFilter) =>
  queryOptions({
    queryKey: ['catalog', 'jump', filter],
    queryFn: ({ signal }) => browse(filter, undefined, 20, signal),
  })

export const browsePagesQuery = (filter: BrowseFilter) =>
  infiniteQueryOptions({
    queryKey: ['catalog', 'pages', filter],
    queryFn: ({ pageParam, signal }) => browse(filter, pageParam, 48, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: BrowsePage) => page.next_cursor ?? undefined,
  })
