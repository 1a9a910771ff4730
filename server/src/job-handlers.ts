import type { JobHandler } from './jobs/handler.ts'

/** Every kind of job a worker runs, as routes.ts is every route. Imports and exports bring the first ones. */
export const jobHandlers: readonly JobHandler[] = []
