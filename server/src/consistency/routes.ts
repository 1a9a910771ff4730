import { Type } from 'typebox'
import { anyone } from '../access/access.ts'
import { defineRoute } from '../http/route.ts'
import { item, nullable, oneOf, timestamp } from '../http/schemas.ts'
import { describeCheck } from './schedule.ts'

const count = Type.Integer({ minimum: 0 })

const platformStatus = Type.Object(
  {
    status: oneOf(['ok', 'degraded'], {
      description: '`degraded`: stored contents are damaged, or are not read again in time.',
    }),
    storage_check: Type.Object({
      period_days: Type.Integer({
        description: 'Every stored content is read and compared with its sha256 within so many days.',
      }),
      damaged_count: Type.Integer({
        minimum: 0,
        description: 'Contents that are known to be damaged: they are not given out until good bytes come in.',
      }),
      longest_unread_at: nullable(timestamp),
      is_on_schedule: Type.Boolean({
        description: 'Whether what waits longest (`longest_unread_at`) was read within the period.',
      }),
      last_walk: nullable(
        Type.Object({
          ended_at: timestamp,
          content_count: count,
          size_bytes: count,
          was_stopped: Type.Boolean({
            description: 'Too much seemed wrong at once, so nothing was believed: the storage itself needs a look.',
          }),
        }),
      ),
    }),
  },
  { $id: 'PlatformStatus' },
)

export const consistencyRoutes = [
  defineRoute({
    id: 'getStatus',
    method: 'GET',
    path: '/api/v1/status',
    tag: 'Platform',
    summary: 'Get how it stands with what is stored',
    description:
      'What the background check of stored contents has found and how far it is: counts and times, no names. Needs no credential.',
    credentials: 'none',
    access: anyone,
    response: item(platformStatus),
    async handle(context) {
      const check = await describeCheck(context)
      const isWell = check.damaged_count === 0 && check.is_on_schedule && check.last_walk?.was_stopped !== true
      return { item: { status: isWell ? ('ok' as const) : ('degraded' as const), storage_check: check } }
    },
  }),
]
