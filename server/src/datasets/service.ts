import type { DatasetCard } from '@nmp/formats/card/dataset-card'
import type { Caller, Principal } from '../access/principal.ts'
import type { ProjectRole } from '../access/roles.ts'
import { type Actor, recordAudit } from '../audit/service.ts'
import type { Context } from '../context.ts'
import { cursorsOf, type ListRequest, readList } from '../cursor.ts'
import { type Database, inTransaction, type Transaction } from '../db/database.ts'
import { insufficientRole, notFound, ServiceError, twoStepRequired } from '../errors.ts'
import { createId } from '../ids.ts'
import { deletionGraceDays, isHeldBack } from '../organizations/service.ts'
import { dropBlobs } from '../storage/blobs.ts'
import { changeDisclosure, discloseShown } from './disclosure/service.ts'
import { refreshCatalogEntry } from './listing/service.ts'
import { claimDatasetName, findPresentName, forgetNames } from './names/service.ts'
import { findKept, inDatasetTransaction, keep } from './public-datasets.ts'
import { findReadableKind } from './readable.ts'
import { refreshShown } from './refresh-shown.ts'
import * as repository from './repository.ts'
import { locateFiles } from './revision-content.ts'
import type { Dataset, DatasetEntry, Revision, SeenDataset } from './seen-dataset.ts'
import type { FieldChange } from './shown-fields.ts'
import { listStoredFiles, type StoredFile } from './stored-files.ts'

export interface NewRevision extends Omit<Revision, 'id' | 'datasetId' | 'number' | 'createdAt' | 'content'> {
  projectId: string
  slug: string
  /** As somebody gave it; a title that people gave before stays. Null: the card's, else the slug. */
  title: string | null
  revisionId: string
  /** What README.md of the source says; null where there is none. */
  card?: DatasetCard | null
}

/** Makes a finished import visible, in the transaction in which its job succeeds. Its files are published there too. */
export async function publishRevision(
  trx: Transaction,
  input: NewRevision,
): Promise<{ datasetId: string; revisionNumber: number }> {
  await claimDatasetName(trx, input.projectId, input.slug)
  const dataset = await repository.lockDataset(trx, {
    id: createId('ds'),
    projectId: input.projectId,
    slug: input.slug,
    title: input.title ?? input.slug,
  })
  if (dataset.deletionRequestedAt) throw pendingDeletion(input.slug)
  const revisionNumber = await repository.insertRevision(trx, {
    id: input.revisionId,
    datasetId: dataset.id,
    importId: input.importId,
    sourceKind: input.sourceKind,
    sourceUri: input.sourceUri,
    hfRepoId: input.hfRepoId,
    hfRevision: input.hfRevision,
    digest: input.digest,
    readModelDigest: input.readModelDigest,
    summary: JSON.stringify(input.summary),
    card: input.card ? JSON.stringify(input.card) : null,
    createdBy: input.createdBy,
  })
  await repository.updateDataset(trx, dataset.id, { currentRevisionId: input.revisionId })
  await discloseShown(trx, dataset, input.revisionId)
  const isGiven = input.title !== null && !dataset.editedFields.includes('title')
  await refreshShown(trx, dataset.id, isGiven ? { title: input.title } : {})
  await recordAudit(trx, 'program', {
    action: 'dataset.publish_revision',
    resource: { kind: 'dataset', id: dataset.id },
    orgId: input.orgId,
    detail: { slug: input.slug, revision: revisionNumber, import_id: input.importId },
  })
  return { datasetId: dataset.id, revisionNumber }
}

/** Also by a name that it had before it was renamed, while nothing else has that. */
export const getDatasetBySlug = async (db: Database, projectId: string, slug: string): Promise<Dataset> => {
  const dataset = await repository.findDataset(db, projectId, slug)
  if (dataset) return dataset
  const present = await findPresentName(db, projectId, slug)
  const found = present && (await repository.findDataset(db, projectId, present))
  if (!found) throw notFound()
  return found
}

/** For names that versions and datasets share. */
export const findDatasetBySlug = (
  db: Database,
  projectId: string,
  slug: string,
): Promise<repository.PlacedDataset | undefined> => repository.findDataset(db, projectId, slug)

/** Public, or in a project the caller may read; for everybody else it is not there. A version is found as a dataset is. */
export async function findReadable(
  context: Context,
  principal: Principal | undefined,
  datasetId: string,
): Promise<SeenDataset> {
  const { db } = context
  const userId = readerOf(principal)
  const kind = findReadableKind(context, datasetId)
  if (kind) {
    const found = await kind.find(context, userId, datasetId)
    if (!found) throw notFound()
    return holdBack(context, principal, found)
  }
  const kept = userId === undefined ? findKept(db, datasetId) : undefined
  if (kept) return kept
  const row = await repository.findDatasetById(db, datasetId, userId)
  if (!row) throw notFound()
  const isPublic = row.visibility === 'public' && row.deletionRequestedAt === null
  if (!isPublic && row.role === null) throw notFound()
  const seen = toSeen(row, row.role)
  if (userId === undefined) keep(db, seen)
  return holdBack(context, principal, seen)
}

