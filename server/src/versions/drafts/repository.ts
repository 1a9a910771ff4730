import { sql } from 'kysely'
import type { Database, Transaction } from '../../db/database.ts'

export interface DraftRow {
  id: string
  userId: string
  userName: string
  datasetId: string
  revision: number
  slug: string
  name: string
  recipe: Record<string, unknown>
  createdAt: Date
  updatedAt: Date
}

const selectDrafts = sql`
  select draft.id, draft.user_id as "userId", coalesce(nullif(person.display_name, ''), person.email) as "userName",
    draft.dataset_id as "datasetId", draft.revision, draft.slug, draft.name, draft.recipe,
    draft.created_at as "createdAt", draft.updated_at as "updatedAt"
  from recipe_drafts draft join users person on person.id = draft.user_id`

export const findDraft = async (db: Database, userId: string, datasetId: string): Promise<DraftRow | undefined> => {
  const { rows } = await sql<DraftRow>`${selectDrafts}
    where draft.user_id = ${userId} and draft.dataset_id = ${datasetId}`.execute(db)
  return rows[0]
}

export const findDraftById = async (db: Database, id: string): Promise<DraftRow | undefined> => {
  const { rows } = await sql<DraftRow>`${selectDrafts} where draft.id = ${id}`.execute(db)
  return rows[0]
}

/** Holds whoever saves the same draft at this moment back until the transaction ends. */
export const lockDraft = async (trx: Transaction, userId: string, datasetId: string): Promise<number | undefined> => {
  const row = await trx
    .selectFrom('recipe_drafts')
    .select('revision')
    .where('user_id', '=', userId)
    .where('dataset_id', '=', datasetId)
    .forUpdate()
    .executeTakeFirst()
  return row?.revision
}

export interface GivenDraft {
  slug: string
  name: string
  recipe: Record<string, unknown>
}

export const upsertDraft = async (
  trx: Transaction,
  { id, userId, datasetId }: { id: string; userId: string; datasetId: string },
  { slug, name, recipe }: GivenDraft,
): Promise<void> => {
  await sql`
    insert into recipe_drafts (id, user_id, dataset_id, slug, name, recipe)
    values (${id}, ${userId}, ${datasetId}, ${slug}, ${name}, ${JSON.stringify(recipe)})
    on conflict (user_id, dataset_id) do update set revision = recipe_drafts.revision + 1, slug = excluded.slug,
      name = excluded.name, recipe = excluded.recipe, updated_at = now()`.execute(trx)
}
