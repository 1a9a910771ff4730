import type { ColumnType, Generated } from 'kysely'
import type { CopiedFrom } from './copies/copied-from.ts'
import type { PreviewAsset } from './prepare/preview-asset.ts'
import type { ImportOptions } from './request.ts'
import type { SourceKind } from './source-kind.ts'

type Json<T> = ColumnType<T, string, string>

export interface ImportTables {
  imports: {
    id: string
    project_id: string
    dataset_slug: string
    /** Null: nobody gave one. */
    title: string | null
    source_kind: SourceKind
    source_uri: string | null
    hf_repo_id: string | null
    hf_revision: string | null
    hf_commit: string | null
    hf_token: Buffer | null
    upload_ids: string[]
    options: Json<ImportOptions>
    idempotency_key: string | null
    fingerprint: string
    created_by: string | null
    /** Of a copy. The version may be gone since. */
    version_id: string | null
    copied_from: ColumnType<CopiedFrom | null, string | null, never>
    source_digest: string | null
    dataset_id: string | null
    revision_id: string | null
    has_report: Generated<boolean>
    has_raw: Generated<boolean>
    hdf5: ColumnType<Record<string, unknown> | null, string | null | undefined, string | null>
    preview_assets: ColumnType<PreviewAsset[], string | undefined, string>
    /** Set for failed ones only. */
    dismissed_at: Generated<Date | null>
  }
  import_files: {
    import_id: string
    path: string
    sha256: string
    size_bytes: number
    store_key: string
  }
}
