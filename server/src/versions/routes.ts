import { Type } from 'typebox'
import { orgMember } from '../access/access.ts'
import { defineRoute, Reply } from '../http/route.ts'
import { item, listQuery, nullable, oneOf, orgParams, page, slug } from '../http/schemas.ts'
import { createVersion } from './creation.ts'
import { checkKey, keyFields, keyHeaders, readKey } from './idempotency.ts'
import { presentVersion } from './present.ts'
import { previewVersion } from './preview.ts'
import { previewRecord } from './preview-record.ts'
import { checkRecipeForm, recipeBody } from './recipe.ts'
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
    summary: 'Create a version of a dataset from a recipe',
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
        source: sourceRequest,
        recipe: recipeBody,
        ...keyFields,
      },
      { $id: 'CreateVersion' },
    ),
    bodyBounds: recipeBounds,
    checkForm: ({ body, headers }) => {
      checkKey(body, headers)
      checkSourceForm(body.source)
      checkRecipeForm(body.recipe)
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
