import { sql } from 'kysely'
import type { Database, Transaction } from '../../db/database.ts'
import { describeSubject, type Subject } from '../repository.ts'
import type { Verdict } from '../tables.ts'

interface ReviewPerson {
  id: string
  name: string
}

/** A queue as a list shows it: how far it is, without its episodes. */
export interface ReviewRow {
  id: string
  orgSlug: string
  projectSlug: string
  datasetId: string
  revisionNumber: number
  isCurrent: boolean
  name: string
  total: number
  kept: number
  leftOut: number
  flagged: number
  people: ReviewPerson[]
  createdBy: string | null
  createdByName: string | null
  createdAt: Date
  updatedAt: Date
}

export interface VerdictRow {
  episodeIndex: number
  verdict: Verdict
  decidedBy: string | null
  decidedByName: string | null
  decidedAt: Date
}

const nameOf = (person: string) => sql.raw(`coalesce(nullif(${person}.display_name, ''), ${person}.email)`)

const selectReviews = sql`
  select review.id, org.slug as "orgSlug", project.slug as "projectSlug", review.name,
    coalesce(revision.dataset_id, review.version_id) as "datasetId",
    coalesce(revision.number, derived.version) as "revisionNumber",
    coalesce(dataset.current_revision_id = revision.id, true) as "isCurrent",
    cardinality(review.episodes) as total,
    counted.kept::integer as kept, counted.left_out::integer as "leftOut", counted.flagged::integer as flagged,
    coalesce((
      select json_agg(json_build_object('id', assigned.id, 'name', ${nameOf('assigned')}) order by part.position)
      from review_people part join users assigned on assigned.id = part.user_id
      where part.review_id = review.id), '[]') as people,
    review.created_by as "createdBy", ${nameOf('maker')} as "createdByName",
    review.created_at as "createdAt", review.updated_at as "updatedAt"
  from reviews review
  join projects project on project.id = review.project_id
  join organizations org on org.id = project.org_id
  left join dataset_revisions revision on revision.id = review.revision_id
  left join datasets dataset on dataset.id = revision.dataset_id
  left join versions derived on derived.id = review.version_id
  left join users maker on maker.id = review.created_by
  cross join lateral (
    select count(*) filter (where verdict = 'keep') as kept, count(*) filter (where verdict = 'leave_out') as left_out,
      count(*) filter (where verdict = 'flag') as flagged
    from review_verdicts where review_id = review.id) counted`

/** Newest first. */
export const listReviews = async (
  db: Database,
  subjectId: string,
  limit: number,
  beforeId: string | undefined,
): Promise<ReviewRow[]> => {
  const { rows } = await sql<ReviewRow>`${selectReviews}
    where review.subject_id = ${subjectId} and (${beforeId ?? null}::text is null or review.id < ${beforeId ?? null})
    order by review.id desc limit ${limit}`.execute(db)
  return rows
}

export const findReview = async (db: Database, id: string, projectId?: string): Promise<ReviewRow | undefined> => {
  const { rows } = await sql<ReviewRow>`${selectReviews}
    where review.id = ${id} and (${projectId ?? null}::text is null or review.project_id = ${projectId ?? null})`.execute(
    db,
  )
  return rows[0]
}

export const countReviews = async (db: Database, subjectId: string): Promise<number> => {
  const row = await db
    .selectFrom('reviews')
    .select((query) => query.fn.countAll<number>().as('count'))
    .where('subject_id', '=', subjectId)
    .executeTakeFirst()
  return row?.count ?? 0
}

export const readEpisodes = async (db: Database, id: string): Promise<number[]> => {
  const row = await db.selectFrom('reviews').select('episodes').where('id', '=', id).executeTakeFirst()
  return row?.episodes ?? []
}

export const listVerdicts = async (db: Database, reviewId: string): Promise<VerdictRow[]> => {
  const { rows } = await sql<VerdictRow>`
    select verdict.episode_index as "episodeIndex", verdict.verdict, verdict.decided_by as "decidedBy",
      ${nameOf('person')} as "decidedByName", verdict.decided_at as "decidedAt"
    from review_verdicts verdict left join users person on person.id = verdict.decided_by
    where verdict.review_id = ${reviewId} order by verdict.episode_index`.execute(db)
  return rows
}

interface NewReview {
  id: string
  projectId: string
  subject: Subject
  name: string
  episodes: readonly number[]
  createdBy: string
}

export const insertReview = async (
  trx: Transaction,
  { id, projectId, subject, name, episodes, createdBy }: NewReview,
): Promise<void> => {
  await trx
    .insertInto('reviews')
    .values({
      id,
      project_id: projectId,
      ...describeSubject(subject),
      name,
      episodes: [...episodes],
      created_by: createdBy,
    })
    .execute()
}

/** Holds other writers of the queue back, and tells whoever follows it. False where it is gone. */
export const touchReview = async (trx: Transaction, id: string, change: { name?: string } = {}): Promise<boolean> => {
  const { numUpdatedRows } = await trx
    .updateTable('reviews')
    .set({ ...change, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export const replacePeople = async (trx: Transaction, reviewId: string, userIds: readonly string[]): Promise<void> => {
  await trx.deleteFrom('review_people').where('review_id', '=', reviewId).execute()
  if (userIds.length === 0) return
  await trx
    .insertInto('review_people')
    .values(userIds.map((userId, position) => ({ review_id: reviewId, user_id: userId, position })))
    .execute()
}

export interface GivenVerdict {
  episodeIndex: number
  /** Null takes it back. */
  verdict: Verdict | null
}

export const writeVerdicts = async (
  trx: Transaction,
  reviewId: string,
  userId: string,
  given: readonly GivenVerdict[],
): Promise<void> => {
  const taken = given.filter(({ verdict }) => verdict === null).map(({ episodeIndex }) => episodeIndex)
  const decided = given.filter(({ verdict }) => verdict !== null)
  if (taken.length > 0)
    await trx
      .deleteFrom('review_verdicts')
      .where('review_id', '=', reviewId)
      .where('episode_index', 'in', taken)
      .execute()
  await sql`
    insert into review_verdicts (review_id, episode_index, verdict, decided_by)
    select ${reviewId}, episode_index, verdict, ${userId}
    from unnest(${decided.map(({ episodeIndex }) => episodeIndex)}::integer[],
      ${decided.map(({ verdict }) => verdict)}::text[]) as given (episode_index, verdict)
    on conflict (review_id, episode_index) do update
      set verdict = excluded.verdict, decided_by = excluded.decided_by, decided_at = now()`.execute(trx)
}

export const deleteReview = async (trx: Transaction, id: string): Promise<void> => {
  await trx.deleteFrom('reviews').where('id', '=', id).execute()
}

export const listReviewsChangedSince = async (
  db: Database,
  orgIds: readonly string[],
  since: Date,
  limit: number,
): Promise<{ id: string; orgId: string }[]> => {
  const { rows } = await sql<{ id: string; orgId: string }>`
    select review.id, project.org_id as "orgId" from reviews review join projects project on project.id = review.project_id
    where project.org_id = any(${orgIds}::text[]) and review.updated_at > ${since} order by review.id limit ${limit}`.execute(
    db,
  )
  return rows
}
