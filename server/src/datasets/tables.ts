import type { ColumnType, Generated } from 'kysely'
import type { RevisionSummary } from './revision-summary.ts'

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
    current_revision_id: string | null
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
    digest: string
    read_model_digest: string
    summary: ColumnType<RevisionSummary, string, never>
    created_by: string | null
    created_at: DefaultTimestamp
  }
}
