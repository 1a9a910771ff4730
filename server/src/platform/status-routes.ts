import { Type } from 'typebox'
import { anyone, signedIn } from '../access/access.ts'
import { defineRoute } from '../http/route.ts'
import { item, nullable, oneOf, timestamp } from '../http/schemas.ts'
import { describeStatus, describeStatusDetails } from './status.ts'

const count = Type.Integer({ minimum: 0 })

const platformStatus = Type.Object(
  {
    status: oneOf(['ok', 'degraded'], {
      description:
        '`degraded`: stored contents are damaged or not read again in time, no worker runs, or nothing can be stored because the disk is full.',
    }),
    version: Type.String(),
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
    worker_count: Type.Integer({
      minimum: 0,
      description: 'Workers, on all machines, that have said within the last half minute that they live.',
    }),
    queue: Type.Object({
      due_count: Type.Integer({ minimum: 0, description: 'Jobs that could run now and wait for a worker.' }),
      later_count: Type.Integer({ minimum: 0, description: 'Jobs that wait for their next try.' }),
      running_count: count,
      oldest_due_at: nullable(timestamp),
    }),
    takes_writes: Type.Boolean({ description: 'False where the disk is full: reading goes on, nothing is stored.' }),
  },
  { $id: 'PlatformStatus' },
)

const statusDetails = Type.Object(
  {
    commit: nullable(Type.String()),
    database: Type.Object({ version: Type.String(), size_bytes: count }),
    storage: oneOf(['folder', 's3']),
    disk: nullable(
      Type.Object(
        { free_bytes: count, reserve_bytes: count, size_bytes: count },
        { description: 'Of the data folder; null where the file system has no size. `reserve_bytes` is kept free.' },
      ),
    ),
    workers: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Host and process, as in `claimed_by` of an import.' }),
        started_at: timestamp,
        seen_at: timestamp,
        concurrency: Type.Integer({ minimum: 1, description: 'How many jobs it runs at a time.' }),
      }),
    ),
    damaged: Type.Array(
      Type.Object({
        sha256: Type.String(),
        size_bytes: count,
        fault: Type.String({ description: '`missing`, `mismatch` or `unreadable`.' }),
        sentence: Type.String(),
        found_at: timestamp,
        needed_by_count: count,
        needed_by: Type.Array(
          Type.Object({
            kind: Type.String({ description: 'What needs it: a `revision` of a dataset, an `import`, an `upload`, …' }),
            id: Type.String(),
            path: Type.String(),
            org_slug: nullable(Type.String()),
            dataset_id: nullable(Type.String()),
            title: nullable(Type.String()),
          }),
        ),
      }),
      { description: 'The newest hundred, each with the first ten that need it.' },
    ),
  },
  { $id: 'StatusDetails' },
)

export const statusRoutes = [
  defineRoute({
    id: 'getStatus',
    method: 'GET',
    path: '/api/v1/status',
    tag: 'Platform',
    summary: 'Get how it stands with the platform',
    description:
      'Whether workers run, what waits for them, and what the background check of stored contents has found: counts and times, no names. Needs no credential.',
    credentials: 'none',
    access: anyone,
    response: item(platformStatus),
    async handle(context) {
      return { item: await describeStatus(context) }
    },
  }),
  defineRoute({
    id: 'getStatusDetails',
    method: 'GET',
    path: '/api/v1/status/details',
    tag: 'Platform',
    summary: 'Get what an operator needs to know',
    description:
      'Workers by name, the database, the disk, and every damaged content with what needs it. For the first account, `admin@localhost`, alone.',
    credentials: 'session',
    access: signedIn,
    response: item(statusDetails),
    async handle(context, { caller }) {
      return { item: await describeStatusDetails(context, caller) }
    },
  }),
]
