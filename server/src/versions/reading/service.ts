import { createHash } from 'node:crypto'
import type { Context } from '../../context.ts'
import { getReadModel } from '../../datasets/read-model/cache.ts'
import type { ReadModel } from '../../datasets/read-model/model.ts'
import type { ReadableKind } from '../../datasets/readable.ts'
import type { RevisionContent } from '../../datasets/revision-content.ts'
import { locateFiles } from '../../datasets/revision-content.ts'
import type { RevisionSummary } from '../../datasets/revision-summary.ts'
import type { Revision, SeenDataset } from '../../datasets/seen-dataset.ts'
import { listSaid, showSaid } from '../../datasets/shown-fields.ts'
import type { Database } from '../../db/database.ts'
import { ServiceError } from '../../errors.ts'
import { listLinks, planChain } from '../chain.ts'
import { deriveReadModel, keepsScores } from '../derive/derive-read-model.ts'
import { openDerivedDataset } from '../derive/derived-dataset.ts'
import { withScores } from '../derive/derived-scores.ts'
import { measureFeatures } from '../derive/derived-statistics.ts'
import { deriveMerged } from '../merge/merged-model.ts'
import { measureMerged } from '../merge/merged-statistics.ts'
import { artifactOwner, picturesOwner } from '../owners.ts'
import { listClosedSources } from '../repository.ts'
import { getVersion } from '../service.ts'
import { keepStatistics } from './kept-statistics.ts'
import { openVersionData } from './open-data.ts'
import {
  findReadableVersion,
  holdVersion,
  listReadableVersions,
  type MergedRoot,
  type ReadableVersion,
} from './repository.ts'

/** Versions, read by every route of a dataset: before the export from the source's files through the recipe, then from their own. */
export const readableVersions: ReadableKind = {
  prefix: 'ver_',
  async find({ db }, userId, id) {
    const row = await findReadableVersion(db, id, userId)
    if (!row || !isReadable(row)) return undefined
    const isClosed = (await listClosedSources(db, row.foreignSources, userId)).length > 0
    if (!hasOwnModel(row)) requireSource(row, isClosed)
    return toSeen(await withOpenRoots(db, row, userId), isClosed)
  },
  listPublic: ({ db }, ids) => listPublicVersions(db, ids),
  openData: openVersionData,
  async findRevision({ db }, id, revisionId) {
    const row = await findReadableVersion(db, id, undefined)
    if (!row) return undefined
    const isExported = hasOwnModel(row) && revisionId === row.exportId
    if (!isExported && (revisionId !== row.id || !hasRoots(row))) return undefined
    return {
      dataset: { id, slug: row.slug, visibility: row.visibility, projectId: row.projectId },
      revision: isExported ? describeExported(row) : describePlanned(row),
      isPublic: row.visibility === 'public',
    }
  },
}

/** As everybody sees them; those whose source another organization has withdrawn, and that have no files of their own, are missing. */
export async function listPublicVersions(db: Database, ids: readonly string[]): Promise<SeenDataset[]> {
  const seen: SeenDataset[] = []
  for (const row of await listReadableVersions(db, ids, undefined)) {
    if (row.visibility !== 'public') continue
    const isClosed = (await listClosedSources(db, row.foreignSources, undefined)).length > 0
    if (hasOwnModel(row) || (hasRoots(row) && !isClosed))
      seen.push(toSeen(await withOpenRoots(db, row, undefined), isClosed))
  }
  return seen
}

/** For people of its project, and for everybody once it is published. */
const isReadable = ({ role, visibility }: ReadableVersion): boolean => role !== null || visibility === 'public'

const hasOwnModel = ({ exportStatus, exportId, hasModel }: ReadableVersion): boolean =>
  exportStatus === 'ready' && exportId !== null && hasModel

/** Whether everything that it is made from is stored still. */
const hasRoots = ({ revision, mergedRoots }: ReadableVersion): boolean =>
  mergedRoots ? !mergedRoots.includes(null) : revision !== null

/** Of several sources, a person may read the source who may read every one of them. */
async function withOpenRoots(db: Database, row: ReadableVersion, userId: string | undefined): Promise<ReadableVersion> {
  if (!row.mergedRoots) return row
  const ids = row.mergedRoots.flatMap((root) => root?.datasetId ?? [])
  return { ...row, isSourceOpen: hasRoots(row) && (await listClosedSources(db, ids, userId)).length === 0 }
}

