import { sql } from 'kysely'
import type { Database } from '../db/database.ts'

export interface DatabaseFacts {
  version: string
  sizeBytes: number
}

export const selectDatabaseFacts = async (db: Database): Promise<DatabaseFacts> => {
  const { rows } = await sql<DatabaseFacts>`
    select current_setting('server_version') as version, pg_database_size(current_database()) as "sizeBytes"`.execute(
    db,
  )
  return rows[0] ?? { version: '', sizeBytes: 0 }
}

/** Something that needs a content, and the dataset it is part of, where it is. */
interface Needing {
  kind: string
  id: string
  path: string
  orgSlug: string | null
  datasetId: string | null
  title: string | null
}

export interface DamagedContent {
  sha256: string
  sizeBytes: number
  fault: string
  sentence: string
  foundAt: Date
  neededByCount: number
  neededBy: Needing[]
}

/** What is quarantined, the newest first, each with the first few that need it. */
export const selectDamagedContents = async (
  db: Database,
  { limit, mostNeeding }: { limit: number; mostNeeding: number },
): Promise<DamagedContent[]> => {
  const { rows } = await sql<DamagedContent>`
    with damaged as (
      select blobs.sha256, size_bytes, fault, sentence, found_at from damaged_objects join blobs using (store_key)
      where state = 'live' order by found_at desc, blobs.sha256 limit ${limit}
    )
    select sha256, size_bytes as "sizeBytes", fault, sentence, found_at as "foundAt",
      (select count(*) from blob_references where blob_references.sha256 = damaged.sha256)::integer as "neededByCount",
      coalesce((
        select jsonb_agg(to_jsonb(needing)) from (
          select owner_kind as kind, owner_id as id, logical_path as path, organizations.slug as "orgSlug",
            datasets.id as "datasetId", datasets.title
          from blob_references
            left join organizations on organizations.id = org_id
            left join imports on owner_kind = 'import' and imports.id = owner_id
            left join dataset_revisions on dataset_revisions.id =
              case owner_kind when 'revision' then owner_id when 'import' then imports.revision_id end
            left join datasets on datasets.id = dataset_revisions.dataset_id
          where blob_references.sha256 = damaged.sha256
          order by datasets.title nulls last, owner_kind, owner_id, logical_path limit ${mostNeeding}
        ) as needing), '[]') as "neededBy"
    from damaged order by found_at desc, sha256`.execute(db)
  return rows
}
