import { sql } from 'kysely'
import type { Database } from '../db/database.ts'

/** What something is said about: a revision of a dataset, or a version. */
export interface Subject {
  kind: 'revision' | 'version'
  id: string
}

/** Where a flag or an annotation set says what it is about. */
export const describeSubject = ({ kind, id }: Subject): { revision_id: string | null; version_id: string | null } => ({
  revision_id: kind === 'revision' ? id : null,
  version_id: kind === 'version' ? id : null,
})

export interface CuratedRevision extends Subject {
  number: number
  digest: string
  readModelDigest: string
}

export const findRevision = async (
  db: Database,
  datasetId: string,
  number: number,
): Promise<CuratedRevision | undefined> => {
  const row = await db
    .selectFrom('dataset_revisions')
    .select(['id', 'number', 'digest', 'read_model_digest as readModelDigest'])
    .where('dataset_id', '=', datasetId)
    .where('number', '=', number)
    .executeTakeFirst()
  return row && { kind: 'revision', ...row }
}

const maxRecipients = 200

/** Those who may change the dataset: editors and admins of the project, admins of the organization. */
export const listEditors = async (
  db: Database,
  { orgId, projectId }: { orgId: string; projectId: string },
): Promise<string[]> => {
  const { rows } = await sql<{ userId: string }>`
    select user_id as "userId" from project_members
      join org_members using (user_id)
      where project_id = ${projectId} and project_members.role in ('editor', 'admin') and org_id = ${orgId}
    union
    select user_id from org_members where org_id = ${orgId} and role = 'admin'
    limit ${maxRecipients}`.execute(db)
  return rows.map((row) => row.userId)
}

export const moveSubject = async (db: Database, fromRevision: string, toRevision: string): Promise<void> => {
  for (const table of ['episode_flags', 'annotation_sets', 'reviews'] as const)
    await db.updateTable(table).set({ revision_id: toRevision }).where('revision_id', '=', fromRevision).execute()
}
