import type { DatasetCard } from '@nmp/formats/card/dataset-card'
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { ProjectRole } from '../access/roles.ts'
import { type CamelCased, renamed, snakeCased } from '../db/camel-case.ts'
import type { Database, Transaction } from '../db/database.ts'
import type { RevisionSummary } from './revision-summary.ts'
import type { DatasetTables } from './tables.ts'

export type DatasetRow = CamelCased<Selectable<DatasetTables['datasets']>>
/** Without its card, which may be long and which few need. */
export type RevisionRow = CamelCased<Omit<Selectable<DatasetTables['dataset_revisions']>, 'card'>>

const datasetColumns = renamed('dataset', [
  'id',
  'project_id',
  'slug',
  'title',
  'description',
  'tags',
  'visibility',
  'licence',
  'citation',
  'card_markdown',
  'language',
  'work_name',
  'task_name',
  'robot_type',
  'embodiment',
  'robot_description_uri',
  'edited_fields',
  'readme_sha256',
  'current_revision_id',
  'losses_dismissed_revision_id',
  'deletion_requested_at',
  'published_at',
  'created_at',
  'updated_at',
])

const revisionColumns = renamed('revision', [
  'id',
  'dataset_id',
  'number',
  'is_public',
  'import_id',
  'source_kind',
  'source_uri',
  'hf_repo_id',
  'hf_revision',
  'digest',
  'read_model_digest',
  'summary',
  'created_by',
  'created_at',
])

/** The same in one column: its time is a text there. */
const revisionJson = sql<RevisionJson>`jsonb_build_object(
  'id', revision.id, 'datasetId', revision.dataset_id, 'number', revision.number, 'isPublic', revision.is_public, 'importId', revision.import_id,
  'sourceKind', revision.source_kind, 'sourceUri', revision.source_uri, 'hfRepoId', revision.hf_repo_id,
  'hfRevision', revision.hf_revision, 'digest', revision.digest, 'readModelDigest', revision.read_model_digest,
  'summary', revision.summary, 'createdBy', revision.created_by, 'createdAt', revision.created_at)`

type RevisionJson = Omit<RevisionRow, 'createdAt'> & { createdAt: string }

/** A dataset with the revision it shows and where it lives. */
export type PlacedDataset = DatasetRow & {
  orgId: string
  orgSlug: string
  projectSlug: string
  revision: RevisionRow
  /** `SET/FIELD` for each field that an annotation set of the revision says something in. */
  annotationKeys: string[]
}

const mostAnnotationKeys = 1_000

/** No feature is called so: LeRobot allows no slash in their names. */
const annotationKeys = sql<string[]>`array(
  select annotations.name || '/' || key
  from annotation_sets annotations cross join unnest(annotations.keys) with ordinality as said (key, place)
  where annotations.revision_id = dataset.current_revision_id and annotations.deleted_at is null
  order by annotations.name collate "C", place limit ${sql.lit(mostAnnotationKeys)})`

const placed = (db: Database) =>
  db
    .selectFrom('datasets as dataset')
    .innerJoin('dataset_revisions as revision', 'revision.id', 'dataset.current_revision_id')
    .innerJoin('projects as project', 'project.id', 'dataset.project_id')
    .innerJoin('organizations as org', 'org.id', 'project.org_id')
    .select(datasetColumns)
    .select(['org.id as orgId', 'org.slug as orgSlug', 'project.slug as projectSlug'])
    .select(revisionJson.as('revision'))
    .select(annotationKeys.as('annotationKeys'))

const withDates = <T extends { revision: RevisionJson }>(row: T): Omit<T, 'revision'> & { revision: RevisionRow } => ({
  ...row,
  revision: { ...row.revision, createdAt: new Date(row.revision.createdAt) },
})

export const findDataset = async (
  db: Database,
  projectId: string,
  slug: string,
): Promise<PlacedDataset | undefined> => {
  const row = await placed(db)
    .where('dataset.project_id', '=', projectId)
    .where('dataset.slug', '=', slug)
    .executeTakeFirst()
  return row && withDates(row)
}

/** With the role a person has where it lives, if any. */
export const findDatasetById = async (
  db: Database,
  datasetId: string,
  userId: string | undefined,
): Promise<(PlacedDataset & { role: ProjectRole | null }) | undefined> => {
  const row = await placed(db)
    .leftJoin('org_members as member', (join) =>
      join.onRef('member.org_id', '=', 'org.id').on('member.user_id', '=', userId ?? ''),
    )
    .leftJoin('project_members as held', (join) =>
      join.onRef('held.project_id', '=', 'project.id').on('held.user_id', '=', userId ?? ''),
    )
    .select(
      sql<ProjectRole | null>`case when member.role = 'admin' then 'admin' when member.role is not null then held.role end`.as(
        'role',
      ),
    )
    .where('dataset.id', '=', datasetId)
    .executeTakeFirst()
  return row && withDates(row)
}

