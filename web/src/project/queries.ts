import { queryOptions } from '@tanstack/react-query'
import { request } from '../app/client.ts'

export interface ProjectDataset {
  id: string
  org_slug: string
  project_slug: string
  slug: string
  title: string
  source_kind: string
  visibility: 'private' | 'public'
  source_uri: string | null
  read_model_path: string | null
  created_at: string
  updated_at: string
  description?: string
  tags?: string[]
  revision_number?: number | null
  total_episodes?: number | null
  total_frames?: number | null
  total_seconds?: number | null
  size_bytes?: number | null
  robot_type?: string | null
  camera_keys?: string[]
  deletion_at?: string | null
}

const base = (org: string, project: string) => `/orgs/${org}/projects/${project}/datasets`

export const projectDatasetsQuery = (org: string, project: string) =>
  queryOptions({
    queryKey: ['project-datasets', org, project],
    queryFn: ({ signal }) =>
      request<{ items: ProjectDataset[]; next_cursor?: string | null }>('GET', base(org, project), { signal }),
  })

export interface DatasetChange {
  title?: string
  description?: string
  tags?: string[]
  visibility?: 'private' | 'public'
  licence?: string | null
  citation?: string | null
  card_markdown?: string | null
}

export const changeDataset = (org: string, project: string, slug: string, body: DatasetChange) =>
  request<{ item: ProjectDataset }>('PATCH', `${base(org, project)}/${slug}`, { body })

export const deleteDataset = (org: string, project: string, slug: string) =>
  request<unknown>('DELETE', `${base(org, project)}/${slug}`, { query: { confirm: slug } })

export const restoreDataset = (org: string, project: string, slug: string) =>
  request<unknown>('POST', `${base(org, project)}/${slug}/restore`)

export interface Revision {
  number: number
  id: string
  created_at: string
  is_current?: boolean
  total_episodes?: number
  size_bytes?: number
  source_uri?: string | null
}
export const revisionsQuery = (org: string, project: string, slug: string) =>
  queryOptions({
    queryKey: ['revisions', org, project, slug],
    queryFn: ({ signal }) =>
      request<{ items: Revision[] }>('GET', `${base(org, project)}/${slug}/revisions`, { signal }),
  })

export const restoreRevision = (org: string, project: string, slug: string, number: number) =>
  request<unknown>('POST', `${base(org, project)}/${slug}/revisions/${number}/restore`)
