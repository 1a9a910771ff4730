import { type Selectable, sql, type Updateable } from 'kysely'
import { type CamelCased, snakeCased } from '../db/camel-case.ts'
import type { Database, Transaction } from '../db/database.ts'
import type { JobState } from '../jobs/tables.ts'
import type { HubTables } from './tables.ts'

/** Something of an organization that has a slug, and where it lives. */
export interface NamedThing {
  kind: 'dataset' | 'version'
  /** Of the dataset; of the newest version. */
  id: string
  projectId: string
  projectSlug: string
}

const mostNamesakes = 100
const mostBranches = 100

/** Datasets and versions of this slug, in one project or in all of the organization's. Who may see them is not asked here. */
export const listNamed = async (
  db: Database,
  orgSlug: string,
  slug: string,
  projectSlug: string | undefined,
): Promise<NamedThing[]> => {
  const { rows } = await sql<NamedThing>`
    with place as (
      select project.id, project.slug from projects project join organizations org on org.id = project.org_id
      where org.slug = ${orgSlug} and (${projectSlug ?? null}::text is null or project.slug = ${projectSlug ?? null})
    )
    select 'dataset' as kind, dataset.id, place.id as "projectId", place.slug as "projectSlug"
    from datasets dataset join place on place.id = dataset.project_id
    where dataset.slug = ${slug} and dataset.current_revision_id is not null and dataset.deletion_requested_at is null
    union all
    select * from (
      select distinct on (place.slug) 'version' as kind, version.id, place.id as "projectId", place.slug as "projectSlug"
      from versions version join place on place.id = version.project_id
      where version.slug = ${slug} order by place.slug, version.version desc
    ) newest
    limit ${mostNamesakes}`.execute(db)
  return rows
}

export type PushRow = CamelCased<Selectable<HubTables['hub_pushes']>>
export interface PushFile {
  path: string
  sha256: string
  sizeBytes: number
}

const pushColumns = sql`
  push.id, push.org_id as "orgId", push.project_id as "projectId", push.slug, push.state, push.base_id as "baseId", push.head,
  push.head_number as "headNumber", push.whole_number as "wholeNumber", push.judged_number as "judgedNumber", push.lacks,
  push.codebase_version as "codebaseVersion", push.transfer_at as "transferAt", push.import_id as "importId", push.branch,
  push.branch_of as "branchOf", push.created_by as "createdBy", push.created_at as "createdAt", push.updated_at as "updatedAt"`

/** A name under which something was pushed and no dataset is shown: where it lives, and whether one waits to be deleted there. */
export const listPushedNames = async (
  db: Database,
  orgSlug: string,
  slug: string,
  projectSlug: string | undefined,
): Promise<{ projectId: string; projectSlug: string }[]> => {
  const { rows } = await sql<{ projectId: string; projectSlug: string }>`
    select distinct project.id as "projectId", project.slug as "projectSlug"
    from hub_pushes push join projects project on project.id = push.project_id
    join organizations org on org.id = push.org_id
    where org.slug = ${orgSlug} and push.slug = ${slug} and push.state <> 'expired'
      and (${projectSlug ?? null}::text is null or project.slug = ${projectSlug ?? null})
      and not exists (
        select 1 from datasets where project_id = push.project_id and slug = push.slug and deletion_requested_at is not null)
    order by 2 limit ${mostNamesakes}`.execute(db)
  return rows
}

/**
 * The push whose newest commit `main` stands at, where that is no revision: commits that are not imported yet, or that cannot be; and
 * whatever there is of a name that has no dataset. One whose import failed gives way to the revision before it.
 */
export const findHeadPush = async (db: Database, projectId: string, slug: string): Promise<PushRow | undefined> => {
  const { rows } = await sql<PushRow>`
    select ${pushColumns} from hub_pushes push
    left join jobs on jobs.id = push.import_id
    left join datasets dataset on dataset.project_id = push.project_id and dataset.slug = push.slug
    left join hub_commits head on head.push_id = push.id and head.number = push.head_number
    where push.project_id = ${projectId} and push.slug = ${slug} and push.state <> 'expired'
      and (dataset.current_revision_id is null
        or push.state = 'open' and push.head is not null
        or push.state = 'imported' and jobs.state in ('queued', 'running')
        or push.state = 'kept' and head.created_at > (
          select max(created_at) from dataset_revisions where dataset_id = dataset.id))
    order by push.created_at desc, push.id desc limit 1`.execute(db)
  return rows[0]
}

