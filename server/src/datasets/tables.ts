import type { DatasetCard } from '@nmp/formats/card/dataset-card'
import type { ColumnType, Generated } from 'kysely'
import type { RevisionSummary } from './revision-summary.ts'
import type { FieldName } from './shown-fields.ts'

type Timestamp = ColumnType<Date, Date | string, Date | string>
type DefaultTimestamp = ColumnType<Date, Date | string | undefined, Date | string>

export interface DatasetTables {
  datasets: {
    id: string
    project_id: string
    slug: string
    title: string
    description: Generated<string>
    tags: Generated<string[]>
    visibility: Generated<'private' | 'public'>
    licence: string | null
    citation: string | null
    card_markdown: string | null
    language: Generated<string[]>
    work_name: string | null
    task_name: string | null
    robot_type: string | null
    embodiment: string | null
    robot_description_uri: string | null
    edited_fields: Generated<FieldName[]>
    readme_sha256: string | null
    current_revision_id: string | null
    losses_dismissed_revision_id: string | null
    deletion_requested_at: Timestamp | null
    published_at: Timestamp | null
    created_at: DefaultTimestamp
    updated_at: DefaultTimestamp
  }
  dataset_revisions: {
    id: string
    dataset_id: string
    number: number
    import_id: string | null
    source_kind: string
    source_uri: string | null
    hf_repo_id: string | null
    hf_revision: string | null
    is_public: Generated<boolean>
    digest: string
    read_model_digest: string
    summary: ColumnType<RevisionSummary, string, never>
    card: ColumnType<DatasetCard | null, string | null | undefined, never>
    created_by: string | null
    created_at: DefaultTimestamp
  }
  former_names: {
    project_id: string
    slug: string
    present: string
    created_at: DefaultTimestamp
  }
  dataset_readmes: {
    dataset_id: string
    sha256: string
    content: string
    is_public: Generated<boolean>
    created_at: DefaultTimestamp
  }
}
