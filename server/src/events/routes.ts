import { Type } from 'typebox'
import { signedIn } from '../access/access.ts'
import { defineRoute, Reply } from '../http/route.ts'
import { slug } from '../http/schemas.ts'
import { openEventStream } from './service.ts'

export const eventRoutes = [
  defineRoute({
    id: 'streamEvents',
    method: 'GET',
    path: '/api/v1/events',
    tag: 'Imports',
    summary: 'Follow imports, exports, checks, reviews and your notifications as they change',
    description:
      'Server-sent events (`text/event-stream`). `ready` comes first, with `unread_count`; then `import`, `export` and `review` with the whole record each time it changes (of a review without its episodes and verdicts); `check` with where a run of the checks stands (`id`, `org_slug`, `project_slug`, `dataset_id` of the dataset or version, `revision_id`, `parts`, `status`, `done` of `total` episodes, `message`); and `notification`. `reset` means that too much was missed: reload your lists. A comment is sent every 15 s. A stream ends after 10 minutes at most; reconnect with `Last-Event-ID`, as browsers do, and what changed in the meantime is sent first. A record may come twice but is never outdated.',
    credentials: ['workspace:read'],
    access: signedIn,
    query: Type.Object({
      org_slug: Type.Optional(slug),
      project_slug: Type.Optional(slug),
      last_event_id: Type.Optional(
        Type.String({ minLength: 1, maxLength: 20, description: 'For clients that cannot send the header.' }),
      ),
      seconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 600,
          description: 'End the stream after this many seconds; 0 sends what has changed and ends.',
        }),
      ),
    }),
    headers: Type.Object({ 'last-event-id': Type.Optional(Type.String({ maxLength: 20 })) }),
    response: 'bytes',
    errors: ['too_many_requests'],
    async handle(context, { caller, query, headers, signal }) {
      const stream = await openEventStream(context, caller, {
        orgSlug: query.org_slug,
        projectSlug: query.project_slug,
        lastEventId: headers['last-event-id'] ?? query.last_event_id,
        seconds: query.seconds,
        signal,
      })
      return new Reply(stream, {
        headers: {
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-store',
          'x-accel-buffering': 'no',
        },
      })
    },
  }),
]
