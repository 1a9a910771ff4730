import { foreignRoutes } from './foreign-routes.ts'
import type { HubRoute } from './hub-request.ts'
import { lfsRoutes } from './lfs/lfs-routes.ts'
import { listRoutes } from './listing/list-routes.ts'
import { writeRoutes } from './push/write-routes.ts'
import { readRoutes } from './reading/read-routes.ts'
import { resolveRoutes } from './reading/resolve-routes.ts'
import { repoRoutes } from './repositories/repo-routes.ts'
import { tagRoutes } from './repositories/tag-routes.ts'
import { xetRoutes } from './xet/xet-routes.ts'

/** What a request is counted as. */
type Group = 'read' | 'resolve' | 'write' | 'lfs' | 'xet' | 'foreign'

const groups: Record<Group, readonly HubRoute[]> = {
  read: [...listRoutes, ...readRoutes],
  resolve: resolveRoutes,
  write: [...repoRoutes, ...writeRoutes, ...tagRoutes],
  lfs: lfsRoutes,
  xet: xetRoutes,
  foreign: foreignRoutes,
}

/** Every address of the door, in the order they are tried. */
export const hubRoutes: readonly (HubRoute & { group: string })[] = Object.entries(groups).flatMap(([group, routes]) =>
  routes.map((route) => ({ ...route, group })),
)
