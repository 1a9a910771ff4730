import { Readable } from 'node:stream'
import type { OrgGrant, ProjectGrant } from '../access/access.ts'
import type { Caller, Principal } from '../access/principal.ts'
import { holdsProjectRole } from '../access/roles.ts'
import { recordAudit } from '../audit/service.ts'
import { programVersion } from '../config.ts'
import type { Context } from '../context.ts'
import { claimVersionName } from '../datasets/names/service.ts'
import { summarize } from '../datasets/read-model/build.ts'
import type { SeenDataset } from '../datasets/seen-dataset.ts'
import { type Database, inTransaction, type Transaction } from '../db/database.ts'
import { insufficientRole, notFound, ServiceError } from '../errors.ts'
import { createId } from '../ids.ts'
import { findProjectGrant } from '../organizations/projects/service.ts'
import { publishBlobs, stageBlob } from '../storage/blobs.ts'
import { pinCard } from './card.ts'
import { hashChain, planChain } from './chain.ts'
import { deriveReadModel } from './derive-read-model.ts'
import { estimateBytes } from './estimate.ts'
import { findAnnotations, keepAnnotated } from './find-annotations.ts'
import { findMade, type RequestKey } from './idempotency.ts'
import { artifactOwner, lerobotPath, manifestPath } from './owners.ts'
import type { RecipePlan } from './plan.ts'
import { writeManifest } from './present.ts'
import { holdVersion } from './reading/repository.ts'
import { hashRecipe, normalizeRecipe, type Recipe, type RecipeBody } from './recipe.ts'
import * as repository from './repository.ts'
import { resolveCuts } from './resolve-cuts.ts'
import { getVersion, type Version } from './service.ts'
import { type OpenedSource, openSource, type SourceRequest } from './source.ts'
import type { VersionSource } from './tables.ts'

/** Where the caller wants the version, or may put it: the source's own project, else `default`. */
async function chooseProject(
  db: Database,
  principal: Principal,
  org: OrgGrant,
  seen: SeenDataset,
  asked: string | undefined,
): Promise<ProjectGrant> {
  const canWriteAtSource = seen.org.id === org.id && seen.role !== null && holdsProjectRole(seen.role, 'editor')
  const slug = asked ?? (canWriteAtSource ? seen.project.slug : 'default')
  const project = await findProjectGrant(db, org, principal.userId, slug)
  if (!project) throw notFound()
  if (!holdsProjectRole(project.role, 'editor')) throw insufficientRole('editor of the project')
  return project
}

export interface NewVersion {
  slug: string
  name: string
  project_slug?: string | null
  source: SourceRequest
  recipe: RecipeBody
}

export interface CreatedVersion {
  row: Version
  /** The key was known: the version is the one it was made for. */
  replayed: boolean
}

export async function createVersion(
  context: Context,
  caller: Caller,
  org: OrgGrant,
  body: NewVersion,
  key: RequestKey | null,
): Promise<CreatedVersion> {
  const source = await openSource(context, caller, body.source)
  const project = await chooseProject(context.db, caller, org, source.seen, body.project_slug ?? undefined)
  // First of all: what has changed since the request was first sent does not matter to its repetition.
  const made = await findMade(context.db, project.id, key)
  if (made) return { row: made, replayed: true }
  const recipe = normalizeRecipe(body.recipe)
  const cutSource = { place: source.root, root: source.rootModel, earlier: source.ancestors }
  const set = await findAnnotations(context, source.seen, recipe)
  const cuts = await resolveCuts(context, cutSource, { recipe, annotations: set })
  const link = { recipe, cuts, annotations: set }
  const { source: model, plan, stored } = planChain(source.rootModel, source.ancestors, link)
  const annotations = keepAnnotated(set, plan)
  refuseConflicts(project, source.seen)
  const { manifest: derived } = deriveReadModel(model, recipe, plan, annotations)
  const sizeBytes = await estimateBytes(context, source.root, source.rootModel, stored)
  const summary = summarize({ ...derived, size_bytes: sizeBytes })
  const pinned: Recipe = { ...recipe, annotation_set_version: annotations?.header.annotation_set_version ?? null }
  return inTransaction(context.db, async (trx) => {
    if (key) await repository.lockKey(trx, project.id, key.key)
    const madeMeanwhile = await findMade(trx, project.id, key)
    if (madeMeanwhile) return { row: madeMeanwhile, replayed: true }
    await claimVersionName(trx, project.id, body.slug)
    // Held until the end: who deletes the source meanwhile learns of this version.
    if (source.parent && !(await holdVersion(trx, source.parent.id))) throw notFound()
    const described = await describeVersion(trx, {
      commit: context.commit,
      userId: caller.userId,
      org,
      project,
      opened: source,
      asked: body,
      recipe: pinned,
      plan,
    })
    const { card, facts, sha256 } = await pinCard(trx, source)
    const row = {
      ...described,
      provenance: { ...described.provenance, card: facts },
      checksums: { ...described.checksums, card_sha256: sha256 },
    }
    const planned = { checksumSha256: null, sizeBytes: null, jobId: null, errorMessage: null }
    const manifest = Buffer.from(
      writeManifest({
        ...row,
        name: body.name,
        status: 'materialization_required',
        description: '',
        tags: [],
        visibility: 'private',
        publishedAt: null,
        artifacts: [
          { key: 'manifest', status: 'ready', path: manifestPath(row.id), ...planned },
          { key: 'lerobot', status: 'planned', path: lerobotPath(row.id), ...planned },
        ],
        updatedAt: row.createdAt,
      }),
    )
    const blob = await stageBlob(context.storage, { id: row.id, epoch: 0 }, Readable.from([manifest]))
    await publishBlobs(trx, artifactOwner(row.id, org.id), [{ logicalPath: 'manifest.json', ...blob }])
    const { orgId: _org, orgSlug: _orgSlug, projectSlug: _project, ancestors: _shown, ...columns } = row
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
        cuts: cuts && JSON.stringify(cuts),
        summary: JSON.stringify(summary),
        card: JSON.stringify(card),
        idempotencyKey: key?.key ?? null,
        idempotencyFingerprint: key?.fingerprint ?? null,
      },
      [
        {
          versionId: row.id,
          key: 'manifest',
          status: 'ready',
          path: manifestPath(row.id),
          checksumSha256: blob.sha256,
          sizeBytes: blob.sizeBytes,
        },
        { versionId: row.id, key: 'lerobot', status: 'planned', path: lerobotPath(row.id) },
      ],
    )
    await repository.insertAncestors(trx, row.id, source.ancestors)
    await recordAudit(trx, caller, {
      action: 'version.create',
      resource: { kind: 'version', id: row.id },
      orgId: org.id,
      detail: { slug: row.slug, version: row.version, dataset_id: row.datasetId },
    })
    return { row: await getVersion(trx, row.id), replayed: false }
  })
}

