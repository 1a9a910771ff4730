import { type Selectable, sql, type Updateable } from 'kysely'
import type { Database, Transaction } from '../db/database.ts'
import type { HubTables } from './tables.ts'

/** Something of an organization that has a slug, and where it lives. */
export interface NamedThing {
  kind: 'dataset' | 'version'
  /** Of the dataset; of the newest version. */
  id: string
  projectSlug: string
}

const mostNamesakes = 100

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
    select 'dataset' as kind, dataset.id, place.slug as "projectSlug"
    from datasets dataset join place on place.id = dataset.project_id
    where dataset.slug = ${slug} and dataset.current_revision_id is not null and dataset.deletion_requested_at is null
    union all
    select * from (
      select distinct on (place.slug) 'version' as kind, version.id, place.slug as "projectSlug"
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
  push: Pick<PushRow, 'id' | 'org_id' | 'project_id' | 'slug' | 'created_by'>,
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

/** Pushes that are over and whose objects may go: those that no import will read any more. */
export const listSettledPushes = async (db: Database, limit: number): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select push.id from hub_pushes push left join jobs on jobs.id = push.import_id
    where push.state <> 'open' and coalesce(jobs.finished_at is not null, true) and exists (
      select 1 from blob_references where owner_kind in ('push', 'xet') and owner_id = push.id)
    limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}
