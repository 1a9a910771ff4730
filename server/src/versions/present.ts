import { viewerRoute } from '../datasets/viewer-route.ts'
import type { StoredSource } from './merge/stored-merge.ts'
import { normalizeRecipe } from './recipe/recipe.ts'
import type { Artifact, Version } from './repository.ts'
import { findTarget } from './targets.ts'

const labels: Readonly<Record<string, string>> = { manifest: 'Manifest', lerobot: 'LeRobot v3 dataset' }

const presentArtifact = (row: Artifact) => ({
  key: row.key,
  label: labels[row.key] ?? findTarget(row.key)?.title ?? row.key,
  kind: row.key,
  path: row.path,
  media_type: row.key === 'manifest' ? 'application/json' : 'application/x-tar',
  status: row.status,
  checksum_sha256: row.checksumSha256,
  size_bytes: row.sizeBytes,
  job_id: row.jobId,
  error_message: row.errorMessage,
})

/** What a record shows of a version. */
type ShownVersion = Pick<
  Version,
  | 'id'
  | 'orgSlug'
  | 'projectSlug'
  | 'slug'
  | 'name'
  | 'version'
  | 'status'
  | 'source'
  | 'recipe'
  | 'merge'
  | 'ancestors'
  | 'selectedCount'
  | 'excludedCount'
  | 'description'
  | 'tags'
  | 'visibility'
  | 'publishedAt'
  | 'provenance'
  | 'checksums'
  | 'episodeCount'
  | 'frameCount'
  | 'createdBy'
  | 'createdAt'
  | 'updatedAt'
> & { artifacts: Artifact[] }

/** Of a list the recipe is null: it may be long. */
const presentSource = (stored: StoredSource, place: number) => ({
  source_index: place,
  ...stored.source,
  recipe: stored.recipe && normalizeRecipe(stored.recipe),
  map: stored.map,
  confirm: stored.confirm,
  weight: stored.weight,
  sample: stored.sample,
  episode_count: stored.episode_count,
  frame_count: stored.frame_count,
})

export const presentVersion = (row: ShownVersion) => ({
  id: row.id,
  org_slug: row.orgSlug,
  slug: row.slug,
  name: row.name,
  source: row.source,
  ...(row.merge && {
    sources: row.merge.sources.map(presentSource),
    seed: row.merge.seed,
    task_weights: row.merge.task_weights,
    task_samples: row.merge.task_samples ?? null,
  }),
  recipe: normalizeRecipe(row.recipe),
  composition: row.ancestors.map((ancestor) => ({
    version_id: ancestor.versionId,
    slug: ancestor.slug,
    version: ancestor.version,
    recipe: normalizeRecipe(ancestor.recipe),
  })),
  recipe_counts: { selected_episode_indices: row.selectedCount, excluded_episode_indices: row.excludedCount },
  description: row.description,
  tags: row.tags,
  visibility: row.visibility,
  published_at: row.publishedAt?.toISOString() ?? null,
  export_artifacts: row.artifacts.map(presentArtifact),
  provenance: row.provenance,
  checksums: {
    ...row.checksums,
    ...Object.fromEntries(
      row.artifacts.map(({ key, checksumSha256: sum }) => [`${key}_sha256`, sum]).filter(([, sum]) => sum !== null),
    ),
  },
  schema_version: '1.0.0' as const,
  kind: 'derived_dataset_version_manifest' as const,
  project_slug: row.projectSlug,
  version: row.version,
  status: row.status,
  lerobot_version: 'v3' as const,
  viewer_route: viewerRoute(row),
  episode_count: row.episodeCount,
  frame_count: row.frameCount,
  created_by: row.createdBy,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
})

/** The artifact `manifest`: the whole record as it was when the version was made. It is never written again, so its checksum holds; its own entry has none, since no file can hold its own. */
export const writeManifest = (row: ShownVersion): string => JSON.stringify(presentVersion(row), null, 2)
