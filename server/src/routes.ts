import { auditRoutes } from './audit/routes.ts'
import { projectCatalogRoutes } from './catalog/project-routes.ts'
import { catalogRoutes } from './catalog/routes.ts'
import { projectCheckRoutes } from './checks/project-routes.ts'
import { checkRoutes } from './checks/routes.ts'
import { versionCheckRoutes } from './checks/version-routes.ts'
import { annotationRoutes } from './curation/annotations/routes.ts'
import { versionAnnotationRoutes } from './curation/annotations/version-routes.ts'
import { flagRoutes } from './curation/flags/routes.ts'
import { versionFlagRoutes } from './curation/flags/version-routes.ts'
import { reviewRoutes } from './curation/reviews/routes.ts'
import { robotRoutes } from './curation/robots/routes.ts'
import { datasetRoutes } from './datasets/routes.ts'
import { lineageRoutes } from './diff/lineage/routes.ts'
import { diffRoutes } from './diff/routes.ts'
import { eventRoutes } from './events/routes.ts'
import { exportRoutes } from './exports/routes.ts'
import { changedVersionRoutes } from './exports/version-routes.ts'
import type { AnyRoute } from './http/route.ts'
import { renameRoutes } from './hub/repositories/rename-routes.ts'
import { sessionRoutes } from './identity/session-list/routes.ts'
import { tokenRoutes } from './identity/tokens/routes.ts'
import { userRoutes } from './identity/users/routes.ts'
import { copyRoutes } from './imports/copies/copy-routes.ts'
import { namedRobotRoutes } from './imports/robots/routes.ts'
import { importRoutes } from './imports/routes.ts'
import { episodeMediaRoutes } from './media/episodes/routes.ts'
import { mediaRoutes } from './media/routes.ts'
import { notificationRoutes } from './notifications/routes.ts'
import { inviteRoutes } from './organizations/invites/routes.ts'
import { memberRoutes } from './organizations/members/routes.ts'
import { projectRoutes } from './organizations/projects/routes.ts'
import { organizationRoutes } from './organizations/routes.ts'
import { platformRoutes } from './platform/routes.ts'
import { statusRoutes } from './platform/status-routes.ts'
import { signalRoutes } from './signals/routes.ts'
import { draftRoutes } from './versions/drafts/routes.ts'
import { versionRoutes } from './versions/routes.ts'

/** Every route there is. The HTTP door, OpenAPI, the docs page and the permission test read this list. */
export const routes: readonly AnyRoute[] = [
  ...platformRoutes,
  ...statusRoutes,
  ...userRoutes,
  ...sessionRoutes,
  ...tokenRoutes,
  ...organizationRoutes,
  ...memberRoutes,
  ...inviteRoutes,
  ...notificationRoutes,
  ...eventRoutes,
  ...auditRoutes,
  ...projectRoutes,
  ...datasetRoutes,
  ...projectCatalogRoutes,
  ...catalogRoutes,
  ...importRoutes,
  ...mediaRoutes,
  ...episodeMediaRoutes,
  ...checkRoutes,
  ...projectCheckRoutes,
  ...signalRoutes,
  ...flagRoutes,
  ...annotationRoutes,
  ...versionFlagRoutes,
  ...versionAnnotationRoutes,
  ...versionCheckRoutes,
  ...reviewRoutes,
  ...robotRoutes,
  ...namedRobotRoutes,
  ...versionRoutes,
  ...draftRoutes,
  ...changedVersionRoutes,
  ...exportRoutes,
  ...copyRoutes,
  ...renameRoutes,
  ...diffRoutes,
  ...lineageRoutes,
]
