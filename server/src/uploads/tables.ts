import type { Generated } from 'kysely'

export interface UploadTables {
  uploads: {
    id: string
    user_id: string
    org_id: string | null
    project_id: string | null
    path: string
    metadata: unknown
    size_bytes: number
    offset_bytes: Generated<number>
    expected_sha256: string | null
    sha256: string | null
    store_key: string
    multipart_id: string | null
    part_size_bytes: number
    tail_key: string | null
    lock_token: string | null
    lock_expires_at: Date | null
    lock_is_wanted: Generated<boolean>
    created_at: Generated<Date>
    last_byte_at: Generated<Date>
    finished_at: Date | null
  }
  upload_parts: { upload_id: string; part_number: number; size_bytes: number; etag: string }
  upload_claims: { import_id: string; position: number; upload_id: string }
}