/** The newest commit of a name that has every file and whose import has not ended. */
export const findWholePush = async (db: Database, projectId: string, slug: string): Promise<PushRow | undefined> => {
  const { rows } = await sql<PushRow>`
    select ${pushColumns} from hub_pushes push left join jobs on jobs.id = push.import_id
    where push.project_id = ${projectId} and push.slug = ${slug} and push.whole_number is not null
      and (push.state = 'open' or push.state = 'imported' and jobs.state in ('queued', 'running'))
    order by push.created_at desc, push.id desc limit 1`.execute(db)
  return rows[0]
}

export const findImportOutcome = async (db: Database, importId: string): Promise<{ state: JobState } | undefined> =>
  db.selectFrom('jobs').select('state').where('id', '=', importId).executeTakeFirst()

/** The slugs that branches of a name are kept under; expired ones are gone. */
export const listBranches = async (
  db: Database,
  projectId: string,
  slug: string,
): Promise<{ branch: string; slug: string }[]> => {
  const { rows } = await sql<{ branch: string; slug: string }>`
    select distinct branch, slug from hub_pushes
    where project_id = ${projectId} and branch_of = ${slug} and state <> 'expired'
    order by branch limit ${mostBranches}`.execute(db)
  return rows
}

export const findOpenPush = async (db: Database, projectId: string, slug: string): Promise<PushRow | undefined> => {
  const { rows } = await sql<PushRow>`
    select ${pushColumns} from hub_pushes push
    where push.project_id = ${projectId} and push.slug = ${slug} and push.state = 'open'`.execute(db)
  return rows[0]
}

/** Where a name began. */
export const findFirstPush = async (db: Database, projectId: string, slug: string): Promise<PushRow | undefined> => {
  const { rows } = await sql<PushRow>`
    select ${pushColumns} from hub_pushes push
    where push.project_id = ${projectId} and push.slug = ${slug} and push.state <> 'expired'
    order by push.created_at, push.id limit 1`.execute(db)
  return rows[0]
}

export const findPush = async (db: Database, id: string): Promise<PushRow | undefined> => {
  const { rows } = await sql<PushRow>`select ${pushColumns} from hub_pushes push where push.id = ${id}`.execute(db)
  return rows[0]
}

export const findPushOfImport = async (db: Database, importId: string): Promise<PushRow | undefined> => {
  const { rows } = await sql<PushRow>`
    select ${pushColumns} from hub_pushes push where push.import_id = ${importId}
    order by push.created_at limit 1`.execute(db)
  return rows[0]
}

export const findPlaceNames = async (db: Database, projectId: string): Promise<{ org: string; project: string }> => {
  const { rows } = await sql<{ org: string; project: string }>`
    select org.slug as org, project.slug as project
    from projects project join organizations org on org.id = project.org_id where project.id = ${projectId}`.execute(db)
  return rows[0] ?? { org: '', project: '' }
}

/** Held until the transaction ends, so that two commits come one after the other. */
export const lockPush = async (trx: Transaction, id: string): Promise<PushRow | undefined> => {
  const { rows } = await sql<PushRow>`
    select ${pushColumns} from hub_pushes push where push.id = ${id} for update`.execute(trx)
  return rows[0]
}

/** All of a name: until the transaction ends, none of them becomes an import. */
export const lockPushes = async (trx: Transaction, projectId: string, slug: string): Promise<void> => {
  await sql`select from hub_pushes where project_id = ${projectId} and slug = ${slug} order by id for update`.execute(
    trx,
  )
}

export const insertPush = async (
  trx: Transaction,
  push: Pick<PushRow, 'id' | 'orgId' | 'projectId' | 'slug' | 'createdBy' | 'branch' | 'branchOf'>,
): Promise<boolean> => {
  const { numInsertedOrUpdatedRows: count } = await trx
    .insertInto('hub_pushes')
    .values({ ...snakeCased(push), head: null, import_id: null })
    .onConflict((conflict) => conflict.columns(['project_id', 'slug']).where('state', '=', 'open').doNothing())
    .executeTakeFirstOrThrow()
  return Number(count ?? 0n) === 1
}