export const listDatasets = async (
  db: Database,
  projectId: string,
  limit: number,
  afterSlug: string | undefined,
): Promise<PlacedDataset[]> => {
  const rows = await placed(db)
    .where('dataset.project_id', '=', projectId)
    .$if(afterSlug !== undefined, (query) => query.where('dataset.slug', '>', afterSlug ?? ''))
    .orderBy('dataset.slug')
    .limit(limit)
    .execute()
  return rows.map(withDates)
}

export const listPublicDatasets = async (db: Database, ids: readonly string[]): Promise<PlacedDataset[]> => {
  if (ids.length === 0) return []
  const rows = await placed(db)
    .where('dataset.id', 'in', ids)
    .where('dataset.visibility', '=', 'public')
    .where('dataset.deletion_requested_at', 'is', null)
    .execute()
  return rows.map(withDates)
}

/** Makes the dataset where the slug is new, and holds its row until the transaction ends. */
export const lockDataset = async (
  trx: Transaction,
  dataset: CamelCased<Insertable<DatasetTables['datasets']>>,
): Promise<DatasetRow> => {
  await trx
    .insertInto('datasets')
    .values(snakeCased(dataset))
    .onConflict((conflict) => conflict.columns(['project_id', 'slug']).doNothing())
    .execute()
  return trx
    .selectFrom('datasets as dataset')
    .select(datasetColumns)
    .where('dataset.project_id', '=', dataset.projectId)
    .where('dataset.slug', '=', dataset.slug)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

export const insertRevision = async (
  trx: Transaction,
  revision: CamelCased<Omit<Insertable<DatasetTables['dataset_revisions']>, 'number'>>,
): Promise<number> => {
  const { number } = await trx
    .insertInto('dataset_revisions')
    .values({
      ...snakeCased(revision),
      number: sql<number>`(select coalesce(max(number), 0) + 1 from dataset_revisions where dataset_id = ${revision.datasetId})`,
    })
    .returning('number')
    .executeTakeFirstOrThrow()
  return number
}

export const updateDataset = async (
  trx: Transaction,
  datasetId: string,
  change: CamelCased<Updateable<DatasetTables['datasets']>>,
): Promise<void> => {
  await trx
    .updateTable('datasets')
    .set({ ...snakeCased(change), updated_at: sql<Date>`greatest(now(), updated_at + interval '1 millisecond')` })
    .where('id', '=', datasetId)
    .execute()
}

/** What README.md of its source says. */
export const findCard = async (db: Database, revisionId: string): Promise<DatasetCard | null> => {
  const row = await db.selectFrom('dataset_revisions').select('card').where('id', '=', revisionId).executeTakeFirst()
  return row?.card ?? null
}

/** A revision whose source has no card goes on with the one before: nobody took back what it said. */
const cardShown = sql<DatasetCard | null>`(
  select earlier.card from dataset_revisions earlier
  where earlier.dataset_id = dataset.id and earlier.number <= revision.number and earlier.card is not null
  order by earlier.number desc limit 1)`

const shown = (db: Database, datasetId: string) =>
  db
    .selectFrom('datasets as dataset')
    .innerJoin('dataset_revisions as revision', 'revision.id', 'dataset.current_revision_id')
    .innerJoin('projects as project', 'project.id', 'dataset.project_id')
    .select(datasetColumns)
    .select(['project.org_id as orgId', 'revision.summary'])
    .select(cardShown.as('card'))
    .where('dataset.id', '=', datasetId)

/** The dataset with what its revision says of it. */
export type ShownDataset = DatasetRow & { orgId: string; summary: RevisionSummary; card: DatasetCard | null }

export const findShown = (db: Database, datasetId: string): Promise<ShownDataset | undefined> =>
  shown(db, datasetId).executeTakeFirst()

/** Held until the transaction ends. */
export const lockShown = (trx: Transaction, datasetId: string): Promise<ShownDataset | undefined> =>
  shown(trx, datasetId).forUpdate('dataset').executeTakeFirst()

const mostReadmes = 200

export const keepReadme = async (
  trx: Transaction,
  datasetId: string,
  { sha256, content, isPublic }: { sha256: string; content: string; isPublic: boolean },
): Promise<void> => {
  await sql`
    insert into dataset_readmes (dataset_id, sha256, content, is_public)
    values (${datasetId}, ${sha256}, ${content}, ${isPublic})
    on conflict (dataset_id, sha256) do update
    set created_at = clock_timestamp(), is_public = dataset_readmes.is_public or ${isPublic}`.execute(trx)
  await sql`
    delete from dataset_readmes where dataset_id = ${datasetId} and sha256 in (
      select sha256 from dataset_readmes where dataset_id = ${datasetId}
      order by created_at desc offset ${mostReadmes})`.execute(trx)
}

export const findReadme = async (db: Database, datasetId: string, sha256: string): Promise<string | undefined> => {
  const row = await db
    .selectFrom('dataset_readmes')
    .select('content')
    .where('dataset_id', '=', datasetId)
    .where('sha256', '=', sha256)
    .executeTakeFirst()
  return row?.content
}

/** That of the dataset as it is shown now. */
export const findShownReadme = (
  db: Database,
  datasetId: string,
): Promise<{ sha256: string; content: string } | undefined> =>
  db
    .selectFrom('datasets as dataset')
    .innerJoin('dataset_readmes as readme', (join) =>
      join.onRef('readme.dataset_id', '=', 'dataset.id').onRef('readme.sha256', '=', 'dataset.readme_sha256'),
    )
    .select(['readme.sha256', 'readme.content'])
    .where('dataset.id', '=', datasetId)
    .executeTakeFirst()

/** Their hashes, newest first. */
export const listReadmes = async (db: Database, datasetId: string, isPublicOnly: boolean): Promise<string[]> => {
  const rows = await db
    .selectFrom('dataset_readmes')
    .select('sha256')
    .where('dataset_id', '=', datasetId)
    .$if(isPublicOnly, (query) => query.where('is_public', '=', true))
    .orderBy('created_at', 'desc')
    .limit(mostReadmes)
    .execute()
  return rows.map(({ sha256 }) => sha256)
}

export const setDeletion = async (trx: Transaction, datasetId: string, requested: boolean): Promise<void> => {
  await updateDataset(trx, datasetId, {})
  await trx
    .updateTable('datasets')
    .set({ deletion_requested_at: requested ? sql<Date>`coalesce(deletion_requested_at, now())` : null })
    .where('id', '=', datasetId)
    .execute()
}

export const findRevision = (
  db: Database,
  revisionId: string,
): Promise<(RevisionRow & { orgId: string }) | undefined> =>
  db
    .selectFrom('dataset_revisions as revision')
    .innerJoin('datasets as dataset', 'dataset.id', 'revision.dataset_id')
    .innerJoin('projects as project', 'project.id', 'dataset.project_id')
    .select(revisionColumns)
    .select('project.org_id as orgId')
    .where('revision.id', '=', revisionId)
    .executeTakeFirst()

export const listRevisions = (
  db: Database,
  datasetId: string,
  limit: number,
  belowNumber: number | undefined,
  isPublicOnly: boolean,
): Promise<RevisionRow[]> =>
  db
    .selectFrom('dataset_revisions as revision')
    .select(revisionColumns)
    .where('revision.dataset_id', '=', datasetId)
    .$if(isPublicOnly, (query) => query.where('revision.is_public', '=', true))
    .$if(belowNumber !== undefined, (query) => query.where('revision.number', '<', belowNumber ?? 0))
    .orderBy('revision.number', 'desc')
    .limit(limit)
    .execute()

export const findRevisionByNumber = (
  db: Database,
  datasetId: string,
  number: number,
): Promise<RevisionRow | undefined> =>
  db
    .selectFrom('dataset_revisions as revision')
    .select(revisionColumns)
    .where('revision.dataset_id', '=', datasetId)
    .where('revision.number', '=', number)
    .executeTakeFirst()

/** Datasets whose grace period is over, with the organization they counted for. */
export const listPastGrace = (
  trx: Transaction,
  graceDays: number,
  limit: number,
): Promise<{ id: string; projectId: string; slug: string; orgId: string }[]> =>
  trx
    .selectFrom('datasets as dataset')
    .innerJoin('projects as project', 'project.id', 'dataset.project_id')
    .select(['dataset.id', 'dataset.project_id as projectId', 'dataset.slug', 'project.org_id as orgId'])
    .where('dataset.deletion_requested_at', '<', sql<Date>`now() - ${graceDays} * interval '1 day'`)
    .limit(limit)
    .forUpdate('dataset')
    .skipLocked()
    .execute()

export const listRevisionIds = async (db: Database, datasetId: string): Promise<string[]> =>
  (await db.selectFrom('dataset_revisions').select('id').where('dataset_id', '=', datasetId).execute()).map(
    ({ id }) => id,
  )

export const deleteDataset = async (trx: Transaction, datasetId: string): Promise<void> => {
  await trx.deleteFrom('datasets').where('id', '=', datasetId).execute()
}

/** Revisions that went with their project or organization, whose files are still referenced. */
export const listOrphanedOwners = async (db: Database, limit: number): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select distinct owner_id as id from blob_references
    where owner_kind = 'revision' and not exists (select 1 from dataset_revisions where id = owner_id)
    limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Of these, what versions are derived from. */
export const listRevisionsInUse = async (db: Database, revisionIds: readonly string[]): Promise<string[]> => {
  if (revisionIds.length === 0) return []
  const { rows } = await sql<{ id: string }>`
    select revision_id as id from versions where revision_id = any(${[...revisionIds]}::text[])
    union select root from versions, jsonb_array_elements_text(merge_roots) root
      where merge_roots ?| ${[...revisionIds]}::text[] and root = any(${[...revisionIds]}::text[])`.execute(db)
  return rows.map(({ id }) => id)
}
