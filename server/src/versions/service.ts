import type { OrgGrant } from '../access/access.ts'
import type { Principal } from '../access/principal.ts'
import { type ListRequest, readList } from '../cursor.ts'
import type { Database } from '../db/database.ts'
import { notFound } from '../errors.ts'
import { listAllProjectsOf } from '../organizations/projects/service.ts'
import { getVersionGrant } from './access.ts'
import * as repository from './repository.ts'
import type { VersionStatus } from './tables.ts'

export type Version = repository.Version

export async function getVersion(db: Database, id: string): Promise<Version> {
  const row = await repository.findVersion(db, id)
  if (!row) throw notFound()
  return row
}

export const findVersion = (db: Database, id: string): Promise<repository.Version | undefined> =>
  repository.findVersion(db, id)

/** As lists show it: long lists of its recipe are counted and left out. */
export async function getListedVersion(db: Database, id: string): Promise<Version> {
  const row = await repository.findListedVersion(db, id)
  if (!row) throw notFound()
  return row
}

export const getSeenVersion = async (...asked: Parameters<typeof getVersionGrant>): Promise<Version> =>
  (await getVersionGrant(...asked)).version

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
    ({ orgId, slug }) => orgId === org.id && (query.project_slug === undefined || slug === query.project_slug),
  )
  const filter = { projectIds: seen.map(({ id }) => id), status: query.status, datasetId: query.source, q: query.q }
  const read = (limit: number, beforeId: string | undefined) =>
    repository.listVersions(db, { ...filter, limit, beforeId })
  return readList(query, read, (row) => row.id)
}

/** Newest first, for names that lead to versions (the Hub door). */
export const listVersionsBySlug = (
  db: Database,
  projectId: string,
  slug: string,
  limit: number,
): Promise<repository.Version[]> => repository.listBySlug(db, projectId, slug, limit)

export const {
  deleteVersion: deleteVersionRow,
  listClosedSources,
  listDescendants,
  listOrphanedOwners,
  lockVersion,
  markMade,
  updateArtifact,
  updateStatus,
  updateSummary,
  updateVersion,
} = repository
