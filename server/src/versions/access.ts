import type { OrgGrant } from '../access/access.ts'
import type { Principal } from '../access/principal.ts'
import { holdsProjectRole, type ProjectRole } from '../access/roles.ts'
import type { Database } from '../db/database.ts'
import { insufficientRole, notFound } from '../errors.ts'
import { findProjectGrant } from '../organizations/projects/service.ts'
import { findVersion, type Version } from './repository.ts'

/** A version as a member of its organization may see it, through the project it lives in, and what they are there. */
export async function getVersionGrant(
  db: Database,
  principal: Principal,
  org: OrgGrant,
  id: string,
  role: ProjectRole = 'viewer',
): Promise<{ version: Version; role: ProjectRole }> {
  const version = await findVersion(db, id)
  if (!version || version.orgId !== org.id) throw notFound()
  const project = await findProjectGrant(db, org, principal.userId, version.projectSlug)
  if (!project) throw notFound()
  if (!holdsProjectRole(project.role, role)) throw insufficientRole(`${role} of the project`)
  return { version, role: project.role }
}
