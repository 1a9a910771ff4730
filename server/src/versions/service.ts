import type { OrgGrant } from '../access/access.ts'
import type { Principal } from '../access/principal.ts'
import { cursorsOf, type ListRequest, readList } from '../cursor.ts'
import type { RevisionSummary } from '../datasets/revision-summary.ts'
import type { Database, Transaction } from '../db/database.ts'
import { notFound } from '../errors.ts'
import { listAllProjectsOf } from '../organizations/projects/service.ts'
import { getVersionGrant } from './access.ts'
import * as repository from './repository.ts'
import type { ArtifactKey, VersionStatus } from './tables.ts'

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
  return readList(cursorsOf('versions', org.id), query, read, (row) => row.id)
}

/** Newest first, for names that lead to versions (the Hub door). */
export const listVersionsBySlug = (
  db: Database,
  projectId: string,
  slug: string,
  limit: number,
): Promise<repository.Version[]> => repository.listBySlug(db, projectId, slug, limit)

export const deleteVersionRow = (trx: Transaction, id: string): Promise<void> => repository.deleteVersion(trx, id)

export const listClosedSources = (
  db: Database,
  ids: readonly string[],
  userId: string | undefined,
): Promise<string[]> => repository.listClosedSources(db, ids, userId)

export const listDescendants = (
  db: Database,
  versionId: string,
  orgId: string,
  limit: number,
): Promise<{ id: string; slug: string; version: number; projectId: string }[]> =>
  repository.listDescendants(db, versionId, orgId, limit)

export const listOrphanedOwners = (db: Database, limit: number): Promise<{ kind: string; id: string }[]> =>
  repository.listOrphanedOwners(db, limit)

export const lockVersion = (trx: Transaction, id: string): Promise<boolean> => repository.lockVersion(trx, id)

export const markMade = (trx: Transaction, id: string): Promise<boolean> => repository.markMade(trx, id)

export const ensureArtifact = (
  trx: Transaction,
  artifact: { versionId: string; key: ArtifactKey; path: string },
): Promise<void> => repository.ensureArtifact(trx, artifact)

export const updateArtifact = (
  trx: Transaction,
  versionId: string,
  key: ArtifactKey,
  change: repository.ArtifactChange,
  ofJob?: string,
): Promise<boolean> => repository.updateArtifact(trx, versionId, key, change, ofJob)

export const updateStatus = (trx: Transaction, id: string, status: VersionStatus): Promise<void> =>
  repository.updateStatus(trx, id, status)

export const updateSummary = (trx: Transaction, id: string, summary: RevisionSummary): Promise<void> =>
  repository.updateSummary(trx, id, summary)

export const updateVersion = (trx: Transaction, id: string, change: repository.VersionChange): Promise<void> =>
  repository.updateVersion(trx, id, change)
