import { projectViewer } from '../access/access.ts'
import type { Principal } from '../access/principal.ts'
import type { Database } from '../db/database.ts'
import { ServiceError } from '../errors.ts'
import { authorize } from '../organizations/service.ts'

/** Asked anew for every event: a role that was taken away is heard of at once. */
export const mayReadProject = (
  db: Database,
  principal: Principal,
  { orgSlug, projectSlug }: { orgSlug: string; projectSlug: string },
): Promise<boolean> =>
  authorize(db, principal, projectViewer, { org_slug: orgSlug, project_slug: projectSlug }).then(
    () => true,
    (error) => {
      if (error instanceof ServiceError && error.status < 500) return false
      throw error
    },
  )
