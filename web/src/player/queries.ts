import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { request } from '../app/client.ts'

export interface MediaStream {
  camera_key: string
  label: string
  /** The file that holds the episode among others; null for cameras stored as images. */
  url: string | null
  from_sec: number | null
  to_sec: number | null
  poster_url: string
  sprite_url: string
  clip_url: string | null
}

export interface EpisodeMedia {
  episode_index: number
  length_frames: number
  duration_sec: number
  fps: number
  streams: MediaStream[]
  expires_at: string
}

const base = (id: string, episode: number) => `/catalog/datasets/${id}/episodes/${episode}`

export const mediaQuery = (id: string, episode: number) =>
  queryOptions({
    queryKey: ['episode-media', id, episode],
    queryFn: async ({ signal }) =>
      (await request<{ item: EpisodeMedia }>('GET', `${base(id, episode)}/media`, { signal })).item,
    staleTime: 30 * 60_000,
  })

export interface Series {
  name: string
  dtype: string
  shape: number[]
  names: string[] | null
  /** Per dimension. */
  values: (number | null)[][]
}

export interface EpisodeRows {
  episode_index: number
  length_frames: number
  fps: number
  start_frame: number
  end_frame: number
  is_decimated: boolean
  frame_index: number[]
  series: Series[]
}

/** Enough for a pixel each on the widest screen, twice; an episode of this length or less comes whole. */
const points = 4000

export interface RowRange {
  start: number
  end: number
}

export const rowsQuery = (id: string, episode: number, columns: readonly string[], range?: RowRange) =>
  queryOptions({
    queryKey: ['rows', id, episode, columns, range],
    queryFn: async ({ signal }) =>
      (
        await request<{ item: EpisodeRows }>('GET', `${base(id, episode)}/rows`, {
          query: { columns: columns.join(','), points, start_frame: range?.start, end_frame: range?.end },
          signal,
        })
      ).item,
    staleTime: 30 * 60_000,
    enabled: columns.length > 0,
    ...(range ? { placeholderData: keepPreviousData } : {}),
  })

export interface Segment {
  label: string
  start_frame: number
  end_frame: number
}

export interface EpisodeAnnotation {
  episode_index: number
  task: string | null
  success: boolean | null
  tags: string[]
  note: string | null
  segments: Segment[]
}

export interface AnnotationSet {
  id: string
  name: string
  latest_version: number
  episode_count: number
  updated_at: string
}

interface Place {
  id: string
  org_slug: string
  project_slug: string
  slug: string
  role: string | null
}

const sets = ({ org_slug, project_slug, slug }: Place) =>
  `/orgs/${org_slug}/projects/${project_slug}/datasets/${slug}/annotation-sets`

export const annotationSetsQuery = (dataset: Place | undefined) =>
  queryOptions({
    queryKey: ['annotation-sets', dataset?.id],
    queryFn: async ({ signal }) =>
      dataset ? (await request<{ items: AnnotationSet[] }>('GET', sets(dataset), { signal })).items : [],
    enabled: dataset !== undefined && dataset.role !== null,
    staleTime: 60_000,
  })

export const annotationSetQuery = (dataset: Place | undefined, setId: string | undefined) =>
  queryOptions({
    queryKey: ['annotation-set', setId],
    queryFn: async ({ signal }) =>
      (
        await request<{ item: AnnotationSet & { episodes: EpisodeAnnotation[] } }>(
          'GET',
          `${sets(dataset as Place)}/${setId}`,
          { signal },
        )
      ).item,
    enabled: dataset !== undefined && setId !== undefined,
    staleTime: 60_000,
  })

/** Puts one episode's annotation into the set, or into a first set when there is none. */
export async function saveAnnotation(
  dataset: Place,
  setId: string | undefined,
  annotation: Partial<EpisodeAnnotation> & { episode_index: number },
): Promise<void> {
  if (setId) await request('PUT', `${sets(dataset)}/${setId}`, { body: { episodes: [annotation], merge: true } })
  else await request('POST', sets(dataset), { body: { name: 'segments', episodes: [annotation] } })
}
