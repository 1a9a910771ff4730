import type { HubRoute } from './hub-request.ts'
import { readRoutes } from './read-routes.ts'
import { resolveRoutes } from './resolve-routes.ts'

/** Every address of the door, in the order they are tried. */
export const hubRoutes: readonly HubRoute[] = [...readRoutes, ...resolveRoutes]
