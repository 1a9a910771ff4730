import { queryOptions } from '@tanstack/react-query'
import { request } from '../app/client.ts'
import type { Hdf5Summary } from './hdf5-summary.ts'

export interface PreviewAsset {
  kind: 'image_preview' | 'video_preview' | 'video_mp4' | 'video_webm' | 'timeseries_parquet' | 'timeseries_arrow'
  path: string
  label: string
  content_type: string
  size_bytes: number
  sha256: string
  metadata?: Record<string, unknown>
}

export interface ImportJob {
  id: string
  org_slug: string
  project_slug: string
  dataset_id: string | null
  dataset_slug: string
  title: string
  source_kind: 'huggingface' | 'hdf5' | 'lerobot'
  source_uri: string | null
  status: 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled'
  report_object_path: string | null
  error_message: string | null
  created_by: string | null
  created_at: string
  updated_at: string
  hf_repo_id: string | null
  hf_revision: string | null
  hdf5: Hdf5Summary | null
  preview_assets: PreviewAsset[]
  started_at: string | null
  progress_pct: number | null
  progress_phase: string | null
  progress_message: string | null
  downloaded_bytes: number | null
  total_bytes: number | null
  attempt_count: number
  max_attempts: number
  retry_after: string | null
  last_error: string | null
  cancel_requested_at?: string | null
  consistency_status: string
}

export interface ImportPage {
  items: ImportJob[]
  next_cursor?: string | null
}

export const isMoving = ({ status }: Pick<ImportJob, 'status'>): boolean => status === 'running' || status === 'queued'

const base = (org: string, project: string) => `/orgs/${org}/projects/${project}/imports`

export const importsQuery = (org: string, project: string) =>
  queryOptions({
    queryKey: ['imports', org, project],
    queryFn: ({ signal }) => request<ImportPage>('GET', base(org, project), { query: { limit: 200 }, signal }),
    // The live stream moves the list; this is for when it cannot be opened.
    refetchInterval: (query) => (query.state.data?.items.some(isMoving) ? 4000 : false),
  })

export const importQuery = (org: string, project: string, id: string) =>
  queryOptions({
    queryKey: ['import', id],
    queryFn: async ({ signal }) =>
      (await request<{ item: ImportJob }>('GET', `${base(org, project)}/${id}`, { signal })).item,
    refetchInterval: (query) => (query.state.data && isMoving(query.state.data) ? 4000 : false),
  })

export interface Finding {
  rule: string
  severity: 'error' | 'warning' | 'info'
  episode: number | null
  sentence: string
}

export interface ImportReport {
  outcome: 'succeeded' | 'failed'
  summary: string
  error: { code: string; message: string; phase: string | null } | null
  source: {
    kind: string
    uri: string | null
    revision: string | null
    layout: string | null
    version: string | null
    file_count: number
    size_bytes: number
  }
  counts: {
    episodes_found: number
    episodes_imported: number
    episodes_repaired: number
    episodes_left_out: number
    frames: number
    errors: number
    warnings: number
    notes: number
  }
  result: {
    fps: number
    robot_type: string | null
    file_count: number
    size_bytes: number
    kept_files: number
    digest: string
  } | null
  findings: Finding[]
  episodes: {
    source_index: number
    source_id: string
    episode_index: number | null
    length_frames: number | null
    outcome: 'imported' | 'repaired' | 'left_out'
    notes: string[]
  }[]
  truncated: boolean
}

export const reportQuery = (org: string, project: string, id: string) =>
  queryOptions({
    queryKey: ['import-report', id],
    queryFn: async ({ signal }) =>
      (await request<{ item: ImportReport }>('GET', `${base(org, project)}/${id}/report`, { signal })).item,
  })

export const cancelImport = (org: string, project: string, id: string) =>
  request<{ item: ImportJob }>('POST', `${base(org, project)}/${id}/cancel`)

export const retryImport = (org: string, project: string, id: string) =>
  request<{ item: ImportJob }>('POST', `${base(org, project)}/${id}/retry`)

export interface NewImport {
  source_kind: ImportJob['source_kind']
  dataset_slug: string
  title?: string
  hf_repo_id?: string
  hf_revision?: string
  hf_token?: string
  source_uri?: string
  upload_ids?: string[]
  idempotency_key?: string
  options?: { fps?: number; color_order?: string; flip_vertical?: boolean; task?: string; video_codec?: string }
}

export const createImport = (org: string, project: string, body: NewImport) =>
  request<{ item: ImportJob }>('POST', base(org, project), { body })

export interface HubCheck {
  exists: boolean
  private: boolean | null
  gated: boolean | null
  revision: string | null
  codebase_version: string | null
  total_bytes: number | null
  file_count: number | null
  sentence: string
}

export const checkHub = (
  org: string,
  project: string,
  body: { hf_repo_id: string; hf_revision?: string; hf_token?: string },
) => request<{ item: HubCheck }>('POST', `${base(org, project)}/check`, { body })

export const getPreviewUrl = (org: string, project: string, id: string, name: string) =>
  request<{ url: string; expires_at: string }>(
    'GET',
    `${base(org, project)}/${id}/previews/${encodeURIComponent(name)}`,
  )
