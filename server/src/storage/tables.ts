import type { Generated } from 'kysely'

export type BlobState = 'live' | 'deleting'

/** `unreadable`: it could not be looked at, which says nothing about whether it is there. */
export type BlobFault = 'missing' | 'mismatch' | 'unreadable'

export interface StorageTables {
  object_store: { is_only: Generated<boolean>; store_id: string }
  blobs: {
    sha256: string
    size_bytes: number
    store_key: string
    state: Generated<BlobState>
    created_at: Generated<Date>
    last_referenced_at: Generated<Date>
    read_at: Generated<Date>
  }
  damaged_objects: { store_key: string; sha256: string; fault: BlobFault; sentence: string; found_at: Generated<Date> }
  blob_references: {
    owner_kind: string
    owner_id: string
    logical_path: string
    sha256: string
    org_id: string | null
    /** That of the content, so that sums read an index and nothing else; an older program leaves it out. */
    size_bytes: number | null
  }
}