/** Who lacks the second proof that the organization asks for sees what everybody sees. */
async function holdBack(context: Context, principal: Principal | undefined, seen: SeenDataset): Promise<SeenDataset> {
  if (!principal || seen.role === null || !(await isHeldBack(context.db, principal, seen.org.id))) return seen
  return findReadable(context, undefined, seen.dataset.id).catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === 'not_found')
      throw twoStepRequired(seen.org.slug, principal.kind)
    throw error
  })
}

/** A token reads what its owner may only where it has the scope for reading; elsewhere it is as no credential. */
export const readerOf = (principal: Principal | undefined): string | undefined =>
  principal?.kind === 'session' || principal?.scopes.includes('workspace:read') ? principal.userId : undefined

export const toSeen = (dataset: Dataset, role: ProjectRole | null): SeenDataset => ({
  dataset,
  revision: toRevision(dataset.revision, dataset.orgId),
  org: { id: dataset.orgId, slug: dataset.orgSlug },
  project: { id: dataset.projectId, slug: dataset.projectSlug },
  role,
})

const toRevision = (row: repository.RevisionRow, orgId: string): Revision => ({ ...row, orgId })

export const findRevision = (
  db: Database,
  revisionId: string,
): Promise<(Revision & { isPublic: boolean }) | undefined> => repository.findRevision(db, revisionId)

export async function getRevision(db: Database, revisionId: string): Promise<Revision> {
  const row = await findRevision(db, revisionId)
  if (!row) throw notFound()
  return row
}

export type RevisionFile = StoredFile

/** The canonical files of a dataset's revision. */
export const listRevisionFiles = (
  db: Database,
  revisionId: string,
  orgId: string,
  options: { afterPath?: string } = {},
): AsyncGenerator<RevisionFile> => listStoredFiles(db, locateFiles({ id: revisionId, orgId }), options)

/** By id; those that were withdrawn meanwhile are missing. */
export async function listPublicDatasets(db: Database, ids: readonly string[]): Promise<Map<string, Dataset>> {
  const rows = await repository.listPublicDatasets(db, ids)
  return new Map(rows.map((row) => [row.id, row]))
}

export const listDatasets = (db: Database, projectId: string, request: ListRequest) =>
  readList(
    cursorsOf('datasets', projectId),
    request,
    (limit, after) => repository.listDatasets(db, projectId, limit, after),
    (row) => row.slug,
  )

/** `isPublicOnly`: as everybody may see them. */
export async function listRevisions(
  db: Database,
  datasetId: string,
  limit: number,
  cursor: string | undefined,
  isPublicOnly = false,
) {
  const cursors = cursorsOf('revisions', datasetId)
  const place = cursors.decode(cursor)
  if (place !== undefined && !/^\d{1,9}$/.test(place)) throw cursors.refusal(cursor)
  const below = place === undefined ? undefined : Number(place)
  const rows = await repository.listRevisions(db, datasetId, limit + 1, below, isPublicOnly)
  return cursors.cut(rows, limit, (row) => String(row.number))
}

export type DatasetChange = FieldChange & {
  visibility?: 'private' | 'public'
  /** Whether everybody sees revisions of before the publication too. */
  public_history?: boolean
  losses_dismissed?: boolean
}

/** Asked before anything is looked up, as every question about the credential is. */
export function requireSessionToPublish(principal: Principal, change: DatasetChange): void {
  if ((change.visibility !== undefined || change.public_history !== undefined) && principal.kind !== 'session')
    throw new ServiceError('session_required', 'Publishing and withdrawing need a session. Sign in and use that.')
}

/** Visibility is for a signed-in admin of the project: what is public cannot be taken back from those who saw it. */
export async function changeDataset(
  db: Database,
  actor: Actor,
  { project, dataset }: { project: { id: string; role: ProjectRole }; dataset: DatasetEntry },
  { visibility, public_history: history, losses_dismissed: dismissed, ...texts }: DatasetChange,
): Promise<Dataset> {
  const isChanged = visibility !== undefined && visibility !== dataset.visibility
  if ((visibility !== undefined || history !== undefined) && project.role !== 'admin')
    throw insufficientRole('admin of the project')
  if (visibility === 'public' && dataset.deletionRequestedAt) throw pendingDeletion(dataset.slug)
  return inDatasetTransaction(db, dataset, async (trx) => {
    if (isChanged)
      await repository.updateDataset(trx, dataset.id, {
        visibility,
        publishedAt: visibility === 'public' ? new Date() : null,
      })
    else if (history !== undefined) await repository.updateDataset(trx, dataset.id, {})
    await changeDisclosure(trx, dataset.id, {
      visibility: visibility ?? dataset.visibility,
      isVisibilityChanged: isChanged,
      history,
    })
    if (dismissed !== undefined)
      await repository.updateDataset(trx, dataset.id, {
        lossesDismissedRevisionId: dismissed ? dataset.currentRevisionId : null,
      })
    await refreshShown(trx, dataset.id, texts)
    await recordAudit(trx, actor, {
      action: isChanged ? (visibility === 'public' ? 'dataset.publish' : 'dataset.withdraw') : 'dataset.change',
      resource: { kind: 'dataset', id: dataset.id },
      orgId: dataset.orgId,
      detail: {
        fields: Object.keys(texts),
        ...(isChanged ? { visibility } : {}),
        ...(history === undefined ? {} : { public_history: history }),
        ...(dismissed === undefined ? {} : { losses_dismissed: dismissed }),
      },
    })
    return getDatasetBySlug(trx, project.id, dataset.slug)
  })
}

