import { sql } from 'kysely'
import { renamed } from '../../db/camel-case.ts'
import type { Database, Transaction } from '../../db/database.ts'
import { describeSubject, type Subject } from '../repository.ts'

export interface FlagRow {
  id: string
  episodeIndex: number
  reason: string
  note: string
  startFrame: number | null
  endFrame: number | null
  createdBy: string | null
  createdByName: string | null
  createdAt: Date
  updatedAt: Date
}

const flagColumns = renamed('flag', [
  'id',
  'episode_index',
  'reason',
  'note',
  'start_frame',
  'end_frame',
  'created_by',
  'created_at',
  'updated_at',
])

const flagsWithNames = (db: Database) =>
  db
    .selectFrom('episode_flags as flag')
    .leftJoin('users as person', 'person.id', 'flag.created_by')
    .select(flagColumns)
    .select(sql<string | null>`coalesce(nullif(person.display_name, ''), person.email)`.as('createdByName'))

export interface FlagFilter {
  episodeIndex?: number | undefined
  reason?: string | undefined
}

/** By episode, then by the time of making. */
export const listFlags = (
  db: Database,
  subjectId: string,
  { episodeIndex, reason }: FlagFilter,
  limit: number,
  after: { episodeIndex: number; id: string } | undefined,
): Promise<FlagRow[]> =>
  flagsWithNames(db)
    .where('flag.subject_id', '=', subjectId)
    .$if(episodeIndex !== undefined, (query) => query.where('flag.episode_index', '=', episodeIndex ?? 0))
    .$if(reason !== undefined, (query) => query.where('flag.reason', '=', reason ?? ''))
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(flag.episode_index, flag.id) > (${after?.episodeIndex}, ${after?.id})`),
    )
    .orderBy('flag.episode_index')
    .orderBy('flag.id')
    .limit(limit)
    .execute()

export const listFlagsByIds = (
  db: Database,
  subjectIds: readonly string[],
  ids: readonly string[],
): Promise<FlagRow[]> =>
  flagsWithNames(db)
    .where('flag.id', 'in', ids.length > 0 ? [...ids] : [''])
    .where('flag.subject_id', 'in', [...subjectIds])
    .orderBy('flag.episode_index')
    .orderBy('flag.id')
    .execute()

/** A flag by its id, whichever revision of the dataset it stands on; a version has no other. */
export const listFlagsOfDataset = (db: Database, datasetId: string, ids: readonly string[]): Promise<FlagRow[]> =>
  flagsWithNames(db)
    .leftJoin('dataset_revisions as revision', 'revision.id', 'flag.revision_id')
    .where(sql<boolean>`coalesce(revision.dataset_id, flag.version_id) = ${datasetId}`)
    .where('flag.id', 'in', ids.length > 0 ? [...ids] : [''])
    .orderBy('flag.episode_index')
    .orderBy('flag.id')
    .execute()

export interface NewFlag {
  id: string
  episodeIndex: number
  reason: string
  /** Null leaves the note of a flag that is there already. */
  note: string | null
  startFrame: number | null
  endFrame: number | null
}

/** One statement for any number; a flag that is there already keeps its id, its maker and its time. */
export const upsertFlags = async (
  trx: Transaction,
  subject: Subject,
  userId: string | null,
  flags: readonly NewFlag[],
): Promise<{ id: string; isNew: boolean }[]> => {
  const { revision_id: revisionId, version_id: versionId } = describeSubject(subject)
  const { rows } = await sql<{ id: string; isNew: boolean }>`
    insert into episode_flags
      (id, revision_id, version_id, episode_index, reason, note, start_frame, end_frame, created_by)
    select id, ${revisionId}::text, ${versionId}::text, episode_index, reason, coalesce(note, ''), start_frame, end_frame, ${userId}
    from unnest(
      ${flags.map((flag) => flag.id)}::text[],
      ${flags.map((flag) => flag.episodeIndex)}::integer[],
      ${flags.map((flag) => flag.reason)}::text[],
      ${flags.map((flag) => flag.note)}::text[],
      ${flags.map((flag) => flag.startFrame)}::integer[],
      ${flags.map((flag) => flag.endFrame)}::integer[])
      as given (id, episode_index, reason, note, start_frame, end_frame)
    order by episode_index, reason, start_frame, end_frame
    on conflict (subject_id, episode_index, reason, start_frame, end_frame) do update
      set note = case when excluded.id = any(${flags.flatMap((flag) => (flag.note === null ? [flag.id] : []))}::text[])
        then episode_flags.note else excluded.note end, updated_at = now()
    returning id, (xmax = 0) as "isNew"`.execute(trx)
  return rows
}

type CopiedFlag = Omit<FlagRow, 'createdByName' | 'updatedAt'>

/** Keeps maker and time; flags that are there already stay as they are. Answers how many are new. */
export const copyFlags = async (trx: Transaction, subject: Subject, flags: readonly CopiedFlag[]): Promise<number> => {
  const { revision_id: revisionId, version_id: versionId } = describeSubject(subject)
  const { numAffectedRows } = await sql`
    insert into episode_flags
      (id, revision_id, version_id, episode_index, reason, note, start_frame, end_frame, created_by, created_at)
    select id, ${revisionId}::text, ${versionId}::text, episode_index, reason, note, start_frame, end_frame,
      (select person.id from users person where person.id = given.created_by), created_at
    from unnest(
      ${flags.map((flag) => flag.id)}::text[],
      ${flags.map((flag) => flag.episodeIndex)}::integer[],
      ${flags.map((flag) => flag.reason)}::text[],
      ${flags.map((flag) => flag.note)}::text[],
      ${flags.map((flag) => flag.startFrame)}::integer[],
      ${flags.map((flag) => flag.endFrame)}::integer[],
      ${flags.map((flag) => flag.createdBy)}::text[],
      ${flags.map((flag) => flag.createdAt)}::timestamptz[])
      as given (id, episode_index, reason, note, start_frame, end_frame, created_by, created_at)
    order by episode_index, reason, start_frame, end_frame
    on conflict (subject_id, episode_index, reason, start_frame, end_frame) do nothing`.execute(trx)
  return Number(numAffectedRows ?? 0n)
}

export const deleteFlags = async (trx: Transaction, ids: readonly string[]): Promise<void> => {
  await trx
    .deleteFrom('episode_flags')
    .where('id', 'in', ids.length > 0 ? [...ids] : [''])
    .execute()
}

export const countFlags = async (db: Database, subjectId: string): Promise<number> => {
  const row = await db
    .selectFrom('episode_flags')
    .select((query) => query.fn.countAll<number>().as('count'))
    .where('subject_id', '=', subjectId)
    .executeTakeFirst()
  return row?.count ?? 0
}
