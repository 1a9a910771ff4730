import { type Selectable, sql, type Updateable } from 'kysely'
import type { Database, Transaction } from '../db/database.ts'
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

export type PushRow = Selectable<HubTables['hub_pushes']>
export interface PushFile {
  path: string
  sha256: string
  sizeBytes: number
}

/** The newest push to a name that is open or became an import, of whatever project the name allows. */
export const listPushes = async (
  db: Database,
  orgSlug: string,
  slug: string,
  projectSlug: string | undefined,
): Promise<(PushRow & { projectSlug: string })[]> => {
  const { rows } = await sql<PushRow & { projectSlug: string }>`
    select distinct on (project.id) push.*, project.slug as "projectSlug"
    from hub_pushes push join projects project on project.id = push.project_id
    join organizations org on org.id = push.org_id
    where org.slug = ${orgSlug} and push.slug = ${slug} and push.state <> 'expired'
      and (${projectSlug ?? null}::text is null or project.slug = ${projectSlug ?? null})
    order by project.id, push.created_at desc`.execute(db)
  return rows
}

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

export const findOpenPush = (db: Database, projectId: string, slug: string): Promise<PushRow | undefined> =>
  db
    .selectFrom('hub_pushes')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('slug', '=', slug)
    .where('state', '=', 'open')
    .executeTakeFirst()

export const findPush = (db: Database, id: string): Promise<PushRow | undefined> =>
  db.selectFrom('hub_pushes').selectAll().where('id', '=', id).executeTakeFirst()

/** Held until the transaction ends, so that two commits come one after the other. */
export const lockPush = (trx: Transaction, id: string): Promise<PushRow | undefined> =>
  trx.selectFrom('hub_pushes').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

export const insertPush = async (
  trx: Transaction,
  push: Pick<PushRow, 'id' | 'org_id' | 'project_id' | 'slug' | 'created_by' | 'branch' | 'branch_of'>,
): Promise<boolean> => {
  const { numInsertedOrUpdatedRows: count } = await trx
    .insertInto('hub_pushes')
    .values({ ...push, head: null, codebase_tag: null, import_id: null })
    .onConflict((conflict) => conflict.columns(['project_id', 'slug']).where('state', '=', 'open').doNothing())
    .executeTakeFirstOrThrow()
  return Number(count ?? 0n) === 1
}

export const updatePush = async (
  trx: Transaction,
  id: string,
  change: Updateable<HubTables['hub_pushes']>,
): Promise<void> => {
  await trx
    .updateTable('hub_pushes')
    .set({ ...change, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

export const listPushFiles = async (db: Database, pushId: string): Promise<PushFile[]> => {
  const { rows } = await sql<PushFile>`
    select path, sha256, size_bytes as "sizeBytes" from hub_push_files where push_id = ${pushId} order by path`.execute(
    db,
  )
  return rows
}

export const listFilesOfImport = async (db: Database, importId: string): Promise<PushFile[]> => {
  const { rows } = await sql<PushFile>`
    select file.path, file.sha256, file.size_bytes as "sizeBytes" from hub_push_files file
    join hub_pushes push on push.id = file.push_id
    where push.id = (select id from hub_pushes where import_id = ${importId} order by created_at desc limit 1)
    order by file.path`.execute(db)
  return rows
}

export const upsertPushFiles = async (trx: Transaction, pushId: string, files: readonly PushFile[]): Promise<void> => {
  await sql`
    insert into hub_push_files (push_id, path, sha256, size_bytes)
    select ${pushId}, * from unnest(
      ${files.map(({ path }) => path)}::text[],
      ${files.map(({ sha256 }) => sha256)}::text[],
      ${files.map(({ sizeBytes }) => sizeBytes)}::bigint[])
    on conflict (push_id, path) do update set sha256 = excluded.sha256, size_bytes = excluded.size_bytes`.execute(trx)
}

/** Files of these paths, and everything below those that end in a slash. */
export const deletePushFiles = async (trx: Transaction, pushId: string, paths: readonly string[]): Promise<void> => {
  await sql`
    delete from hub_push_files where push_id = ${pushId} and (path = any(${paths}::text[])
      or exists (select 1 from unnest(${paths}::text[]) folder where folder like '%/' and starts_with(path, folder)))`.execute(
    trx,
  )
}

/** Pushes without a commit for so long, oldest first. */
export const listQuietPushes = async (
  db: Database,
  quietSeconds: number,
  limit: number,
): Promise<(PushRow & { age: number })[]> => {
  const { rows } = await sql<PushRow & { age: number }>`
    select push.*, extract(epoch from now() - updated_at)::float8 as age from hub_pushes push
    where state = 'open' and updated_at < now() - make_interval(secs => ${quietSeconds}::float8)
    order by updated_at limit ${limit}`.execute(db)
  return rows
}

/** What was sent of large files in parts and never put together. */
export const listPartOwners = async (db: Database, pushId: string): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select distinct owner_id as id from blob_references
    where owner_kind = 'push_part' and starts_with(owner_id, ${`${pushId}/`})`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Pushes that are over for so long, as far as no import reads them any more, and that still hold contents of a kind.
 * `push_part` owners are named after the push and the file.
 */
export const listSettledPushes = async (
  db: Database,
  kind: 'push' | 'xet' | 'push_part',
  graceSeconds: number,
  limit: number,
): Promise<string[]> => {
  const isOwner = kind === 'push_part' ? sql`starts_with(owner_id, push.id || '/')` : sql`owner_id = push.id`
  const { rows } = await sql<{ id: string }>`
    select push.id from hub_pushes push left join jobs on jobs.id = push.import_id
    where push.state <> 'open' and (jobs.id is null or jobs.finished_at is not null)
      and (push.state = 'expired'
        or coalesce(jobs.finished_at, push.updated_at) < now() - make_interval(secs => ${graceSeconds}::float8))
      and exists (
        select 1 from blob_references
        where owner_kind = ${kind} and ${isOwner})
    limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** A push that became an import and whose tree is still here under its own name. */
export const findPushedTree = async (
  db: Database,
  projectId: string,
  slug: string,
  head: string,
): Promise<PushRow | undefined> => {
  const { rows } = await sql<PushRow>`
    select push.* from hub_pushes push
    where project_id = ${projectId} and slug = ${slug} and head = ${head} and state = 'imported'
      and exists (select 1 from blob_references where owner_kind = 'push' and owner_id = push.id)
    order by created_at desc limit 1`.execute(db)
  return rows[0]
}
