import type { ColumnType, Generated, GeneratedAlways } from 'kysely'

type DefaultTimestamp = ColumnType<Date, Date | string | undefined, Date | string>

export type CheckPart = 'signals' | 'pictures'
export type CheckState = 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled' | 'skipped'
export type PicturesSetting = 'auto' | 'always' | 'never'

export interface CheckTables {
  check_results: {
    revision_id: string | null
    version_id: string | null
    subject_id: GeneratedAlways<string>
    part: CheckPart
    state: CheckState
    job_id: string | null
    message: Generated<string>
    episode_count: number | null
    rule_set_version: number | null
    report: Buffer | null
    updated_at: DefaultTimestamp
  }
  check_settings: {
    dataset_id: string | null
    version_id: string | null
    owner_id: GeneratedAlways<string>
    cut_offs: ColumnType<Record<string, number>, string, string>
    pictures: Generated<PicturesSetting>
    updated_at: DefaultTimestamp
  }
  seen_pictures: {
    dataset_id: string | null
    version_id: string | null
    owner_id: GeneratedAlways<string>
    episode_sha256: Buffer
    rule_set_version: number
    traces: Buffer
  }
  episode_identities: {
    revision_id: string
    episode_index: number
    content_sha256: Buffer
    numbers_sha256: Buffer | null
  }
  episode_paths: {
    revision_id: string
    first_place: number
    role: 'state' | 'action'
    width: number
    dimensions: number[]
    scales: number[]
    episodes: number[]
    lengths: number[]
    points: Buffer
  }
}
