import { Type } from 'typebox'
import { orgMember } from '../access/access.ts'
import { defineRoute, Reply } from '../http/route.ts'
import { item, items, listQuery, nullable, oneOf, orgParams, page, slug } from '../http/schemas.ts'
import { createVersion } from './creation.ts'
import { checkKey, keyFields, keyHeaders, readKey } from './idempotency.ts'
import { mergeFields, mergeSource } from './merge/merge-request.ts'
import { previewMerge, suggestMerge } from './merge/preview-merge.ts'
import { checkSourcesForm } from './merge/sources-form.ts'
import { presentVersion } from './present.ts'
import { previewVersion } from './preview/preview.ts'
import { previewCuts } from './preview/preview-cuts.ts'
import { cutsPreviewRecord, mergePreviewRecord, previewRecord, suggestedMapRecord } from './preview/preview-record.ts'
import { checkRecipeForm, recipeBody } from './recipe/recipe.ts'
import { versionRecord, versionStatuses } from './record.ts'
import { getSeenVersion, listVersions } from './service.ts'
import { checkSourceForm } from './source.ts'

export const versionsPath = '/api/v1/orgs/{org_slug}/derived-dataset-versions'
export const versionParams = Type.Object({ org_slug: Type.String(), version_id: Type.String() })
/** An index list of a million episodes is 8 MB. */
const recipeBounds = { mostBytes: 16 * 1024 * 1024, mostValues: 2_000_000 }

export const versionName = Type.String({ minLength: 1, maxLength: 200 })
const sourceRequest = Type.Object({
  dataset_kind: oneOf(['catalog', 'project', 'version'], {
    description:
      '`catalog`: any dataset you can read. `project`: one of a project you have a role in. `version`: a derived version you can read; the recipe refers to its episodes, cameras and sizes, and is applied after its own recipes.',
  }),
  dataset_id: Type.String({ minLength: 1, maxLength: 100 }),
})

const mergeRequest = {
  ...mergeFields,
  sources: Type.Array(mergeSource, { minItems: 1, maxItems: 64 }),
}

