import { Readable } from 'node:stream'
import { recordAudit } from '../audit/service.ts'
import { programVersion } from '../config.ts'
import type { Context } from '../context.ts'
import { summarize } from '../datasets/read-model/build.ts'
import { getReadModel } from '../datasets/read-model/cache.ts'
import { findDatasetBySlug, findReadable, type SeenDataset } from '../datasets/service.ts'
import { type Database, inTransaction, type Transaction } from '../db/database.ts'
import { insufficientRole, notFound, ServiceError } from '../errors.ts'
import { cutPage, decodeCursor } from '../http/cursor.ts'
import type { Principal } from '../identity/principal.ts'
import { createId } from '../ids.ts'
import type { OrgGrant, ProjectGrant } from '../organizations/access.ts'
import { findProjectGrant, listAllProjectsOf } from '../organizations/projects/service.ts'
import { holdsProjectRole, type ProjectRole } from '../organizations/roles.ts'
import { publishBlobs, stageBlob } from '../storage/blobs.ts'
import { deriveReadModel } from './derive-read-model.ts'
import { estimateBytes } from './estimate.ts'
import { findAnnotations } from './find-annotations.ts'
import { findMade, type RequestKey } from './idempotency.ts'
import { artifactOwner, lerobotPath, manifestPath } from './owners.ts'
import { planRecipe, type RecipePlan } from './plan.ts'
import { hashRecipe, normalizeRecipe, type Recipe, type RecipeBody } from './recipe.ts'
import { writeManifest } from './record.ts'
import * as repository from './repository.ts'
import type { VersionSource, VersionStatus } from './tables.ts'

export type Version = repository.Version

export interface SourceWish {
  dataset_kind: 'catalog' | 'project'
  dataset_id: string
}

/** `catalog` is what endpoints 13 to 19 show; `project` a dataset of a project the caller has a role in. */
export async function findSource(context: Context, principal: Principal, wish: SourceWish): Promise<SeenDataset> {
  const seen = await findReadable(context, principal, wish.dataset_id)
  if ((wish.dataset_kind === 'project' && seen.role === null) || seen.derived) throw notFound()
  return seen
}

/** Where the caller wants the version, or may put it: the source's own project, else `default`. */
async function chooseProject(
  db: Database,
  principal: Principal,
  org: OrgGrant,
  seen: SeenDataset,
  wish: string | undefined,
): Promise<ProjectGrant> {
  const canWriteAtSource = seen.org.id === org.id && seen.role !== null && holdsProjectRole(seen.role, 'editor')
  const slug = wish ?? (canWriteAtSource ? seen.project.slug : 'default')
  const project = await findProjectGrant(db, org, principal.userId, slug)
  if (!project) throw notFound()
  if (!holdsProjectRole(project.role, 'editor')) throw insufficientRole('editor of the project')
  return project
}

export interface NewVersion {
  slug: string
  name: string
  project_slug?: string | null
  source: SourceWish
  recipe: RecipeBody
}

export interface CreatedVersion {
  row: Version
  /** The key was known: the version is the one it was made for. */
  replayed: boolean
}

export async function createVersion(
  context: Context,
  principal: Principal,
  org: OrgGrant,
  body: NewVersion,
  key: RequestKey | null,
  requestId: string,
): Promise<CreatedVersion> {
  const seen = await findSource(context, principal, body.source)
  const project = await chooseProject(context.db, principal, org, seen, body.project_slug ?? undefined)
  // First of all: what has changed since the request was first sent does not matter to its repetition.
  const made = await findMade(context.db, project.id, key)
  if (made) return { row: made, replayed: true }
  const recipe = normalizeRecipe(body.recipe)
  const model = await getReadModel(context, seen.revision)
  const plan = planRecipe(model, recipe)
  const annotations = await findAnnotations(context, seen, recipe, plan)
  refuseConflicts(project, seen)
  const { manifest: derived } = deriveReadModel(model, recipe, plan, annotations)
  const sizeBytes = await estimateBytes(context, seen.revision, model, plan)
  const summary = summarize({ ...derived, size_bytes: sizeBytes })
  const pinned: Recipe = { ...recipe, annotation_set_version: annotations?.header.annotation_set_version ?? null }
  return inTransaction(context.db, async (trx) => {
    if (key) await repository.lockKey(trx, project.id, key.key)
    const madeMeanwhile = await findMade(trx, project.id, key)
    if (madeMeanwhile) return { row: madeMeanwhile, replayed: true }
    await repository.lockSlug(trx, project.id, body.slug)
    if (await findDatasetBySlug(trx, project.id, body.slug))
      throw new ServiceError('slug_taken', `The project has a dataset ${body.slug}. Choose another slug.`)
    const row = await describeVersion(trx, context, principal, org, project, seen, body, pinned, plan)
    const manifest = Buffer.from(writeManifest(row))
    const blob = await stageBlob(context.storage, { id: row.id, epoch: 0 }, Readable.from([manifest]))
    await publishBlobs(trx, artifactOwner(row.id, org.id), [{ logicalPath: 'manifest.json', ...blob }])
    const { org_id: _org, org_slug: _orgSlug, project_slug: _project, ...columns } = row
    await repository.insertVersion(
      trx,
      {
        ...columns,
        name: body.name,
        source: JSON.stringify(row.source),
        recipe: JSON.stringify(row.recipe),
        provenance: JSON.stringify(row.provenance),
        checksums: JSON.stringify(row.checksums),
        annotations: annotations && JSON.stringify(annotations),
        summary: JSON.stringify(summary),
        idempotency_key: key?.key ?? null,
        idempotency_fingerprint: key?.fingerprint ?? null,
      },
      [
        {
          version_id: row.id,
          key: 'manifest',
          status: 'ready',
          path: manifestPath(row.id),
          checksum_sha256: blob.sha256,
          size_bytes: blob.sizeBytes,
        },
        { version_id: row.id, key: 'lerobot', status: 'planned', path: lerobotPath(row.id) },
      ],
    )
    await recordAudit(trx, principal, {
      action: 'version.create',
      resource: { kind: 'version', id: row.id },
      orgId: org.id,
      detail: { slug: row.slug, version: row.version, dataset_id: row.dataset_id },
      requestId,
    })
    return { row: await getVersion(trx, row.id), replayed: false }
  })
}

