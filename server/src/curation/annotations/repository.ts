import { sql } from 'kysely'
import { renamed, snakeCased } from '../../db/camel-case.ts'
import type { Database, Transaction } from '../../db/database.ts'
import { describeSubject, type Subject } from '../repository.ts'
import { type EpisodeAnnotation, listAnnotationFields } from './content.ts'

export interface SetRow {
  id: string
  /** Of the version where the set is one of a version. */
  revisionNumber: number
  name: string
  latestVersion: number
  episodeCount: number
  createdBy: string | null
  createdByName: string | null
  createdAt: Date
  updatedAt: Date
}

export interface VersionRow {
  version: number
  message: string
  episodeCount: number
  createdBy: string | null
  createdByName: string | null
  createdAt: Date
}

const nameOfPerson = sql<string | null>`coalesce(nullif(person.display_name, ''), person.email)`

const setColumns = renamed('annotations', ['id', 'name', 'latest_version', 'created_by', 'created_at', 'updated_at'])

const visibleSets = (db: Database) =>
  db
    .selectFrom('annotation_sets as annotations')
    .leftJoin('dataset_revisions as revision', 'revision.id', 'annotations.revision_id')
    .leftJoin('versions as derived', 'derived.id', 'annotations.version_id')
    .innerJoin('annotation_versions as newest', (join) =>
      join.onRef('newest.set_id', '=', 'annotations.id').onRef('newest.version', '=', 'annotations.latest_version'),
    )
    .leftJoin('users as person', 'person.id', 'annotations.created_by')
    .select(setColumns)
    .select('newest.episode_count as episodeCount')
    .select(sql<number>`coalesce(revision.number, derived.version)`.as('revisionNumber'))
    .select(nameOfPerson.as('createdByName'))
    .where('annotations.deleted_at', 'is', null)

export const listSets = (
  db: Database,
  subjectId: string,
  limit: number,
  afterId: string | undefined,
): Promise<SetRow[]> =>
  visibleSets(db)
    .where('annotations.subject_id', '=', subjectId)
    .$if(afterId !== undefined, (query) => query.where('annotations.id', '>', afterId ?? ''))
    .orderBy('annotations.id')
    .limit(limit)
    .execute()

/** Of any revision of the dataset; of the version where the id is one. */
export const findSet = (db: Database, datasetId: string, setId: string): Promise<SetRow | undefined> =>
  visibleSets(db)
    .where(sql<boolean>`coalesce(revision.dataset_id, annotations.version_id) = ${datasetId}`)
    .where('annotations.id', '=', setId)
    .executeTakeFirst()

/** Holds other writers of the set back until the transaction ends. */
export const lockSet = async (trx: Transaction, setId: string): Promise<number | undefined> => {
  const row = await trx
    .selectFrom('annotation_sets')
    .select('latest_version')
    .where('id', '=', setId)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  return row?.latest_version
}

/** Null for somebody whose account is gone: what they said may be copied after that. */
const findPerson = (id: string | null) =>
  sql<string | null>`(select person.id from users person where person.id = ${id})`

/** False when the subject has a set of that name. */
export const insertSet = async (
  trx: Transaction,
  subject: Subject,
  { id, name, createdBy }: { id: string; name: string; createdBy: string | null },
): Promise<boolean> => {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('annotation_sets')
    .values({ id, name, created_by: findPerson(createdBy), ...describeSubject(subject) })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

/** It is the newest from then on. */
export const insertVersion = async (
  trx: Transaction,
  version: {
    setId: string
    version: number
    message: string
    episodes: readonly EpisodeAnnotation[]
    userId: string | null
  },
): Promise<void> => {
  await trx
    .insertInto('annotation_versions')
    .values({
      set_id: version.setId,
      version: version.version,
      message: version.message,
      episodes: JSON.stringify(version.episodes),
      episode_count: version.episodes.length,
      created_by: findPerson(version.userId),
    })
    .execute()
  await updateSet(trx, version.setId, {
    latestVersion: version.version,
    keys: listAnnotationFields(version.episodes),
  })
}

export const updateSet = async (
  trx: Transaction,
  setId: string,
  change: { latestVersion?: number; keys?: string[]; deletedAt?: Date },
): Promise<void> => {
  await trx
    .updateTable('annotation_sets')
    .set({ ...snakeCased(change), updated_at: sql`now()` })
    .where('id', '=', setId)
    .execute()
}

export const findEpisodes = async (
  db: Database,
  setId: string,
  version: number,
): Promise<EpisodeAnnotation[] | undefined> => {
  const row = await db
    .selectFrom('annotation_versions')
    .select('episodes')
    .where('set_id', '=', setId)
    .where('version', '=', version)
    .executeTakeFirst()
  return row?.episodes
}

/** Newest first. */
export const listVersions = (db: Database, setId: string, limit: number): Promise<VersionRow[]> =>
  db
    .selectFrom('annotation_versions as version')
    .leftJoin('users as person', 'person.id', 'version.created_by')
    .select(renamed('version', ['version', 'message', 'episode_count', 'created_by', 'created_at']))
    .select(nameOfPerson.as('createdByName'))
    .where('set_id', '=', setId)
    .orderBy('version.version', 'desc')
    .limit(limit)
    .execute()

/** For recipes, which go on when the set was taken out of the lists. */
export const findSetOf = (
  db: Database,
  subjectId: string,
  setId: string,
): Promise<Pick<SetRow, 'id' | 'name' | 'latestVersion'> | undefined> =>
  db
    .selectFrom('annotation_sets')
    .select(['id', 'name', 'latest_version as latestVersion'])
    .where('subject_id', '=', subjectId)
    .where('id', '=', setId)
    .executeTakeFirst()
