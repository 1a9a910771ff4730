import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'

/** What a policy was trained on, as its train_config.json says and as that name stood when it was pushed. */
export interface ModelSource {
  repoId: string
  revision: string | null
  /** `ORG/PROJECT.SLUG`; null when there was no such dataset here. */
  dataset: string | null
  commitId: string | null
}

/** The first word counts: the same file pushed again says nothing new. */
export const insertModelSource = async (
  db: Database,
  projectId: string,
  configSha256: string,
  { repoId, revision, dataset, commitId }: ModelSource,
): Promise<void> => {
  await sql`
    insert into hub_model_sources (project_id, config_sha256, repo_id, revision, dataset, commit_id)
    values (${projectId}, ${configSha256}, ${repoId}, ${revision}, ${dataset}, ${commitId})
    on conflict do nothing`.execute(db)
}

export const findModelSource = async (
  db: Database,
  projectId: string,
  configSha256: string,
): Promise<ModelSource | undefined> => {
  const { rows } = await sql<ModelSource>`
    select repo_id as "repoId", revision, dataset, commit_id as "commitId" from hub_model_sources
    where project_id = ${projectId} and config_sha256 = ${configSha256}`.execute(db)
  return rows[0]
}
