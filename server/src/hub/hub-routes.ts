import type { HubRoute } from './hub-request.ts'
import { lfsRoutes } from './lfs-routes.ts'
import { readRoutes } from './read-routes.ts'
import { resolveRoutes } from './resolve-routes.ts'
import { writeRoutes } from './write-routes.ts'
import { xetRoutes } from './xet-routes.ts'

/** Every address of the door, in the order they are tried. */
export const hubRoutes: readonly HubRoute[] = [
  ...readRoutes,
  ...resolveRoutes,
  ...writeRoutes,
  ...lfsRoutes,
  ...xetRoutes,
]
