import type { ColumnType } from 'kysely'

type DefaultTimestamp = ColumnType<Date, Date | undefined, Date>

export interface HubTables {
  hub_pushes: {
    id: string
    org_id: string
    project_id: string
    slug: string
    state: ColumnType<'open' | 'imported' | 'expired', 'open' | undefined, 'imported' | 'expired'>
    head: string | null
    codebase_tag: string | null
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
  }
}