export const updatePush = async (
  trx: Transaction,
  id: string,
  change: CamelCased<Updateable<HubTables['hub_pushes']>>,
): Promise<void> => {
  await trx.updateTable('hub_pushes').set(snakeCased(change)).where('id', '=', id).execute()
}

/** The client sends large files for a commit that is to come: the push is not quiet before it has, or has given up. */
export const noteTransfer = async (db: Database, id: string): Promise<void> => {
  await sql`update hub_pushes set updated_at = now(), transfer_at = now() where id = ${id}`.execute(db)
}

/**
 * Open pushes whose head may become an import: tagged, or quiet and not looked at. Fair between organizations: the n-th of each comes
 * before the n+1-th of any.
 */
export const listRipePushes = async (
  db: Database,
  { quietSeconds, transferSeconds, perOrg, limit }: RipeRule,
): Promise<PushRow[]> => {
  const { rows } = await sql<PushRow>`
    select ${pushColumns} from (
      select push.*, row_number() over (partition by org_id order by updated_at, id) as place from hub_pushes push
      where state = 'open' and head is not null
        and (whole_number = head_number
          or judged_number is distinct from head_number
            and updated_at < now() - make_interval(secs => ${quietSeconds}::float8)
            and coalesce(transfer_at, '-infinity') < now() - make_interval(secs => ${transferSeconds}::float8))
        and not exists (
          select 1 from hub_pushes other join jobs on jobs.id = other.import_id
          where other.project_id = push.project_id and other.slug = push.slug and jobs.state in ('queued', 'running'))
    ) push where place <= ${perOrg} order by place, push.updated_at limit ${limit}`.execute(db)
  return rows
}

interface RipeRule {
  quietSeconds: number
  transferSeconds: number
  perOrg: number
  limit: number
}

/** Imports of what was pushed to a name that have not ended. */
export const listUnfinishedImports = async (db: Database, projectId: string, slug: string): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select distinct jobs.id from hub_pushes push join jobs on jobs.id = push.import_id
    where push.project_id = ${projectId} and push.slug = ${slug} and jobs.state in ('queued', 'running')`.execute(db)
  return rows.map(({ id }) => id)
}

/** Open pushes that nobody goes on with and that are not about to become an import, by how long their client was silent. */
export const listIdlePushes = async (
  db: Database,
  { keepSeconds, emptySeconds, limit }: { keepSeconds: number; emptySeconds: number; limit: number },
): Promise<PushRow[]> => {
  const { rows } = await sql<PushRow>`
    select ${pushColumns} from hub_pushes push
    where state = 'open' and whole_number is distinct from head_number
      and updated_at < now() - make_interval(secs => case when head is null then ${emptySeconds}::float8 else ${keepSeconds}::float8 end)
      and (head is null or judged_number = head_number)
    order by updated_at limit ${limit}`.execute(db)
  return rows
}

export const countOpenPushes = async (db: Database, orgId: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from hub_pushes where org_id = ${orgId} and state = 'open'`.execute(db)
  return rows[0]?.count ?? 0
}

/** Whether a name has anything beside this push: a dataset, or what was pushed before. */
export const hasOtherState = async (db: Database, push: PushRow): Promise<boolean> => {
  const { rows } = await sql`
    select 1 from datasets where project_id = ${push.projectId} and slug = ${push.slug} and current_revision_id is not null
    union all
    select 1 from hub_pushes where project_id = ${push.projectId} and slug = ${push.slug} and id <> ${push.id} and state <> 'expired'
    limit 1`.execute(db)
  return rows.length > 0
}

/** Contents that were sent and that no commit of the push names; their grace time begins. */
export const dropUncommitted = async (trx: Transaction, pushId: string): Promise<void> => {
  await sql`
    with dropped as (
      delete from blob_references where owner_kind = 'push' and owner_id = ${pushId}
        and not exists (
          select 1 from hub_push_files file where file.push_id = ${pushId} and logical_path = 'objects/' || file.sha256)
      returning sha256
    )
    update blobs set last_referenced_at = now() where sha256 in (select sha256 from dropped)`.execute(trx)
}

