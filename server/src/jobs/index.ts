import type { JobHandler, JobHandlers } from './handler.ts'

/** The registry: a kind of job is one handler. Nouns bring theirs, `jobs/` knows them by this map only. */
export const collectHandlers = (handlers: readonly JobHandler[]): JobHandlers => {
  const byKind = new Map(handlers.map((handler) => [handler.kind, handler]))
  if (byKind.size !== handlers.length) throw new Error('Two job handlers have the same kind.')
  return byKind
}
