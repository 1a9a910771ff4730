import { type TSchema, Type } from 'typebox'
import type { RequestSchemas } from '../../../src/http/validation/validation.ts'

/** The schemas of endpoints.py in TypeBox, under the same names. */

const optional = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]))
const literals = (...values: (string | number)[]) => Type.Unsafe({ type: typeof values[0], enum: values })

const createToken = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100 }),
  scopes: optional(
    Type.Array(literals('workspace:read', 'imports:write', 'datasets:write', 'versions:write', 'exports:write')),
  ),
  expires_in_days: optional(Type.Integer({ minimum: 1, maximum: 366 })),
})

const channels = optional(Type.Object({ email: optional(Type.Boolean()), in_app: optional(Type.Boolean()) }))

const updateProfile = Type.Object({
  display_name: optional(Type.String({ minLength: 1, maxLength: 100 })),
  timezone: optional(Type.String({ minLength: 1, maxLength: 64 })),
  default_project_slug: optional(Type.String({ minLength: 1, maxLength: 100 })),
  notification_preferences: optional(
    Type.Object({
      transform_done: channels,
      export_ready: channels,
      team_invite: channels,
      episode_flag: channels,
      import_fail: channels,
      weekly_digest: channels,
    }),
  ),
})

const lookup = Type.Object({
  idempotency_key: Type.String({ minLength: 1, maxLength: 200 }),
  idempotency_fingerprint: optional(Type.String({ minLength: 64, maxLength: 64, pattern: '^[0-9a-f]{64}$' })),
})

const listImports = Type.Object({
  status: Type.Optional(literals('queued', 'running', 'succeeded', 'failed', 'canceled')),
  q: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
})

const listEpisodes = Type.Object({
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  q: Type.Optional(Type.String({ minLength: 1 })),
  sort: Type.Optional(Type.String({ pattern: '^(episode_index|duration|frames)$', default: 'episode_index' })),
  order: Type.Optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')], { default: 'asc' })),
})

const view = Type.Optional(Type.String({ pattern: '^(first|last)$', default: 'first' }))

const listFrames = Type.Object({
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 96, default: 24 })),
  view,
  camera_key: Type.Optional(Type.String({ minLength: 1 })),
})

const offsetPct = Type.Number({ minimum: 0, exclusiveMaximum: 100 })
const sizePct = Type.Number({ exclusiveMinimum: 0, maximum: 100 })
const side = Type.Integer({ minimum: 64, maximum: 4096, multipleOf: 2 })
const indices = Type.Optional(Type.Array(Type.Integer({ minimum: 0 }), { default: [] }))

const recipe = Type.Object({
  selected_episode_indices: indices,
  excluded_episode_indices: indices,
  first_n_episodes: optional(Type.Integer({ minimum: 1 })),
  camera_keys: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { default: [] })),
  crop: optional(Type.Object({ left_pct: offsetPct, top_pct: offsetPct, width_pct: sizePct, height_pct: sizePct })),
  resize: optional(
    Type.Object({
      width: side,
      height: side,
      mode: Type.Optional(Type.Unsafe({ type: 'string', enum: ['fit', 'fill', 'stretch'], default: 'fit' })),
    }),
  ),
  action: optional(
    Type.Object({
      smoothing_window: optional(Type.Integer({ minimum: 1, maximum: 101 })),
      smoothing_mode: optional(literals('mean', 'median', 'gaussian')),
      clip_min: optional(Type.Number()),
      clip_max: optional(Type.Number()),
      scale: optional(Type.Number()),
    }),
  ),
  annotation_set_id: optional(Type.String()),
  annotation_set_version: optional(Type.Integer({ minimum: 1 })),
  notes: optional(Type.String({ maxLength: 2000 })),
})