/** In the transaction in which whatever else is kept by the slug changes, by who holds both names. */
export async function renameDataset(
  trx: Transaction,
  caller: Caller,
  dataset: DatasetEntry,
  slug: string,
): Promise<void> {
  if (dataset.deletionRequestedAt) throw pendingDeletion(dataset.slug)
  await repository.updateDataset(trx, dataset.id, { slug })
  await refreshShown(trx, dataset.id)
  await recordAudit(trx, caller, {
    action: 'dataset.rename',
    resource: { kind: 'dataset', id: dataset.id },
    orgId: dataset.orgId,
    detail: { slug, former_slug: dataset.slug },
  })
}

/** Nothing is lost at once: out of the catalog now, gone after the grace period, and a restore takes it back. */
export async function requestDatasetDeletion(
  db: Database,
  caller: Caller,
  dataset: DatasetEntry,
  confirmSlug: string,
): Promise<Dataset> {
  if (confirmSlug !== dataset.slug)
    throw new ServiceError('confirmation_mismatch', `To delete the dataset, send its slug: ${dataset.slug}.`)
  return setDeletion(db, caller, dataset, true)
}

export const restoreDataset = (db: Database, caller: Caller, dataset: DatasetEntry) =>
  setDeletion(db, caller, dataset, false)

const setDeletion = (db: Database, caller: Caller, dataset: DatasetEntry, requested: boolean): Promise<Dataset> =>
  inDatasetTransaction(db, dataset, async (trx) => {
    await repository.setDeletion(trx, dataset.id, requested)
    await refreshCatalogEntry(trx, dataset.id)
    await recordAudit(trx, caller, {
      action: requested ? 'dataset.delete' : 'dataset.restore',
      resource: { kind: 'dataset', id: dataset.id },
      orgId: dataset.orgId,
      detail: { slug: dataset.slug },
    })
    return getDatasetBySlug(trx, dataset.projectId, dataset.slug)
  })

/** Shows an older revision again; newer ones stay listed. */
export const restoreRevision = (
  db: Database,
  caller: Caller,
  dataset: DatasetEntry,
  number: number,
): Promise<Dataset> =>
  inDatasetTransaction(db, dataset, async (trx) => {
    const revision = await repository.findRevisionByNumber(trx, dataset.id, number)
    if (!revision) throw notFound()
    if (dataset.deletionRequestedAt) throw pendingDeletion(dataset.slug)
    await repository.updateDataset(trx, dataset.id, { currentRevisionId: revision.id })
    await discloseShown(trx, dataset, revision.id)
    await refreshShown(trx, dataset.id)
    await recordAudit(trx, caller, {
      action: 'dataset.restore_revision',
      resource: { kind: 'dataset', id: dataset.id },
      orgId: dataset.orgId,
      detail: { slug: dataset.slug, revision: number },
    })
    return getDatasetBySlug(trx, dataset.projectId, dataset.slug)
  })

/**
 * Housekeeping: datasets whose grace period is over go with their files, and files whose revision went with its organization. One
 * that a version was derived from stays, seen by nobody but its project, until the version is gone.
 */
export async function deleteDatasetsPastGrace(db: Database): Promise<number> {
  const gone = await inTransaction(db, async (trx) => {
    let count = 0
    for (const dataset of await repository.listPastGrace(trx, deletionGraceDays, 100)) {
      const revisionIds = await repository.listRevisionIds(trx, dataset.id)
      if ((await repository.listRevisionsInUse(trx, revisionIds)).length > 0) continue
      await purgeDataset(trx, dataset, revisionIds)
      count++
    }
    return count
  })
  for (const id of await repository.listOrphanedOwners(db, 1_000))
    await inTransaction(db, (trx) => dropBlobs(trx, { kind: 'revision', id }))
  return gone
}

async function purgeDataset(
  trx: Transaction,
  { id, projectId, slug, orgId }: { id: string; projectId: string; slug: string; orgId: string },
  revisionIds: readonly string[],
): Promise<void> {
  for (const revisionId of revisionIds)
    for (const kind of ['revision', 'media']) await dropBlobs(trx, { kind, id: revisionId, orgId })
  await repository.deleteDataset(trx, id)
  await forgetNames(trx, projectId, slug)
  await recordAudit(trx, 'program', {
    action: 'dataset.purge',
    resource: { kind: 'dataset', id },
    orgId,
    detail: { slug },
  })
}

const pendingDeletion = (slug: string): ServiceError =>
  new ServiceError('conflict', `The dataset ${slug} is about to be deleted. Restore it first, or choose another slug.`)
