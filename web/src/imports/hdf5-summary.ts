import type { Hdf5SourceSummary } from '@nmp/sdk/generated/records'

export interface Hdf5Dataset {
  path: string
  shape: number[]
  dtype: string
  ndim: number
  size: number
  compression?: string | null
  chunks?: number[] | null
  attrs?: Record<string, unknown>
}

export interface Hdf5Candidate {
  path: string
  shape?: number[]
  layout?: string
  camera_key?: string | null
  frames?: number | null
  height?: number | null
  width?: number | null
  fps?: number | null
}

export interface Hdf5Summary {
  kind: 'hdf5_summary'
  inspected: boolean
  reason?: string | null
  size_bytes?: number | null
  dataset_count?: number | null
  group_count?: number | null
  datasets?: Hdf5Dataset[]
  groups?: { path: string; attrs?: Record<string, unknown> }[]
  preview_candidates?: {
    image?: Hdf5Candidate[]
    jpeg_bytes?: Hdf5Candidate[]
    padded_jpeg?: Hdf5Candidate[]
    image_path?: Hdf5Candidate[]
  }
  episodes?: { episode_index: number; length_frames?: number | null; duration_sec?: number | null }[]
  truncated?: boolean | null
  root_attrs?: Record<string, unknown>
}

/** The contract leaves the entries of the lists open; this is what our inspection puts into them. */
export const readSummary = (summary: Hdf5SourceSummary | null): Hdf5Summary | undefined =>
  summary === null ? undefined : (summary as unknown as Hdf5Summary)
