import { foreignRoutes } from './foreign-routes.ts'
import type { HubRoute } from './hub-request.ts'
import { lfsRoutes } from './lfs-routes.ts'
import { listRoutes } from './list-routes.ts'
import { readRoutes } from './read-routes.ts'
import { repoRoutes } from './repo-routes.ts'
import { resolveRoutes } from './resolve-routes.ts'
import { tagRoutes } from './tag-routes.ts'
import { writeRoutes } from './write-routes.ts'
import { xetRoutes } from './xet-routes.ts'

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
