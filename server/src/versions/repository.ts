import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely'
import type { RevisionSummary } from '../datasets/revision-summary.ts'
import { type CamelCased, camelCased, renamed, snakeCased } from '../db/camel-case.ts'
import type { Database, Transaction } from '../db/database.ts'
import { prepared } from '../db/prepared.ts'
import type { StoredMerge } from './merge/stored-merge.ts'
import type { Recipe } from './recipe/recipe.ts'
import type { ArtifactKey, ArtifactStatus, VersionStatus, VersionTables } from './tables.ts'

export type Artifact = CamelCased<Omit<Selectable<VersionTables['version_artifacts']>, 'version_id' | 'updated_at'>>
/** A version with where it lives and what was made of it. */
export type Version = CamelCased<Selectable<VersionTables['versions']>> & {
  orgId: string
  orgSlug: string
  projectSlug: string
  artifacts: Artifact[]
  ancestors: ShownAncestor[]
}

/** A version between this one and the dataset that all began with. */
export interface ShownAncestor {
  versionId: string
  slug: string
  version: number
  recipe: Recipe
}

/** In a list an index array beyond this is left out; its count stands beside. */
const maxListedIndices = 1000

const artifactsOf = sql<Artifact[]>`(
  select coalesce(jsonb_agg(jsonb_build_object('key', key, 'status', status, 'path', path, 'jobId', job_id,
    'checksumSha256', checksum_sha256, 'sizeBytes', size_bytes, 'errorMessage', error_message) 
    order by key = 'manifest' desc, key = 'lerobot' desc, key), '[]')
  from version_artifacts as artifact where artifact.version_id = version.id)`

/** Words about a recipe are its own version's. In a list its index arrays are cut like the version's own. */
const ancestorsOf = (recipe: RawBuilder<unknown>) => sql<ShownAncestor[]>`(
  select coalesce(jsonb_agg(jsonb_build_object('versionId', ancestor.ancestor_id, 'slug', ancestor.slug,
    'version', ancestor.version, 'recipe', ${recipe} || '{"notes": null}') order by position), '[]')
  from version_ancestors as ancestor where ancestor.version_id = version.id)`

const listedColumns = renamed('version', [
  'id',
  'project_id',
  'slug',
  'version',
  'name',
  'status',
  'dataset_kind',
  'dataset_id',
  'revision_id',
  'source_org_id',
  'source',
  'recipe_digest',
  'selected_count',
  'excluded_count',
  'episode_count',
  'frame_count',
  'provenance',
  'checksums',
  'summary',
  'idempotency_key',
  'idempotency_fingerprint',
  'made_at',
  'created_by',
  'created_at',
  'updated_at',
  'description',
  'tags',
  'visibility',
  'published_at',
])
const allColumns = [
  ...listedColumns,
  ...renamed('version', ['recipe', 'annotations', 'cuts', 'checks', 'merge', 'merge_parents', 'card']),
]

const placed = (db: Database, ancestorRecipe = sql`ancestor.recipe`) =>
  db
    .selectFrom('versions as version')
    .innerJoin('projects as project', 'project.id', 'version.project_id')
    .innerJoin('organizations as org', 'org.id', 'project.org_id')
    .select(['org.id as orgId', 'org.slug as orgSlug', 'project.slug as projectSlug'])
    .select(artifactsOf.as('artifacts'))
    .select(ancestorsOf(ancestorRecipe).as('ancestors'))

export const findVersion = (db: Database, id: string): Promise<Version | undefined> =>
  placed(db).select(allColumns).where('version.id', '=', id).executeTakeFirst()

export const findVersionByKey = (db: Database, projectId: string, key: string): Promise<Version | undefined> =>
  placed(db)
    .select(allColumns)
    .where('version.project_id', '=', projectId)
    .where('version.idempotency_key', '=', key)
    .executeTakeFirst()

