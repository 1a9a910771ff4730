// GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
import type { CallOptions, OperationTable } from '../operation.ts'

export interface StreamEventsInput {
  org_slug?: string | undefined
  project_slug?: string | undefined
  /** For clients that cannot send the header. */
  last_event_id?: string | undefined
  /** End the stream after this long; 0: what is known now. */
  seconds?: number | undefined
}

export type StreamEventsAnswer = Response

export interface EventsOperations {
  /**
   * Follow imports, exports and your notifications as they change.
   *
   * Server-sent events (`text/event-stream`). `ready` comes first, with `unread_count`; then `import` and `export` with the whole record each time it changes, and `notification`. `reset` says that too much was missed: read your lists anew. A comment comes every 15 s. A stream ends after 10 minutes at most; connect again with `Last-Event-ID`, as browsers do by themselves, and what changed meanwhile is sent first. A record may come twice, never too old.
   *
   * `GET /api/v1/events` · session, or token with workspace:read
   */
  streamEvents(input?: StreamEventsInput, options?: CallOptions): Promise<StreamEventsAnswer>
}

export const eventsOperations: OperationTable = {
  streamEvents: { method: 'GET', path: '/api/v1/events', query: ['org_slug', 'project_slug', 'last_event_id', 'seconds'], answersBytes: true, repeatable: true },
}
