import { sql } from 'kysely'
import type { ReadableRevision } from '../datasets/readable.ts'
import type { Database, Transaction } from '../db/database.ts'

export type MediaRevision = Omit<ReadableRevision, 'isPublic'>

/** A revision of a dataset that is not on its way out; whoever asks has to have shown a right to it. */
export const findMediaRevision = async (
  db: Database,
  datasetId: string,
  revisionId: string,
): Promise<ReadableRevision | undefined> => {
  const { rows } = await sql<{
    id: string
    slug: string
    visibility: 'public' | 'private'
    projectId: string
    readModelDigest: string
    orgId: string
    isPublic: boolean
  }>`
    select datasets.id, datasets.slug, visibility, project_id as "projectId", read_model_digest as "readModelDigest",
      projects.org_id as "orgId", is_public and visibility = 'public' as "isPublic"
    from dataset_revisions
      join datasets on datasets.id = dataset_revisions.dataset_id
      join projects on projects.id = datasets.project_id
    where dataset_revisions.id = ${revisionId} and datasets.id = ${datasetId} and deletion_requested_at is null`.execute(
    db,
  )
  const row = rows[0]
  if (!row) return undefined
  const { id, slug, visibility, projectId, readModelDigest, orgId, isPublic } = row
  const revision = { id: revisionId, readModelDigest, orgId }
  return { dataset: { id, slug, visibility, projectId }, revision, isPublic }
}

/** Whether the revision is there; it stays until the transaction ends. */
export const holdRevision = async (trx: Transaction, revisionId: string): Promise<boolean> => {
  const { rows } = await sql`select from dataset_revisions where id = ${revisionId} for key share`.execute(trx)
  return rows.length > 0
}