function toSeen(row: ReadableVersion, isClosed: boolean): SeenDataset {
  const isExported = hasOwnModel(row)
  const place = isExported ? describeExported(row) : describePlanned(row)
  const revision: Revision = {
    ...place,
    datasetId: row.id,
    number: row.version,
    importId: null,
    sourceKind: 'derived',
    sourceUri: null,
    hfRepoId: null,
    hfRevision: null,
    digest: hash([row.source.source_revision, row.recipeDigest, row.id]),
    summary: row.summary ?? (row.revision?.summary as RevisionSummary),
    createdBy: row.createdBy,
    createdAt: row.createdAt,
  }
  const said = showSaid(listSaid(row.slug, row.card, revision.summary))
  const { licence = null, citation = null, tags: inherited = [] } = row.card ? said : (row.sourceDataset ?? {})
  return {
    dataset: {
      id: row.id,
      projectId: row.projectId,
      projectSlug: row.projectSlug,
      orgId: row.orgId,
      orgSlug: row.orgSlug,
      ...said,
      slug: row.slug,
      title: row.name,
      description: row.description || said.description,
      tags: row.tags.length > 0 ? row.tags : inherited,
      visibility: row.visibility,
      licence,
      citation,
      editedFields: [],
      readmeSha256: null,
      annotationKeys: row.annotationKeys,
      currentRevisionId: revision.id,
      lossesDismissedRevisionId: null,
      deletionRequestedAt: null,
      publishedAt: row.publishedAt,
      createdAt: row.createdAt,
      updatedAt: row.updatedAt,
    },
    revision,
    org: { id: row.orgId, slug: row.orgSlug },
    project: { id: row.projectId, slug: row.projectSlug },
    role: row.role,
    derived: {
      datasetId: row.source.dataset_id,
      revisionNumber: row.source.revision_number,
      title: row.source.title,
      isSourceOpen: isExported || row.isSourceOpen,
      filesStatus: row.exportStatus,
      sources: row.merged,
      planned: hasRoots(row) && !isClosed && (row.role || row.isSourceOpen) ? describePlanned(row) : null,
    },
  }
}

/** As for an export: what another organization has withdrawn is not given out any more; one's own is pinned and stays. */
function requireSource(row: ReadableVersion, isClosed: boolean): void {
  if (!hasRoots(row))
    throw new ServiceError(
      'conflict',
      'The source of this version was deleted before the version was exported, so it has no data.',
    )
  if (isClosed)
    throw new ServiceError(
      'conflict',
      'You may no longer read the source of this version, and the version was not exported.',
    )
}

type Place = Pick<Revision, 'id' | 'orgId' | 'readModelDigest'> & { content: RevisionContent }

const describeExported = (row: ReadableVersion): Place => {
  const own = { owner: artifactOwner(row.id, row.orgId), prefix: 'files/' }
  const id = row.exportId ?? row.id
  return {
    id,
    orgId: row.orgId,
    readModelDigest: hash([row.id, id]),
    content: { files: own, own, missing: null, pictures: placePictures(row, `${id}/`) },
  }
}

/** Shown from the files of its source, which is pinned. */
const describePlanned = (row: ReadableVersion): Place => {
  const source = row.revision ?? { id: '', orgId: row.orgId }
  const isMade = row.exportStatus === 'ready'
  const readModelDigest = hash([row.id, row.source.source_revision, row.recipeDigest])
  return {
    id: row.id,
    orgId: row.orgId,
    readModelDigest,
    content: {
      files: locateFiles(source),
      own: isMade ? { owner: artifactOwner(row.id, row.orgId), prefix: 'files/' } : null,
      missing: isMade ? null : missing[row.exportStatus],
      deriveModel: (context) => deriveModel(context, row),
      measureFeatures: (context) => keepStatistics(context, readModelDigest, () => measure(context, row)),
      pictures: placePictures(row, ''),
    },
  }
}

const missing = {
  planned: 'The version has no files yet: it is shown from its source. Export it to create them.',
  queued: 'The files of the version are not ready yet: its export is queued.',
  running: 'The files of the version are not ready yet: its export is running.',
  failed: 'The version has no files: its export failed. Export it again.',
  ready: null,
} as const

const placePictures = ({ id, orgId }: ReadableVersion, prefix: string): RevisionContent['pictures'] => ({
  owner: picturesOwner(id, orgId),
  prefix,
  hold: (trx) => holdVersion(trx, id),
})

async function deriveModel(context: Context, { id, revision, mergedRoots }: ReadableVersion): Promise<ReadModel> {
  const version = await getVersion(context.db, id)
  if (version.merge) return deriveMerged(context, (mergedRoots ?? []).map(requireRoot), version.merge)
  if (!revision) throw new ServiceError('conflict', 'The source of this version was deleted.')
  const earlier = (await listLinks(context.db, version)).slice(0, -1)
  const root = await getReadModel(context, revision)
  const { source, plan, stored } = planChain(root, earlier, version)
  const model = deriveReadModel(source, version.recipe, plan, version.annotations)
  return keepsScores(root, stored) ? model : withScores(model, () => openDerivedDataset(context, revision, model))
}

async function measure(context: Context, row: ReadableVersion) {
  const { revision } = row
  if (row.mergedRoots) {
    const { merge } = await getVersion(context.db, row.id)
    if (merge) return measureMerged(context, await getReadModel(context, describePlanned(row)), merge)
  }
  if (!revision) throw new ServiceError('conflict', 'The source of this version was deleted.')
  return measureFeatures(context, revision, await getReadModel(context, describePlanned(row)))
}

function requireRoot(root: MergedRoot | null): MergedRoot {
  if (!root) throw new ServiceError('conflict', 'A source of this version was deleted.')
  return root
}

/** A name for content, as wide as that of a stored one. */
const hash = (facts: readonly unknown[]): string => createHash('sha256').update(JSON.stringify(facts)).digest('hex')
