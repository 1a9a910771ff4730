import { sql } from 'kysely'
import type { Database } from '../db/database.ts'

export interface CuratedRevision {
  id: string
  number: number
  digest: string
  readModelDigest: string
}

export const findRevision = async (
  db: Database,
  datasetId: string,
  number: number,
): Promise<CuratedRevision | undefined> =>
  db
    .selectFrom('dataset_revisions')
    .select(['id', 'number', 'digest', 'read_model_digest as readModelDigest'])
    .where('dataset_id', '=', datasetId)
    .where('number', '=', number)
    .executeTakeFirst()

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