/** Held until the transaction ends, so that two changes of its artifacts come one after the other. */
export const lockVersion = async (trx: Transaction, id: string): Promise<boolean> =>
  (await trx.selectFrom('versions').select('id').where('id', '=', id).forUpdate().executeTakeFirst()) !== undefined

export interface VersionFilter {
  projectIds: readonly string[]
  status?: VersionStatus | undefined
  datasetId?: string | undefined
  q?: string | undefined
  limit: number
  beforeId: string | undefined
}

const isLong = (key: string) => sql`jsonb_typeof(ancestor.recipe -> ${sql.lit(key)}) = 'array'
  and jsonb_array_length(ancestor.recipe -> ${sql.lit(key)}) > ${maxListedIndices}`
/** Ranges and cuts of that many episodes, likewise. */
const withoutLongTime = (recipe: RawBuilder<unknown>) => sql`
    case when jsonb_typeof(${recipe} #> '{trim,ranges}') = 'object'
        and (select count(*) from jsonb_object_keys(${recipe} #> '{trim,ranges}')) > ${maxListedIndices}
      then jsonb_build_object('trim', (${recipe} -> 'trim') || '{"ranges": null}') else '{}' end
    || case when jsonb_typeof(${recipe} -> 'split') = 'object'
        and (select count(*) from jsonb_object_keys(${recipe} -> 'split')) > ${maxListedIndices}
      then '{"split": null}' else '{}' end::jsonb`
const cutRecipe = sql<Version['recipe']>`version.recipe || ${withoutLongTime(sql`version.recipe`)}
    || case when selected_count > ${maxListedIndices} then '{"selected_episode_indices": null}' else '{}' end::jsonb
    || case when excluded_count > ${maxListedIndices} then '{"excluded_episode_indices": null}' else '{}' end::jsonb`
const cutAncestor = sql`ancestor.recipe || ${withoutLongTime(sql`ancestor.recipe`)}
    || case when ${isLong('selected_episode_indices')} then '{"selected_episode_indices": null}' else '{}' end::jsonb
    || case when ${isLong('excluded_episode_indices')} then '{"excluded_episode_indices": null}' else '{}' end::jsonb`

/** Without what was found for the recipes, which may be long. */
const listedMerge = sql<StoredMerge | null>`case when version.merge is not null then jsonb_set(version.merge, '{sources}',
  (select jsonb_agg(source || '{"links": [], "recipe": null}' order by place)
    from jsonb_array_elements(version.merge -> 'sources') with ordinality as listed (source, place))) end`

/** As lists show it. */
const listed = (db: Database) =>
  placed(db, cutAncestor)
    .select(listedColumns)
    .select(cutRecipe.as('recipe'))
    .select([sql<null>`null`.as('annotations'), sql<null>`null`.as('cuts')])
    .select([sql<null>`null`.as('checks'), sql<null>`null`.as('card')])
    .select([listedMerge.as('merge'), 'version.merge_parents as mergeParents'])

export const findListedVersion = (db: Database, id: string): Promise<Version | undefined> =>
  listed(db).where('version.id', '=', id).executeTakeFirst()

export const listVersions = async (db: Database, filter: VersionFilter): Promise<Version[]> => {
  const { projectIds, status, datasetId, q, limit, beforeId } = filter
  if (projectIds.length === 0) return []
  const pattern = `%${(q ?? '').replaceAll(/[\\%_]/g, '\\$&')}%`
  return listed(db)
    .where('version.project_id', 'in', projectIds)
    .$if(status !== undefined, (query) => query.where('version.status', '=', status ?? 'failed'))
    .$if(datasetId !== undefined, (query) =>
      query.where(
        sql<boolean>`(version.dataset_id = ${datasetId ?? ''} or (version.merge is not null and version.merge @> ${JSON.stringify({ sources: [{ source: { dataset_id: datasetId } }] })}::jsonb))`,
      ),
    )
    .$if(q !== undefined, (query) =>
      query.where((row) =>
        row.or([
          row('version.slug', 'ilike', pattern),
          row('version.name', 'ilike', pattern),
          row('version.id', '=', q ?? ''),
          row(sql<string>`version.source ->> 'title'`, 'ilike', pattern),
        ]),
      ),
    )
    .$if(beforeId !== undefined, (query) => query.where('version.id', '<', beforeId ?? ''))
    .orderBy('version.id', 'desc')
    .limit(limit)
    .execute()
}

