import { Type } from 'typebox'
import { signedIn } from '../../access/access.ts'
import { defineRoute } from '../../http/route.ts'
import { item, nullable, timestamp } from '../../http/schemas.ts'
import { type Draft, findOwnDraft, getSharedDraft, saveDraft } from './service.ts'

const own = '/api/v1/users/me/recipe-drafts/{dataset_id}'
const recipe = Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), {
  description: 'A recipe in the making: it is checked when it is previewed or a version is made of it.',
})
/** As a recipe: an index list of a million episodes is 8 MB. */
const draftBounds = { mostBytes: 16 * 1024 * 1024, mostValues: 2_000_000 }

const draft = Type.Object(
  {
    id: Type.String({ description: 'Others who may read the dataset open it by this id.' }),
    dataset_id: Type.String(),
    revision: Type.Integer(),
    slug: Type.String(),
    name: Type.String(),
    recipe,
    user_id: Type.String(),
    user_name: Type.String(),
    created_at: timestamp,
    updated_at: timestamp,
  },
  { $id: 'RecipeDraft' },
)

const presentDraft = (row: Draft) => ({
  id: row.id,
  dataset_id: row.datasetId,
  revision: row.revision,
  slug: row.slug,
  name: row.name,
  recipe: row.recipe,
  user_id: row.userId,
  user_name: row.userName,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
})

export const draftRoutes = [
  defineRoute({
    id: 'getRecipeDraft',
    method: 'GET',
    path: own,
    tag: 'Exports',
    summary: 'Get your draft of a recipe on a dataset or version',
    description: '`item` is null where nothing was begun.',
    credentials: ['workspace:read'],
    access: signedIn,
    params: Type.Object({ dataset_id: Type.String() }),
    response: item(nullable(draft)),
    errors: ['not_found'],
    async handle(context, { caller, params }) {
      const found = await findOwnDraft(context, caller, params.dataset_id)
      return { item: found ? presentDraft(found) : null }
    },
  }),
  defineRoute({
    id: 'putRecipeDraft',
    method: 'PUT',
    path: own,
    tag: 'Exports',
    summary: 'Save your draft of a recipe',
    description:
      'One per person and dataset. `revision` is that of the draft which is changed, 0 where there is none: a draft that was saved elsewhere meanwhile is a 409, and nothing is overwritten.',
    credentials: ['versions:write'],
    access: signedIn,
    params: Type.Object({ dataset_id: Type.String() }),
    body: Type.Object({
      revision: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 }),
      slug: Type.String({ maxLength: 100 }),
      name: Type.String({ maxLength: 200 }),
      recipe,
    }),
    bodyBounds: draftBounds,
    response: item(draft),
    errors: ['not_found', 'conflict'],
    async handle(context, { caller, params, body }) {
      return { item: presentDraft(await saveDraft(context, caller, params.dataset_id, body)) }
    },
  }),
  defineRoute({
    id: 'getSharedRecipeDraft',
    method: 'GET',
    path: '/api/v1/recipe-drafts/{draft_id}',
    tag: 'Exports',
    summary: 'Get a draft by its link',
    description: 'For whoever may read its dataset or version: the recipe, whose it is, and when it was changed last.',
    credentials: ['workspace:read'],
    access: signedIn,
    params: Type.Object({ draft_id: Type.String() }),
    response: item(draft),
    errors: ['not_found'],
    async handle(context, { caller, params }) {
      return { item: presentDraft(await getSharedDraft(context, caller, params.draft_id)) }
    },
  }),
]