const createVersion = Type.Object({
  slug: Type.String({ minLength: 1, maxLength: 100, pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' }),
  name: Type.String({ minLength: 1, maxLength: 200 }),
  project_slug: optional(Type.String({ minLength: 1 })),
  source: Type.Object({ dataset_kind: literals('catalog', 'project'), dataset_id: Type.String({ minLength: 1 }) }),
  recipe,
})

const named = Type.Object({ x: Type.Integer() }, { title: 'Named' })
const titled = Type.Object({ y: Type.String() }, { title: 'Titled' })
const count = Type.Integer()

const shapes = Type.Object({
  int: optional(Type.Integer()),
  float: optional(Type.Number()),
  bool: optional(Type.Boolean()),
  str: optional(Type.String()),
  required_nullable: Type.Union([Type.Integer(), Type.Null()]),
  bounded: Type.Optional(Type.Number({ exclusiveMinimum: 0.5, exclusiveMaximum: 9.5, default: 1 })),
  even: optional(Type.Integer({ multipleOf: 2 })),
  short: Type.Optional(Type.Unsafe({ type: ['string', 'null'], maxLength: 1 })),
  color: optional(Type.Enum(['red', 'green', 'blue'])),
  single: optional(Type.Literal('only')),
  numbers: optional(literals(1, 2, 3)),
  quoted: optional(literals("it's", 'say "x"', 'a\\b')),
  pair: optional(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 })),
  models: optional(Type.Array(named)),
  counts: optional(Type.Record(Type.String(), count)),
  few: optional(Type.Record(Type.String(), count, { minProperties: 1, maxProperties: 2 })),
  keyed: optional(Type.Record(Type.String({ pattern: '^[a-z]+$' }), named)),
  free: optional(Type.Record(Type.String(), Type.Unknown())),
  anything: Type.Optional(Type.Unknown()),
  either: Type.Optional(Type.Union([Type.Integer(), Type.String(), Type.Null()])),
  one_of_models: Type.Optional(Type.Union([named, titled, Type.Null()])),
  mixed: Type.Optional(
    Type.Union([Type.Integer({ minimum: 2 }), Type.Array(Type.Integer()), Type.Boolean(), Type.Null()]),
  ),
  strict: optional(Type.Object({ b: Type.Integer(), a: Type.Integer() }, { additionalProperties: false })),
  open: optional(Type.Object({ a: Type.Integer() }, { additionalProperties: true })),
})

export const schemas: Record<string, RequestSchemas> = {
  create_token: { body: createToken },
  update_profile: { body: updateProfile },
  lookup_import: {
    params: Type.Object({ org_slug: Type.String(), project_slug: Type.String() }),
    headers: Type.Object({ authorization: Type.Optional(Type.String()) }),
    body: lookup,
  },
  list_imports: { query: listImports },
  list_episodes: { params: Type.Object({ dataset_id: Type.String() }), query: listEpisodes },
  list_frames: { query: listFrames },
  navigate: { params: Type.Object({ episode_index: Type.Integer({ minimum: 0 }) }) },
  create_export_jobs: {
    body: Type.Object({ artifact_keys: Type.Array(Type.Literal('lerobot'), { minItems: 1, maxItems: 3 }) }),
  },
  create_version: { body: createVersion },
  shapes: { body: shapes },
  parameters: {
    query: Type.Object({
      needed: Type.Integer(),
      ids: Type.Array(Type.Integer(), { maxItems: 3 }),
      tags: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
      ratio: Type.Optional(Type.Number()),
      deep: Type.Optional(Type.Boolean()),
    }),
    headers: Type.Object({ 'x-count': Type.Optional(Type.Integer()) }),
  },
  everything: {
    params: Type.Object({ episode_index: Type.Integer() }),
    query: Type.Object({ limit: Type.Integer({ minimum: 1 }), view }),
    headers: Type.Object({ 'x-count': Type.Integer() }),
    body: createToken,
  },
  optional_body: { body: Type.Union([named, Type.Null()]) },
  list_body: { body: Type.Array(named) },
  number_body: { body: Type.Integer() },
}
