import type { ColumnType, Generated } from 'kysely'

type DefaultTimestamp = ColumnType<Date, Date | undefined, Date>

export interface HubTables {
  hub_pushes: {
    id: string
    org_id: string
    project_id: string
    slug: string
    state: ColumnType<PushState, 'open' | undefined, PushState>
    base_id: string | null
    head: string | null
    head_number: Generated<number>
    whole_number: number | null
    judged_number: number | null
    lacks: string | null
    codebase_version: string | null
    transfer_at: Date | null
    import_id: string | null
    branch: string | null
    branch_of: string | null
    created_by: string | null
    created_at: DefaultTimestamp
    updated_at: DefaultTimestamp
  }
  hub_push_files: {
    push_id: string
    path: string
    sha256: string
    size_bytes: number
    added: number
    removed: number | null
  }
  hub_commits: {
    push_id: string
    number: number
    id: string
    parent_id: string | null
    title: string
    message: string
    author_id: string | null
    created_at: DefaultTimestamp
  }
  hub_model_sources: {
    project_id: string
    config_sha256: string
    repo_id: string
    revision: string | null
    dataset: string | null
    commit_id: string | null
    created_at: DefaultTimestamp
  }
  hub_tags: {
    project_id: string
    slug: string
    name: string
    commit_id: string
    message: Generated<string>
    created_by: string | null
    created_at: DefaultTimestamp
  }
}

type PushState = 'open' | 'imported' | 'kept' | 'expired'
