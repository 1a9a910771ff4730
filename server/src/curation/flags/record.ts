import { Type } from 'typebox'
import { nullable, oneOf, pageQuery, timestamp } from '../../http/schemas.ts'
import { type Flag, flagReasons, maxFlagsPerRequest } from './service.ts'

const frame = Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })
const reason = oneOf(flagReasons)

export const flag = Type.Object(
  {
    id: Type.String(),
    episode_index: Type.Integer(),
    reason: Type.String(),
    note: nullable(Type.String()),
    start_frame: nullable(Type.Integer({ description: 'Null with `end_frame`: the whole episode.' })),
    end_frame: nullable(Type.Integer({ description: 'Exclusive.' })),
    created_by: nullable(Type.String()),
    created_by_name: nullable(Type.String()),
    created_at: timestamp,
    updated_at: timestamp,
  },
  { $id: 'EpisodeFlag' },
)

export const presentFlag = (row: Flag) => ({
  id: row.id,
  episode_index: row.episodeIndex,
  reason: row.reason,
  note: row.note || null,
  start_frame: row.startFrame,
  end_frame: row.endFrame,
  created_by: row.createdBy,
  created_by_name: row.createdByName,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
})

const givenFlag = Type.Object({
  episode_index: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 }),
  reason,
  note: Type.Optional(nullable(Type.String({ maxLength: 2000 }))),
  start_frame: Type.Optional(nullable(frame)),
  end_frame: Type.Optional(nullable(frame)),
})

export const givenFlags = Type.Object({
  items: Type.Array(givenFlag, { minItems: 1, maxItems: maxFlagsPerRequest }),
})
/** As many as one request takes, as `listFlags` answers them. */
export const flagBounds = { mostBytes: 8 << 20, mostValues: 25 * maxFlagsPerRequest }
/** Their ids, without more. */
export const flagIdBounds = { mostBytes: 512 << 10, mostValues: 2 * maxFlagsPerRequest }
export const putFlagsReply = Type.Object({ items: Type.Array(flag), created_ids: Type.Array(Type.String()) })
export const flagIds = Type.Object({
  ids: Type.Array(Type.String({ maxLength: 100 }), { minItems: 1, maxItems: maxFlagsPerRequest }),
})
export const flagQuery = Type.Object({
  ...pageQuery.properties,
  episode_index: Type.Optional(frame),
  reason: Type.Optional(reason),
})
