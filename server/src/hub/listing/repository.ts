import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/database.ts'

/** What a person may read, as a list of repositories shows it. */
export interface ListedRepository {
  org: string
  project: string
  slug: string
  isPrivate: boolean
  isRobotData: boolean
  tags: string[]
  createdAt: Date
  updatedAt: Date
}

export interface ListFilter {
  userId: string | undefined
  /** Otherwise what is in organizations that ask for a second proof is left out. */
  hasSecondProof: boolean
  author: string | undefined
  words: readonly string[]
  tags: readonly string[]
  sort: 'createdAt' | 'lastModified'
  limit: number
  offset: number
}

/** Public datasets; and in projects where the person has a role, all datasets, versions and plain repositories. */
const datasets = sql`
  select dataset.project_id, dataset.slug, dataset.title, dataset.visibility = 'private' as hidden, true as robot,
    dataset.tags || case when dataset.licence is null then '{}' else array['license:' || dataset.licence] end as tags,
    dataset.created_at, greatest(revision.created_at, dataset.updated_at) as updated_at
  from datasets dataset join dataset_revisions revision on revision.id = dataset.current_revision_id
  where dataset.deletion_requested_at is null
    and (dataset.visibility = 'public' or dataset.project_id in (select id from seen))
  union all
  select project_id, slug, max(name), true, true, '{}', min(created_at), max(created_at) from versions
  where project_id in (select id from seen) group by project_id, slug
  union all
  select push.project_id, push.slug, push.slug, true, bool_or(push.codebase_version is not null), '{}',
    min(push.created_at), max(push.updated_at)
  from hub_pushes push
  where push.state <> 'expired' and push.branch is null and push.project_id in (select id from seen)
    and not starts_with(push.slug, 'model:')
    and not exists (select 1 from datasets where project_id = push.project_id and slug = push.slug)
  group by push.project_id, push.slug`

/** Models of the projects where the person has a role. Their tags are what they were trained on: `dataset:ORG/NAME`. */
const models = sql`
  select push.project_id, push.slug, '' as title, true as hidden, false as robot,
    array_remove(array_agg(distinct 'dataset:' || source.repo_id) || array_agg(distinct 'dataset:' || source.dataset), null) as tags,
    min(push.created_at) as created_at, max(push.updated_at) as updated_at
  from hub_pushes push
  left join hub_push_files config on config.push_id = push.id and config.path = 'train_config.json' and config.removed is null
  left join hub_model_sources source on source.project_id = push.project_id and source.config_sha256 = config.sha256
  where push.state <> 'expired' and push.branch is null and starts_with(push.slug, 'model:')
    and push.project_id in (select id from seen)
  group by push.project_id, push.slug`

export const listReadable = (db: Database, filter: ListFilter): Promise<ListedRepository[]> =>
  listThings(db, filter, datasets)

export const listReadableModels = (db: Database, filter: ListFilter): Promise<ListedRepository[]> =>
  listThings(db, filter, models)

async function listThings(
  db: Database,
  { userId, hasSecondProof, author, words, tags, sort, limit, offset }: ListFilter,
  things: RawBuilder<unknown>,
): Promise<ListedRepository[]> {
  const { rows } = await sql<ListedRepository>`
    with seen as (
      select project.id from projects project
      join org_members member on member.org_id = project.org_id and member.user_id = ${userId ?? ''}
      left join project_members held on held.project_id = project.id and held.user_id = member.user_id
      where (member.role = 'admin' or held.role is not null)
        and (${hasSecondProof} or not exists (
          select from organizations where organizations.id = project.org_id and require_two_step))
    ), things as (${things})
    select org.slug as org, project.slug as project, things.slug, things.hidden as "isPrivate", things.robot as "isRobotData",
      things.tags, things.created_at as "createdAt", things.updated_at as "updatedAt"
    from things join projects project on project.id = things.project_id join organizations org on org.id = project.org_id
    where (${author ?? null}::text is null or org.slug = lower(${author ?? ''}))
      and not exists (
        select 1 from unnest(${words}::text[]) word
        where strpos(lower(org.slug || '/' || project.slug || '.' || things.slug || ' ' || things.title), lower(word)) = 0)
      and not exists (
        select 1 from unnest(${tags}::text[]) wanted
        where not (lower(wanted) = any(array(select lower(tag) from unnest(things.tags) tag))
          or things.robot and lower(wanted) in ('lerobot', 'task_categories:robotics')))
    order by ${sort === 'createdAt' ? sql`things.created_at` : sql`things.updated_at`} desc, org.slug, project.slug, things.slug
    limit ${limit} offset ${offset}`.execute(db)
  return rows
}