/** Pushes to datasets that are gone for good: nothing of them is shown any more. */
export const expireOrphanedPushes = async (db: Database): Promise<void> => {
  await sql`
    update hub_pushes push set state = 'expired' from imports, jobs
    where push.state = 'imported' and imports.id = push.import_id and jobs.id = imports.id and jobs.state = 'succeeded'
      and not exists (select 1 from datasets where project_id = push.project_id and slug = push.slug)`.execute(db)
}

/** What was sent of large files in parts and never put together. */
export const listPartOwners = async (db: Database, pushId: string): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select distinct owner_id as id from blob_references
    where owner_kind = 'push_part' and starts_with(owner_id, ${`${pushId}/`})`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Pushes that hold contents of a kind which nobody needs any more. Xorbs and parts go when no more can be sent. A pushed tree goes with
 * its dataset; where sources are not kept, some time after its import; and some days after an import of it failed, unless nothing else
 * is shown under its name. `push_part` owners are named after the push and the file.
 */
export const listSpentPushes = async (
  db: Database,
  kind: 'push' | 'xet' | 'push_part',
  { keepsRaw, graceSeconds, failedSeconds, limit }: SpentRule,
): Promise<string[]> => {
  const isOwner = kind === 'push_part' ? sql`starts_with(owner_id, push.id || '/')` : sql`owner_id = push.id`
  const isSpent =
    kind === 'push'
      ? sql`(push.state = 'expired' or push.state = 'imported' and (
          jobs.state = 'succeeded' and not ${keepsRaw}::boolean and jobs.finished_at < now() - make_interval(secs => ${graceSeconds}::float8)
          or jobs.state in ('failed', 'canceled') and jobs.finished_at < now() - make_interval(secs => ${failedSeconds}::float8)
            and exists (select 1 from datasets where project_id = push.project_id and slug = push.slug and current_revision_id is not null)))`
      : sql`push.state <> 'open'`
  const { rows } = await sql<{ id: string }>`
    select push.id from hub_pushes push left join jobs on jobs.id = push.import_id
    where ${isSpent} and exists (select 1 from blob_references where owner_kind = ${kind} and ${isOwner})
    limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

interface SpentRule {
  keepsRaw: boolean
  graceSeconds: number
  failedSeconds: number
  limit: number
}

/** Things that had this slug, under the one that they have now. */
export const listFormer = async (
  db: Database,
  orgSlug: string,
  slug: string,
  projectSlug: string | undefined,
): Promise<{ projectSlug: string; slug: string }[]> => {
  const { rows } = await sql<{ projectSlug: string; slug: string }>`
    select project.slug as "projectSlug", former.present as slug
    from former_names former join projects project on project.id = former.project_id
    join organizations org on org.id = project.org_id
    where org.slug = ${orgSlug} and former.slug = ${slug}
      and (${projectSlug ?? null}::text is null or project.slug = ${projectSlug ?? null})
    limit ${mostNamesakes}`.execute(db)
  return rows
}

/** Everything that was pushed to a name is shown no more; its contents go with the next sweep. */
export const expirePushes = async (trx: Transaction, projectId: string, slug: string): Promise<number> => {
  await trx.deleteFrom('hub_tags').where('project_id', '=', projectId).where('slug', '=', slug).execute()
  const { numUpdatedRows: count } = await trx
    .updateTable('hub_pushes')
    .set({ state: 'expired' })
    .where('project_id', '=', projectId)
    .where('slug', '=', slug)
    .where('state', '<>', 'expired')
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Everything that was pushed to a name and tagged there, and its branches, which keep slugs of their own. */
export const renamePushes = async (trx: Transaction, projectId: string, from: string, to: string): Promise<void> => {
  await sql`update hub_tags set slug = ${to} where project_id = ${projectId} and slug = ${from}`.execute(trx)
  await sql`update hub_pushes set slug = ${to} where project_id = ${projectId} and slug = ${from}`.execute(trx)
  await sql`update hub_pushes set branch_of = ${to} where project_id = ${projectId} and branch_of = ${from}`.execute(
    trx,
  )
}
