import type { Generated } from 'kysely'

export interface ExportTables {
  exports: {
    id: string
    version_id: string
    artifact_key: string
    requested_by: string | null
    shard_count: Generated<number>
    checksum_sha256: string | null
    size_bytes: number | null
  }
  export_shards: {
    id: string
    export_id: string
    position: number
    episodes: number[]
    frame_count: number
  }
}
