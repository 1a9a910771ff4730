import type { ColumnType, GeneratedAlways } from 'kysely'

export interface CatalogTables {
  catalog_entries: {
    id: GeneratedAlways<string>
    /** One of the two. */
    dataset_id: string | null
    version_id: string | null
    published_at: ColumnType<Date, Date | string, Date | string>
    robot_type: string | null
    tags: string[]
    tasks: string[]
    size_class: string
    words: string
    title: string
    total_seconds: number
    total_episodes: number
    size_bytes: number
    camera_count: number
    source_kind: string
  }
}