/** Two requests under one key come one after the other. */
export const lockKey = async (trx: Transaction, projectId: string, key: string): Promise<void> => {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`version key ${projectId} ${key}`}, 0))`.execute(trx)
}

export const listBySlug = (db: Database, projectId: string, slug: string, limit: number): Promise<Version[]> =>
  placed(db)
    .select(allColumns)
    .where('version.project_id', '=', projectId)
    .where('version.slug', '=', slug)
    .orderBy('version.version', 'desc')
    .limit(limit)
    .execute()

export const takeNumber = async (trx: Transaction, projectId: string, slug: string): Promise<number> => {
  const { last_version: number } = await trx
    .insertInto('version_numbers')
    .values({ project_id: projectId, slug, last_version: 1 })
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'slug']).doUpdateSet({ last_version: sql`version_numbers.last_version + 1` }),
    )
    .returning('last_version')
    .executeTakeFirstOrThrow()
  return number
}

export const insertVersion = async (
  trx: Transaction,
  version: CamelCased<Insertable<VersionTables['versions']>>,
  artifacts: readonly CamelCased<Insertable<VersionTables['version_artifacts']>>[],
): Promise<void> => {
  await trx.insertInto('versions').values(snakeCased(version)).execute()
  await trx.insertInto('version_artifacts').values(artifacts.map(snakeCased)).execute()
}

export type Ancestor = CamelCased<Selectable<VersionTables['version_ancestors']>>

/** Oldest first. */
export const listAncestors = (db: Database, versionId: string): Promise<Ancestor[]> =>
  db
    .selectFrom('version_ancestors')
    .selectAll()
    .where('version_id', '=', versionId)
    .orderBy('position')
    .execute()
    .then((rows) => rows.map(camelCased))

export const insertAncestors = async (
  trx: Transaction,
  versionId: string,
  ancestors: readonly Omit<Ancestor, 'versionId' | 'position'>[],
): Promise<void> => {
  if (ancestors.length === 0) return
  const rows = ancestors.map((ancestor, position) => ({
    ...snakeCased(ancestor),
    version_id: versionId,
    position,
    recipe: JSON.stringify(ancestor.recipe),
    annotations: ancestor.annotations && JSON.stringify(ancestor.annotations),
    cuts: ancestor.cuts && JSON.stringify(ancestor.cuts),
    checks: ancestor.checks && JSON.stringify(ancestor.checks),
  }))
  await trx.insertInto('version_ancestors').values(rows).execute()
}

/** Versions of an organization that were derived from one, by whatever number of recipes, alone or merged with others. */
export const listDescendants = (
  db: Database,
  versionId: string,
  orgId: string,
  limit: number,
): Promise<{ id: string; slug: string; version: number; projectId: string }[]> =>
  db
    .selectFrom('versions as version')
    .innerJoin('projects as project', 'project.id', 'version.project_id')
    .select(['version.id', 'version.slug', 'version.version', 'version.project_id as projectId'])
    .where(
      sql<boolean>`(version.id in (select version_id from version_ancestors where ancestor_id = ${versionId})
        or version.merge_parents @> array[${versionId}]::text[])`,
    )
    .where('project.org_id', '=', orgId)
    .orderBy('version.id')
    .limit(limit)
    .execute()

/** Which of these datasets and versions are neither public nor in a project that the person has a role in. */
export const listClosedSources = async (
  db: Database,
  ids: readonly string[],
  userId: string | undefined,
): Promise<string[]> => {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: string }>`${prepared('closed-sources')}
    select asked.id from unnest(${[...ids]}::text[]) as asked (id)
    where not exists (
      select from (
          select id, project_id, visibility = 'public' and deletion_requested_at is null as is_public from datasets
          union all select id, project_id, visibility = 'public' from versions) source
        join projects project on project.id = source.project_id
        left join org_members member on member.org_id = project.org_id and member.user_id = ${userId ?? ''}
        left join project_members held on held.project_id = project.id and held.user_id = member.user_id
      where source.id = asked.id and (is_public or member.role = 'admin' or held.role is not null))`.execute(db)
  return rows.map(({ id }) => id)
}

/** The database's: rows made in this transaction have the same time. */
export const readClock = async (trx: Transaction): Promise<Date> => {
  const { rows } = await sql<{ now: Date }>`select now()`.execute(trx)
  return rows[0]?.now ?? new Date()
}

export type VersionChange = CamelCased<Updateable<VersionTables['versions']>>

export const updateVersion = async (trx: Transaction, id: string, change: VersionChange): Promise<void> => {
  await trx
    .updateTable('versions')
    .set({ ...snakeCased(change), updated_at: sql<Date>`greatest(now(), updated_at + interval '1 millisecond')` })
    .where('id', '=', id)
    .execute()
}

export const deleteVersion = async (trx: Transaction, id: string): Promise<void> => {
  await trx.deleteFrom('versions').where('id', '=', id).execute()
}

export const updateStatus = async (trx: Transaction, id: string, status: VersionStatus): Promise<void> => {
  await trx.updateTable('versions').set({ status, updated_at: sql<Date>`now()` }).where('id', '=', id).execute()
}

/** Whether this is the first time that its data was made. */
export const markMade = async (trx: Transaction, id: string): Promise<boolean> => {
  const { numUpdatedRows } = await trx
    .updateTable('versions')
    .set({ made_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('made_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export const updateSummary = async (trx: Transaction, id: string, summary: RevisionSummary): Promise<void> => {
  await trx
    .updateTable('versions')
    .set({ summary: JSON.stringify(summary) })
    .where('id', '=', id)
    .execute()
}

export interface ArtifactChange {
  status: ArtifactStatus
  jobId?: string | null
  checksumSha256?: string | null
  sizeBytes?: number | null
  errorMessage?: string | null
}

/** Of a target that nobody asked for before. */
export const ensureArtifact = async (
  trx: Transaction,
  artifact: { versionId: string; key: ArtifactKey; path: string },
): Promise<void> => {
  await trx
    .insertInto('version_artifacts')
    .values({ ...snakeCased(artifact), status: 'planned' })
    .onConflict((conflict) => conflict.columns(['version_id', 'key']).doNothing())
    .execute()
}

export const updateArtifact = async (
  trx: Transaction,
  versionId: string,
  key: ArtifactKey,
  change: ArtifactChange,
  /** Only while it belongs to this job. */
  ofJob?: string,
): Promise<boolean> => {
  const { numUpdatedRows } = await trx
    .updateTable('version_artifacts')
    .set({ ...snakeCased(change), updated_at: sql<Date>`now()` })
    .where('version_id', '=', versionId)
    .where('key', '=', key)
    .$if(ofJob !== undefined, (query) => query.where('job_id', '=', ofJob ?? ''))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Versions and exports that went with their project or organization, whose files are still referenced. */
export const listOrphanedOwners = async (db: Database, limit: number): Promise<{ kind: string; id: string }[]> => {
  const { rows } = await sql<{ kind: string; id: string }>`
    select distinct owner_kind as kind, owner_id as id from blob_references
    where (owner_kind = 'artifact' and not exists (select 1 from versions where id = owner_id))
      or (owner_kind = 'media' and starts_with(owner_id, 'ver_') and not exists (select 1 from versions where id = owner_id))
      or (owner_kind = 'export' and not exists (select 1 from exports where id = owner_id))
    limit ${limit}`.execute(db)
  return rows
}
