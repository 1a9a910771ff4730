import type { JsonObject } from '@nmp/formats/json'
import type { Loss } from '@nmp/formats/writers/writer'
import type { ColumnType, Generated } from 'kysely'

export interface ExportReport {
  /** What the target has no place for. */
  losses: readonly Loss[]
  /** What was not made as the words on it say; absent where it was made before there were any. */
  notes?: readonly string[]
}

export interface ExportTables {
  exports: {
    id: string
    version_id: string
    artifact_key: string
    requested_by: string | null
    shard_count: Generated<number>
    /** What of the target's options was chosen. */
    options: ColumnType<JsonObject, string | undefined, never>
    /** Once it is made; null before. */
    report: ColumnType<ExportReport | null, never, string>
    checksum_sha256: string | null
    size_bytes: number | null
    /** The export whose job writes this one too. */
    made_with: string | null
  }
  export_shards: {
    id: string
    export_id: string
    position: number
    episodes: number[]
    frame_count: number
  }
}
