import { recordAudit } from '../audit/service.ts'
import { type Database, inTransaction, type Transaction } from '../db/database.ts'
import { insufficientRole, notFound } from '../errors.ts'
import { type ListRequest, readList } from '../http/cursor.ts'
import type { Principal } from '../identity/principal.ts'
import type { OrgGrant } from '../organizations/access.ts'
import { findProjectGrant, listAllProjectsOf } from '../organizations/projects/service.ts'
import { holdsProjectRole, type ProjectRole } from '../organizations/roles.ts'
import * as repository from './repository.ts'
import type { VersionStatus } from './tables.ts'

export type Version = repository.Version

export async function getVersion(db: Database, id: string): Promise<Version> {
  const row = await repository.findVersion(db, id)
  if (!row) throw notFound()
  return row
}

/** As lists show it: long lists of its recipe are counted and left out. */
export async function getListedVersion(db: Database, id: string): Promise<Version> {
  const row = await repository.findListedVersion(db, id)
  if (!row) throw notFound()
  return row
}

/** A version as a member of its organization may see it: through the project it lives in. */
export async function getSeenVersion(
  db: Database,
  principal: Principal,
  org: OrgGrant,
  id: string,
  role: ProjectRole = 'viewer',
): Promise<Version> {
  const row = await repository.findVersion(db, id)
  if (!row || row.org_id !== org.id) throw notFound()
  const project = await findProjectGrant(db, org, principal.userId, row.project_slug)
  if (!project) throw notFound()
  if (!holdsProjectRole(project.role, role)) throw insufficientRole(`${role} of the project`)
  return row
}

export async function listVersions(
  db: Database,
  principal: Principal,
  org: OrgGrant,
  query: {
    project_slug?: string
    status?: VersionStatus
    source?: string
    q?: string
  } & ListRequest,
) {
  const seen = (await listAllProjectsOf(db, principal.userId)).filter(
    ({ org_id: id, slug }) => id === org.id && (query.project_slug === undefined || slug === query.project_slug),
  )
  const filter = { projectIds: seen.map(({ id }) => id), status: query.status, datasetId: query.source, q: query.q }
  const read = (limit: number, beforeId: string | undefined) =>
    repository.listVersions(db, { ...filter, limit, beforeId })
  return readList(query, read, (row) => row.id)
}

export const changeVersion = (
  db: Database,
  principal: Principal,
  org: OrgGrant,
  id: string,
  name: string,
  requestId: string,
): Promise<Version> =>
  inTransaction(db, async (trx) => {
    await getSeenVersion(trx, principal, org, id, 'editor')
    await repository.renameVersion(trx, id, name)
    await recordAudit(trx, principal, {
      action: 'version.rename',
      resource: { kind: 'version', id },
      orgId: org.id,
      detail: { name },
      requestId,
    })
    return getVersion(trx, id)
  })

/** Newest first, for names that lead to versions (the Hub door). */
export const listVersionsBySlug = repository.listBySlug

/**
 * Whether a version holds the name, and nobody takes it until the transaction ends: ask before making a dataset of that slug, as
 * versions ask for datasets.
 */
export async function isSlugOfVersion(trx: Transaction, projectId: string, slug: string): Promise<boolean> {
  await repository.lockSlug(trx, projectId, slug)
  return repository.hasSlug(trx, projectId, slug)
}

export const { listRevisionsInUse, lockVersion, markMade, updateArtifact, updateStatus, updateSummary } = repository
