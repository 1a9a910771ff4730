import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { EpisodeAnnotation } from './annotations/content.ts'

type DefaultTimestamp = ColumnType<Date, Date | string | undefined, Date | string>

export type Verdict = 'keep' | 'leave_out' | 'flag'

export const robotKinds = ['urdf', 'zip'] as const
export type RobotKind = (typeof robotKinds)[number]
export const jointUnits = ['rad', 'deg', 'm', 'mm'] as const

export interface RobotJoint {
  joint: string
  dimension: number
  unit: (typeof jointUnits)[number]
}

export interface CurationTables {
  robots: {
    id: string
    project_id: string
    name: string
    file_name: string
    kind: RobotKind
    size_bytes: number
    sha256: string
    created_by: string | null
    created_at: DefaultTimestamp
  }
  dataset_robots: {
    dataset_id: string
    robot_id: string
    joints: ColumnType<RobotJoint[], string, string>
    changed_by: string | null
    updated_at: DefaultTimestamp
  }
  reviews: {
    id: string
    project_id: string
    revision_id: string | null
    version_id: string | null
    subject_id: GeneratedAlways<string>
    name: string
    episodes: number[]
    created_by: string | null
    created_at: DefaultTimestamp
    updated_at: DefaultTimestamp
  }
  review_people: {
    review_id: string
    user_id: string
    position: number
  }
  review_verdicts: {
    review_id: string
    episode_index: number
    verdict: Verdict
    decided_by: string | null
    decided_at: DefaultTimestamp
  }
  episode_flags: {
    id: string
    revision_id: string | null
    version_id: string | null
    subject_id: GeneratedAlways<string>
    episode_index: number
    reason: string
    note: Generated<string>
    start_frame: number | null
    end_frame: number | null
    created_by: string | null
    created_at: DefaultTimestamp
    updated_at: DefaultTimestamp
  }
  annotation_sets: {
    id: string
    revision_id: string | null
    version_id: string | null
    subject_id: GeneratedAlways<string>
    name: string
    latest_version: Generated<number>
    keys: Generated<string[]>
    deleted_at: ColumnType<Date, Date | string, Date | string> | null
    created_by: string | null
    created_at: DefaultTimestamp
    updated_at: DefaultTimestamp
  }
  annotation_versions: {
    set_id: string
    version: number
    message: Generated<string>
    episodes: ColumnType<EpisodeAnnotation[], string, never>
    episode_count: number
    created_by: string | null
    created_at: DefaultTimestamp
  }
}
