// GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
import type { CallOptions, OperationTable } from '../operation.ts'

export interface StreamEventsInput {
  org_slug?: string | undefined
  project_slug?: string | undefined
  /** For clients that cannot send the header. */
  last_event_id?: string | undefined
  /** End the stream after this many seconds; 0 sends what has changed and ends. */
  seconds?: number | undefined
}

export type StreamEventsAnswer = Response

export interface EventsOperations {
  /**
   * Follow imports, exports, checks, reviews and your notifications as they change.
   *
   * Server-sent events (`text/event-stream`). `ready` comes first, with `unread_count`; then `import`, `export` and `review` with the whole record each time it changes (of a review without its episodes and verdicts); `check` with where a run of the checks stands (`id`, `org_slug`, `project_slug`, `dataset_id` of the dataset or version, `revision_id`, `parts`, `status`, `done` of `total` episodes, `message`); and `notification`. `reset` means that too much was missed: reload your lists. A comment is sent every 15 s. A stream ends after 10 minutes at most; reconnect with `Last-Event-ID`, as browsers do, and what changed in the meantime is sent first. A record may come twice but is never outdated.
   *
   * `GET /api/v1/events` · session, or token with workspace:read
   */
  streamEvents(input?: StreamEventsInput, options?: CallOptions): Promise<StreamEventsAnswer>
}

export const eventsOperations: OperationTable = {
  streamEvents: { method: 'GET', path: '/api/v1/events', query: ['org_slug', 'project_slug', 'last_event_id', 'seconds'], answersBytes: true, repeatable: true },
}
