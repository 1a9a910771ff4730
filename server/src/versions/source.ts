import type { Principal } from '../access/principal.ts'
import type { Context } from '../context.ts'
import { getReadModel } from '../datasets/read-model/cache.ts'
import type { ReadModel } from '../datasets/read-model/model.ts'
import type { Revision, SeenDataset } from '../datasets/seen-dataset.ts'
import { findReadable, getRevision, readerOf } from '../datasets/service.ts'
import { invalidValue, notFound, ServiceError } from '../errors.ts'
import { maxRecipes } from './chain.ts'
import { type Ancestor, findVersion, listAncestors, listClosedSources, type Version } from './repository.ts'
import type { SourceKind } from './tables.ts'

export interface SourceRequest {
  dataset_kind: SourceKind
  dataset_id: string
}

/** What a recipe is to be applied to, as the caller may see it, and what all of it began with. */
export interface OpenedSource {
  seen: SeenDataset
  /** Null where the source is a dataset. */
  parent: Version | null
  /** The recipes between the stored dataset and the source, oldest first. */
  ancestors: Omit<Ancestor, 'versionId' | 'position'>[]
  /** The revision whose files are stored, and its read model. */
  root: Revision
  rootModel: ReadModel
  /** Whether the caller may read the dataset that all began with, too. */
  isRootOpen: boolean
}

const versionPrefix = 'ver_'

/** An id says what it names, so a kind that does not fit it is a fault of the request. */
export function checkSourceForm({ dataset_kind: kind, dataset_id: id }: SourceRequest): void {
  const isVersion = id.startsWith(versionPrefix)
  if (isVersion === (kind === 'version')) return
  const sentence = isVersion
    ? 'this is the id of a derived version: use dataset_kind version'
    : 'dataset_kind version needs the id of a derived version, which begins with ver_'
  throw invalidValue(['body', 'source', 'dataset_kind'], sentence, kind)
}

/**
 * `catalog` is any dataset or version that the catalog routes show the caller; `project` a dataset of a project the caller has a role in; `version` a derived version
 * that the caller may read.
 */
export async function openSource(context: Context, principal: Principal, asked: SourceRequest): Promise<OpenedSource> {
  const seen = await findReadable(context, principal, asked.dataset_id)
  if (asked.dataset_kind === 'project' && seen.role === null) throw notFound()
  if (asked.dataset_kind === 'version') return openVersion(context, principal, seen)
  const rootModel = await getReadModel(context, seen.revision)
  return { seen, parent: null, ancestors: [], root: seen.revision, rootModel, isRootOpen: true }
}

export interface MergedVersion {
  seen: SeenDataset
  version: Version & { merge: NonNullable<Version['merge']> }
}

/** Of a version that has several sources; undefined of all else, whether it may be read or not. */
export async function findMergedVersion(
  context: Context,
  principal: Principal,
  { dataset_kind: kind, dataset_id: id }: SourceRequest,
): Promise<MergedVersion | undefined> {
  if (kind !== 'version') return undefined
  const seen = await findReadable(context, principal, id)
  const version = await findVersion(context.db, seen.dataset.id)
  return version?.merge ? { seen, version: { ...version, merge: version.merge } } : undefined
}

async function openVersion(context: Context, principal: Principal, seen: SeenDataset): Promise<OpenedSource> {
  const { db } = context
  const parent = await findVersion(db, seen.dataset.id)
  if (!parent) throw notFound()
  if (parent.merge)
    throw invalidValue(
      ['body', 'source', 'dataset_id'],
      'this version has several sources: name it as one of sources (preview/merge shows what that gives), or copy it into a project as a dataset (nmp versions copy) and continue from there',
      parent.id,
    )
  if (!parent.revisionId)
    throw new ServiceError('conflict', 'The source of this version was deleted, so nothing can be derived from it.')
  const ancestors = [...(await listAncestors(db, parent.id)), toAncestor(parent)]
  if (ancestors.length >= maxRecipes)
    throw invalidValue(
      ['body', 'source', 'dataset_id'],
      `at most ${maxRecipes} recipes can be chained, and this version already has ${ancestors.length}; copy it into a project as a dataset and continue from there`,
      parent.id,
    )
  const root = await getRevision(db, parent.revisionId)
  const closed = await listClosedSources(db, [root.datasetId], readerOf(principal))
  const rootModel = await getReadModel(context, root)
  return { seen, parent, ancestors, root, rootModel, isRootOpen: closed.length === 0 }
}

const toAncestor = (version: Version): OpenedSource['ancestors'][number] => ({
  ancestorId: version.id,
  orgId: version.orgId,
  slug: version.slug,
  version: version.version,
  datasetId: version.datasetId,
  sourceOrgId: version.sourceOrgId,
  recipe: version.recipe,
  recipeDigest: version.recipeDigest,
  annotations: version.annotations,
  cuts: version.cuts,
  checks: version.checks,
})

/** What another organization has withdrawn is not copied any more; one's own is pinned and stays. */
export async function requireOpenSources({ db }: Context, principal: Principal, version: Version): Promise<void> {
  const steps = [...(version.ancestors.length > 0 ? await listAncestors(db, version.id) : []), version]
  const merged = (version.merge?.sources ?? []).flatMap(({ foreign, source, source_org_id: other }) => [
    ...foreign,
    ...(other === version.orgId ? [] : [source.dataset_id]),
  ])
  const foreign = steps.filter(({ orgId: own, sourceOrgId: other }) => own !== other)
  const ids = [...foreign.map(({ datasetId: id }) => id), ...merged]
  const closed = await listClosedSources(db, ids, readerOf(principal))
  if (closed.length > 0)
    throw new ServiceError('conflict', 'You may no longer read the source of this version, so it cannot be exported.')
}