export const versionRoutes = [
  defineRoute({
    id: 'listVersions',
    method: 'GET',
    path: versionsPath,
    tag: 'Exports',
    summary: 'List derived dataset versions, newest first',
    description:
      'From the projects you have a role in. Index lists of over 1,000 entries are null here; `recipe_counts` has its length and `getDerivedVersion` the whole.',
    credentials: ['workspace:read'],
    access: orgMember,
    params: orgParams,
    query: Type.Object({
      project_slug: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
      status: Type.Optional(oneOf(versionStatuses)),
      source: Type.Optional(
        Type.String({ minLength: 1, maxLength: 100, description: 'Id of the source dataset or version.' }),
      ),
      q: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description: 'Part of the slug, name or source title; or the id.',
        }),
      ),
      ...listQuery.properties,
    }),
    response: page(versionRecord),
    async handle({ db }, { caller, org, query }) {
      const { rows, nextCursor } = await listVersions(db, caller, org, query)
      return { items: rows.map(presentVersion), next_cursor: nextCursor }
    },
  }),
  defineRoute({
    id: 'createVersion',
    method: 'POST',
    path: versionsPath,
    tag: 'Exports',
    summary: 'Create a version of a dataset from a recipe, or of several',
    description:
      'Pins the source to its current revision and stores the recipe; nothing is computed until an export is queued. Posting a slug again makes its next version. Without `project_slug` the version goes to the source’s project if you may write there, else to `default`. A token also needs `workspace:read` if the source is private. With an idempotency key (body field or `Idempotency-Key` header, unique per project) the same request returns the same version: 200 with `Idempotency-Replayed: true` instead of 201.',
    credentials: ['versions:write'],
    access: orgMember,
    params: orgParams,
    headers: keyHeaders,
    body: Type.Object(
      {
        slug,
        name: versionName,
        project_slug: Type.Optional(nullable(slug)),
        source: Type.Optional(sourceRequest),
        recipe: Type.Optional(recipeBody),
        ...mergeFields,
        ...keyFields,
      },
      { $id: 'CreateVersion' },
    ),
    bodyBounds: recipeBounds,
    checkForm: ({ body, headers }) => {
      checkKey(body, headers)
      checkSourcesForm(body)
    },
    response: item(versionRecord),
    status: 201,
    errors: ['insufficient_role', 'slug_taken', 'conflict', 'idempotency_key_reuse'],
    async handle(context, { caller, org, body, headers }) {
      const key = readKey(body, headers)
      const { row, replayed } = await createVersion(context, caller, org, body, key)
      const answer = { item: presentVersion(row) }
      return replayed ? new Reply(answer, { status: 200, headers: { 'idempotency-replayed': 'true' } }) : answer
    },
  }),
  defineRoute({
    id: 'previewVersion',
    method: 'POST',
    path: `${versionsPath}/preview`,
    tag: 'Exports',
    summary: 'Show what a recipe would give, without writing anything',
    description:
      'Episodes, frames, tasks, an estimate of the size, statistics of the result (each says whether it is exact), what is copied, what is encoded again and why, and one frame and one episode’s actions before and after.',
    credentials: ['workspace:read'],
    access: orgMember,
    params: orgParams,
    body: Type.Object(
      {
        source: sourceRequest,
        recipe: recipeBody,
        episode_index: Type.Optional(nullable(Type.Integer({ minimum: 0 }))),
        camera_key: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 200 }))),
      },
      { $id: 'PreviewVersion' },
    ),
    bodyBounds: recipeBounds,
    checkForm: ({ body }) => {
      checkSourceForm(body.source)
      checkRecipeForm(body.recipe)
    },
    response: item(previewRecord),
    async handle(context, { caller, body }) {
      return { item: await previewVersion(context, caller, body) }
    },
  }),
  defineRoute({
    id: 'previewCuts',
    method: 'POST',
    path: `${versionsPath}/preview/cuts`,
    tag: 'Exports',
    summary: 'Show which frames a recipe would keep, without writing anything',
    description:
      'Episodes, frames and seconds before and after, what each episode loses, and of one episode the frames that are kept and its rests. Answers sooner than `previewVersion`, which measures the result as well.',
    credentials: ['workspace:read'],
    access: orgMember,
    params: orgParams,
    body: Type.Object(
      {
        source: sourceRequest,
        recipe: recipeBody,
        episode_index: Type.Optional(nullable(Type.Integer({ minimum: 0 }))),
      },
      { $id: 'PreviewCuts' },
    ),
    bodyBounds: recipeBounds,
    checkForm: ({ body }) => {
      checkSourceForm(body.source)
      checkRecipeForm(body.recipe)
    },
    response: item(cutsPreviewRecord),
    async handle(context, { caller, body, signal }) {
      return { item: await previewCuts(context, caller, body, signal) }
    },
  }),
  defineRoute({
    id: 'previewMerge',
    method: 'POST',
    path: `${versionsPath}/preview/merge`,
    tag: 'Exports',
    summary: 'Show what several sources would give together, without writing anything',
    description:
      'Hours, episodes and frames per source and per task, the features of the result, and the share of each source in what a sampler draws. What does not fit is a 422 at its place.',
    credentials: ['workspace:read'],
    access: orgMember,
    params: orgParams,
    body: Type.Object(mergeRequest, { $id: 'PreviewMerge' }),
    bodyBounds: recipeBounds,
    checkForm: ({ body }) => checkSourcesForm(body),
    errors: ['conflict'],
    response: item(mergePreviewRecord),
    async handle(context, { caller, body }) {
      return { item: await previewMerge(context, caller, body) }
    },
  }),
  defineRoute({
    id: 'suggestMap',
    method: 'POST',
    path: `${versionsPath}/suggest-map`,
    tag: 'Exports',
    summary: 'Suggest how the names, dimensions and units of several sources fit those of the first',
    description:
      'By names, shapes, ranges and picture sizes. Each row says what it rests on; `is_sure` is set for equal names only, and everything else is for a person to look at. Nothing is written.',
    credentials: ['workspace:read'],
    access: orgMember,
    params: orgParams,
    body: Type.Object(mergeRequest, { $id: 'SuggestMap' }),
    bodyBounds: recipeBounds,
    checkForm: ({ body }) => checkSourcesForm(body),
    errors: ['conflict'],
    response: items(suggestedMapRecord),
    async handle(context, { caller, body }) {
      return { items: await suggestMerge(context, caller, body) }
    },
  }),
  defineRoute({
    id: 'getDerivedVersion',
    method: 'GET',
    path: `${versionsPath}/{version_id}`,
    tag: 'Exports',
    summary: 'Get a derived dataset version',
    description: 'The full record with its recipe, artifacts and provenance.',
    credentials: ['workspace:read'],
    access: orgMember,
    params: versionParams,
    response: item(versionRecord),
    async handle({ db }, { caller, org, params }) {
      return { item: presentVersion(await getSeenVersion(db, caller, org, params.version_id)) }
    },
  }),
]
