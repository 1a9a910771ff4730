import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { ListedRepository, ListFilter } from '../repository.ts'

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

/** Models of the projects where the person has a role. Their tags are what they were trained on: `dataset:ORG/NAME`. */
export const listReadableModels = async (
  db: Database,
  { userId, author, words, tags, sort, limit, offset }: ListFilter,
): Promise<ListedRepository[]> => {
  const { rows } = await sql<ListedRepository>`
    with seen as (
      select project.id from projects project
      join org_members member on member.org_id = project.org_id and member.user_id = ${userId ?? ''}
      left join project_members held on held.project_id = project.id and held.user_id = member.user_id
      where member.role = 'admin' or held.role is not null
    ), things as (
      select push.project_id, push.slug, min(push.created_at) as created_at, max(push.updated_at) as updated_at,
        array_remove(array_agg(distinct 'dataset:' || source.repo_id) || array_agg(distinct 'dataset:' || source.dataset), null) as tags
      from hub_pushes push
      left join hub_push_files config on config.push_id = push.id and config.path = 'train_config.json' and config.removed is null
      left join hub_model_sources source on source.project_id = push.project_id and source.config_sha256 = config.sha256
      where push.state <> 'expired' and push.branch is null and starts_with(push.slug, 'model:')
        and push.project_id in (select id from seen)
      group by push.project_id, push.slug
    )
    select org.slug as org, project.slug as project, things.slug, true as "isPrivate", false as "isRobotData",
      things.tags, things.created_at as "createdAt", things.updated_at as "updatedAt"
    from things join projects project on project.id = things.project_id join organizations org on org.id = project.org_id
    where (${author ?? null}::text is null or org.slug = lower(${author ?? ''}))
      and not exists (
        select 1 from unnest(${words}::text[]) word
        where strpos(lower(org.slug || '/' || project.slug || '.' || things.slug), lower(word)) = 0)
      and not exists (
        select 1 from unnest(${tags}::text[]) wanted
        where not lower(wanted) = any(array(select lower(tag) from unnest(things.tags) tag)))
    order by ${sort === 'createdAt' ? sql`things.created_at` : sql`things.updated_at`} desc, org.slug, project.slug, things.slug
    limit ${limit} offset ${offset}`.execute(db)
  return rows
}