function refuseConflicts(project: ProjectGrant, { dataset }: SeenDataset): void {
  if (project.status === 'archived')
    throw new ServiceError(
      'conflict',
      `The project ${project.slug} is archived. Make it active again to derive versions.`,
    )
  if (dataset.deletion_requested_at)
    throw new ServiceError('conflict', `The dataset ${dataset.slug} is being deleted. Restore it to derive versions.`)
}

async function describeVersion(
  trx: Transaction,
  { commit }: Context,
  principal: Principal,
  org: OrgGrant,
  project: ProjectGrant,
  { dataset, revision, org: sourceOrg }: SeenDataset,
  { slug, source: wish }: NewVersion,
  recipe: Recipe,
  plan: RecipePlan,
) {
  const createdAt = new Date()
  const recipeDigest = hashRecipe(recipe)
  const source: VersionSource = {
    dataset_kind: wish.dataset_kind,
    dataset_id: dataset.id,
    repo_id: revision.hfRepoId,
    title: dataset.title,
    source_revision: revision.readModelDigest,
    revision_id: revision.id,
    revision_number: revision.number,
    hf_revision: revision.hfRevision,
  }
  return {
    id: createId('ver'),
    org_id: org.id,
    org_slug: org.slug,
    project_id: project.id,
    project_slug: project.slug,
    slug,
    version: await repository.takeNumber(trx, project.id, slug),
    dataset_kind: wish.dataset_kind,
    dataset_id: dataset.id,
    revision_id: revision.id,
    source_org_id: sourceOrg.id,
    source,
    recipe,
    recipe_digest: recipeDigest,
    selected_count: recipe.selected_episode_indices?.length ?? 0,
    excluded_count: recipe.excluded_episode_indices?.length ?? 0,
    episode_count: plan.episodes.length,
    frame_count: plan.frameCount,
    provenance: {
      created_by: principal.userId,
      created_at: createdAt.toISOString(),
      program: 'nmp',
      program_version: programVersion,
      program_commit: commit,
      source_layout: revision.summary.source_layout,
      source_version: revision.summary.source_version,
      source_uri: revision.sourceUri,
      source_import_id: revision.importId,
    },
    checksums: {
      source_sha256: revision.digest,
      source_read_model_sha256: revision.readModelDigest,
      recipe_sha256: recipeDigest,
    },
    created_by: principal.userId,
    created_at: createdAt,
  }
}

export async function getVersion(db: Database, id: string): Promise<Version> {
  const row = await repository.findVersion(db, id)
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
    limit: number
    cursor?: string
  },
) {
  const seen = (await listAllProjectsOf(db, principal.userId)).filter(
    ({ org_id: id, slug }) => id === org.id && (query.project_slug === undefined || slug === query.project_slug),
  )
  const rows = await repository.listVersions(db, {
    projectIds: seen.map(({ id }) => id),
    status: query.status,
    datasetId: query.source,
    q: query.q,
    limit: query.limit + 1,
    beforeId: decodeCursor(query.cursor),
  })
  return cutPage(rows, query.limit, (row) => row.id)
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

export const { listRevisionsInUse, lockVersion, updateArtifact, updateStatus } = repository
