import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { OrgGrant, ProjectGrant } from '../access/access.ts'
import type { Caller } from '../access/principal.ts'
import { recordAudit } from '../audit/service.ts'
import { writeCanonicalJson } from '../canonical-json.ts'
import { programVersion } from '../config.ts'
import type { Context } from '../context.ts'
import { claimVersionName } from '../datasets/names/service.ts'
import type { RevisionSummary } from '../datasets/revision-summary.ts'
import { inTransaction, type Transaction } from '../db/database.ts'
import { notFound } from '../errors.ts'
import { createId } from '../ids.ts'
import { publishBlobs, stageBlob } from '../storage/blobs.ts'
import { pinCard } from './card.ts'
import { hashChain } from './chain.ts'
import { findMade, type RequestKey } from './idempotency.ts'
import { listParents, type StoredMerge } from './merge/stored-merge.ts'
import { artifactOwner, lerobotPath, manifestPath } from './owners.ts'
import type { PlannedLink } from './plan/plan.ts'
import { writeManifest } from './present.ts'
import { holdVersion } from './reading/repository.ts'
import { hashRecipe, type Recipe } from './recipe/recipe.ts'
import * as repository from './repository.ts'
import { getVersion, type Version } from './service.ts'
import type { OpenedSource, SourceRequest } from './source.ts'
import type { VersionSource } from './tables.ts'

export interface CreatedVersion {
  row: Version
  /** The key was known: the version is the one it was made for. */
  replayed: boolean
}

/** A version whose every part was planned and found possible. */
export interface PreparedVersion {
  org: OrgGrant
  project: ProjectGrant
  name: { slug: string; name: string }
  key: RequestKey | null
  /** The source, or the first of several. */
  asked: SourceRequest
  opened: OpenedSource
  recipe: Recipe
  pinned: Pick<PlannedLink, 'annotations' | 'cuts' | 'checks'>
  counts: { episodeCount: number; frameCount: number }
  summary: RevisionSummary
  /** Set where there are several sources. */
  merge: StoredMerge | null
}

/** Writes the version with its manifest and its audit event, and pins what it is made from. */
export function storeVersion(context: Context, caller: Caller, prepared: PreparedVersion): Promise<CreatedVersion> {
  const { org, project, name, key, opened: source, pinned, summary, merge } = prepared
  const { annotations, cuts, checks } = pinned
  return inTransaction(context.db, async (trx) => {
    if (key) await repository.lockKey(trx, project.id, key.key)
    const madeMeanwhile = await findMade(trx, project.id, key)
    if (madeMeanwhile) return { row: madeMeanwhile, replayed: true }
    await claimVersionName(trx, project.id, name.slug)
    // Held until the end: who deletes the source meanwhile learns of this version.
    for (const id of listParents(source.parent, merge)) if (!(await holdVersion(trx, id))) throw notFound()
    const described = await describeVersion(trx, { ...prepared, commit: context.commit, userId: caller.userId })
    const { card, facts, sha256 } = await pinCard(trx, source)
    const row = {
      ...described,
      provenance: {
        ...described.provenance,
        card: facts,
        ...(checks && { checks: { subject_id: checks.subject_id, results: checks.results } }),
      },
      checksums: { ...described.checksums, card_sha256: sha256 },
    }
    const planned = { checksumSha256: null, sizeBytes: null, jobId: null, errorMessage: null }
    const manifest = Buffer.from(
      writeManifest({
        ...row,
        name: name.name,
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
        name: name.name,
        source: JSON.stringify(row.source),
        recipe: JSON.stringify(row.recipe),
        provenance: JSON.stringify(row.provenance),
        checksums: JSON.stringify(row.checksums),
        annotations: annotations && JSON.stringify(annotations),
        cuts: cuts && JSON.stringify(cuts),
        checks: checks && JSON.stringify(checks),
        merge: merge && JSON.stringify(merge),
        mergeParents: merge ? listParents(source.parent, merge) : null,
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
    await repository.insertAncestors(trx, row.id, merge ? [] : source.ancestors)
    await recordAudit(trx, caller, {
      action: 'version.create',
      resource: { kind: 'version', id: row.id },
      orgId: org.id,
      detail: { slug: row.slug, version: row.version, dataset_id: row.datasetId },
    })
    return { row: await getVersion(trx, row.id), replayed: false }
  })
}

interface VersionParts extends PreparedVersion {
  /** Of the program that derives it. */
  commit: Context['commit']
  userId: string
}

async function describeVersion(trx: Transaction, parts: VersionParts) {
  const { commit, userId, org, project, opened, recipe, asked, counts, merge } = parts
  const { slug } = parts.name
  const { seen, root, isRootOpen } = opened
  // Recipes of several sources stand beside each other and not before the version's own, which has none.
  const ancestors = merge ? [] : opened.ancestors
  const createdAt = await repository.readClock(trx)
  const recipeDigest = merge ? hashMerge(merge) : hashRecipe(recipe)
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
    ...counts,
    merge,
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
      source_sha256: nameContent(root.digest, opened.ancestors),
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
export function describeSource(
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

/** Of everything that decides the bytes: equal ones ask for the same data. */
function hashMerge({ sources, task_weights: byTask }: StoredMerge): string {
  const meaning = sources.map(({ root_revision_id: root, links, map, weight }) => [hashChain(root, links), map, weight])
  return createHash('sha256')
    .update(writeCanonicalJson([meaning, byTask]))
    .digest('hex')
}
