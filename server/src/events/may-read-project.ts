import { projectViewer } from '../access/access.ts'
import type { Principal } from '../access/principal.ts'
import type { Database } from '../db/database.ts'
import { ServiceError } from '../errors.ts'
import { authorize } from '../organizations/service.ts'

/** Asked anew for every event: a role that was taken away is heard of at once. */
export const mayReadProject = (
  db: Database,
  principal: Principal,
  { org_slug, project_slug }: { org_slug: string; project_slug: string },
): Promise<boolean> =>
  authorize(db, principal, projectViewer, { org_slug, project_slug }).then(
    () => true,
    (error) => {
      if (error instanceof ServiceError && error.status < 500) return false
      throw error
    },
  )