function refuseConflicts(project: ProjectGrant, { dataset }: SeenDataset): void {
  if (project.status === 'archived')
    throw new ServiceError('conflict', `The project ${project.slug} is archived. Reactivate it to derive versions.`)
  if (dataset.deletionRequestedAt)
    throw new ServiceError('conflict', `The dataset ${dataset.slug} is being deleted. Restore it to derive versions.`)
}

interface VersionParts {
  /** Of the program that derives it. */
  commit: Context['commit']
  userId: string
  org: OrgGrant
  project: ProjectGrant
  opened: OpenedSource
  asked: NewVersion
  recipe: Recipe
  plan: RecipePlan
}

async function describeVersion(trx: Transaction, parts: VersionParts) {
  const { commit, userId, org, project, opened, recipe, plan } = parts
  const { slug, source: asked } = parts.asked
  const { seen, root, ancestors, isRootOpen } = opened
  const createdAt = await repository.readClock(trx)
  const recipeDigest = hashRecipe(recipe)
  const source = describeSource(asked, opened)
  return {
    id: createId('ver'),
    orgId: org.id,
    orgSlug: org.slug,
    projectId: project.id,
    projectSlug: project.slug,
    slug,
    version: await repository.takeNumber(trx, project.id, slug),
    datasetKind: asked.dataset_kind,
    datasetId: seen.dataset.id,
    revisionId: root.id,
    sourceOrgId: seen.org.id,
    source,
    recipe,
    recipeDigest,
    selectedCount: recipe.selected_episode_indices?.length ?? 0,
    excludedCount: recipe.excluded_episode_indices?.length ?? 0,
    episodeCount: plan.episodes.length,
    frameCount: plan.frameCount,
    provenance: {
      created_by: userId,
      created_at: createdAt.toISOString(),
      program: 'nmp',
      program_version: programVersion,
      program_commit: commit,
      root_dataset_id: root.datasetId,
      root_revision_id: root.id,
      root_revision_number: root.number,
      source_layout: root.summary.source_layout,
      source_version: root.summary.source_version,
      source_uri: isRootOpen ? root.sourceUri : null,
      source_import_id: isRootOpen ? root.importId : null,
    },
    checksums: {
      source_sha256: nameContent(root.digest, ancestors),
      source_read_model_sha256: source.source_revision,
      recipe_sha256: recipeDigest,
    },
    ancestors: ancestors.map(({ ancestorId: id, slug: called, version, recipe: own }) => ({
      versionId: id,
      slug: called,
      version,
      recipe: { ...own, notes: null },
    })),
    createdBy: userId,
    createdAt,
  }
}

/** What a version is pinned to: a revision, or the recipes that lead from one to the version it is derived from. */
function describeSource(
  asked: SourceRequest,
  { seen, parent, root, ancestors, isRootOpen }: OpenedSource,
): VersionSource {
  return {
    dataset_kind: asked.dataset_kind,
    dataset_id: seen.dataset.id,
    repo_id: isRootOpen ? root.hfRepoId : null,
    title: seen.dataset.title,
    source_revision: nameContent(root.readModelDigest, ancestors),
    revision_id: parent?.id ?? root.id,
    revision_number: parent?.version ?? root.number,
    hf_revision: isRootOpen ? root.hfRevision : null,
  }
}

const nameContent = (rootDigest: string, ancestors: OpenedSource['ancestors']): string =>
  ancestors.length === 0 ? rootDigest : hashChain(rootDigest, ancestors)
