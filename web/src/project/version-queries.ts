import { queryOptions } from '@tanstack/react-query'
import { request } from '../app/client.ts'
import type { Recipe } from '../recipe/draft.ts'

export interface VersionArtifact {
  key: 'manifest' | 'lerobot'
  label: string
  kind: string
  path: string
  media_type: string
  status: 'planned' | 'queued' | 'running' | 'ready' | 'failed'
  checksum_sha256: string | null
  size_bytes: number | null
  job_id: string | null
  error_message: string | null
}

export interface Version {
  id: string
  org_slug: string
  project_slug: string
  slug: string
  name: string
  version: number
  status: 'materialization_required' | 'materializing' | 'materialized' | 'failed'
  source: {
    dataset_kind: string
    dataset_id: string
    repo_id: string | null
    title: string
    source_revision: string
    revision_id: string
    revision_number: number
  }
  recipe: Recipe
  recipe_counts: { selected_episode_indices: number; excluded_episode_indices: number }
  export_artifacts: VersionArtifact[]
  provenance: Record<string, unknown>
  checksums: Record<string, unknown>
  episode_count: number
  frame_count: number
  viewer_route: string
  lerobot_version: string
  created_by: string | null
  created_at: string
  updated_at: string
}

export interface ExportJob {
  id: string
  version_id: string
  artifact_key: string
  status: 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled'
  created_at: string
  updated_at: string
  checksum_sha256: string | null
  error_message: string | null
  size_bytes: number | null
  progress_pct?: number | null
  progress_phase?: string | null
  progress_message?: string | null
  shard_count?: number
  shards_done?: number
}

const base = (org: string) => `/orgs/${org}/derived-dataset-versions`
const isBusy = ({ status }: Version) => status === 'materializing'

export const versionsQuery = (org: string, project?: string) =>
  queryOptions({
    queryKey: ['versions', org, project],
    queryFn: async ({ signal }) => {
      const { items } = await request<{ items: Version[] }>('GET', base(org), {
        query: { project_slug: project },
        signal,
      })
      return project ? items.filter(({ project_slug }) => project_slug === project) : items
    },
    refetchInterval: (query) => (query.state.data?.some(isBusy) ? 3000 : false),
  })

export const datasetVersionsQuery = (org: string, project: string, datasetId: string) =>
  queryOptions({
    ...versionsQuery(org, project),
    select: (versions: Version[]) => versions.filter(({ source }) => source.dataset_id === datasetId),
  })

export const versionQuery = (org: string, id: string) =>
  queryOptions({
    queryKey: ['version', id],
    queryFn: async ({ signal }) => (await request<{ item: Version }>('GET', `${base(org)}/${id}`, { signal })).item,
    refetchInterval: (query) => (query.state.data && isBusy(query.state.data) ? 2000 : false),
  })

export const exportJobsQuery = (org: string, versionId: string, isMoving: boolean) =>
  queryOptions({
    queryKey: ['export-jobs', versionId],
    queryFn: async ({ signal }) =>
      (await request<{ items: ExportJob[] }>('GET', `${base(org)}/${versionId}/export-jobs`, { signal })).items,
    refetchInterval: isMoving ? 1500 : false,
  })

export interface VersionFile {
  path: string
  size_bytes: number
  sha256: string | null
  href?: string
}
export const versionFilesQuery = (org: string, versionId: string) =>
  queryOptions({
    queryKey: ['version-files', versionId],
    queryFn: async ({ signal }) =>
      (await request<{ items: VersionFile[] }>('GET', `${base(org)}/${versionId}/files`, { signal })).items,
  })

export const createVersion = (
  org: string,
  body: {
    slug: string
    name: string
    project_slug?: string
    source: { dataset_kind: 'catalog' | 'project'; dataset_id: string }
    recipe: Recipe
  },
) => request<{ item: Version }>('POST', base(org), { body })

export const deleteVersion = (org: string, id: string) => request<unknown>('DELETE', `${base(org)}/${id}`)

export const queueExport = (org: string, id: string) =>
  request<{ item: Version; jobs: ExportJob[] }>('POST', `${base(org)}/${id}/export-jobs`, {
    body: { artifact_keys: ['lerobot'] },
  })

export const cancelExport = (org: string, id: string, jobId: string) =>
  request<unknown>('POST', `${base(org)}/${id}/export-jobs/${jobId}/cancel`)

export const getDownloadUrl = (org: string, id: string, key: string) =>
  request<{ url: string; expires_at: string }>('GET', `${base(org)}/${id}/artifacts/${key}/download-url`)
