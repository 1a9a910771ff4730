import { Type } from 'typebox'
import { viewerRoute } from '../datasets/viewer-route.ts'
import { nullable, oneOf, timestamp } from '../http/schemas.ts'
import { normalizeRecipe, recipeRecord } from './recipe.ts'
import type { Artifact, Version } from './repository.ts'

export const versionStatuses = ['materialization_required', 'materializing', 'materialized', 'failed'] as const
const artifactStatuses = ['planned', 'queued', 'running', 'ready', 'failed'] as const

const artifact = Type.Object(
  {
    key: oneOf(['manifest', 'lerobot']),
    label: Type.String(),
    kind: oneOf(['manifest', 'lerobot']),
    path: Type.String(),
    media_type: Type.String(),
    status: oneOf(artifactStatuses),
    checksum_sha256: nullable(Type.String()),
    size_bytes: nullable(Type.Integer()),
    job_id: nullable(Type.String()),
    error_message: nullable(Type.String()),
  },
  { $id: 'VersionArtifact' },
)

export const versionRecord = Type.Object(
  {
    id: Type.String(),
    org_slug: Type.String(),
    slug: Type.String(),
    name: Type.String(),
    source: Type.Object({
      dataset_kind: oneOf(['catalog', 'project', 'version']),
      dataset_id: Type.String(),
      repo_id: nullable(Type.String()),
      title: Type.String(),
      source_revision: Type.String({ description: 'Digest of the read model that the version is pinned to.' }),
      revision_id: Type.String({ description: 'Of a version: its own id, which pins it.' }),
      revision_number: Type.Integer({ description: 'Of a version: its number.' }),
      hf_revision: nullable(Type.String()),
    }),
    recipe: recipeRecord,
    composition: Type.Array(
      Type.Object({ version_id: Type.String(), slug: Type.String(), version: Type.Integer(), recipe: recipeRecord }),
      {
        description:
          'The versions between the original dataset (`provenance.root_dataset_id`) and this one, oldest first: their recipes are applied before its own. Empty for a version of a dataset.',
      },
    ),
    recipe_counts: Type.Object(
      { selected_episode_indices: Type.Integer(), excluded_episode_indices: Type.Integer() },
      { description: 'Lengths of the index lists; in a list of versions, those of over 1,000 entries are null.' },
    ),
    description: Type.String(),
    tags: Type.Array(Type.String()),
    visibility: oneOf(['private', 'public']),
    published_at: nullable(timestamp),
    export_artifacts: Type.Array(artifact),
    provenance: Type.Record(Type.String(), Type.Unknown()),
    checksums: Type.Record(Type.String(), Type.Unknown()),
    schema_version: Type.Literal('1.0.0'),
    kind: Type.Literal('derived_dataset_version_manifest'),
    project_slug: Type.String(),
    version: Type.Integer(),
    status: oneOf(versionStatuses),
    lerobot_version: Type.Literal('v3'),
    viewer_route: Type.String(),
    episode_count: Type.Integer(),
    frame_count: Type.Integer(),
    created_by: nullable(Type.String()),
    created_at: timestamp,
    updated_at: timestamp,
  },
  { $id: 'DerivedDatasetVersion' },
)

const described = {
  manifest: { label: 'Manifest', media_type: 'application/json' },
  lerobot: { label: 'LeRobot v3 dataset', media_type: 'application/x-tar' },
} as const

const presentArtifact = (row: Artifact) => ({
  key: row.key,
  label: described[row.key].label,
  kind: row.key,
  path: row.path,
  media_type: described[row.key].media_type,
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

export const presentVersion = (row: ShownVersion) => ({
  id: row.id,
  org_slug: row.orgSlug,
  slug: row.slug,
  name: row.name,
  source: row.source,
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

/** The version's page in the console. */

/** The artifact `manifest`: the whole record as it was when the version was made. It is never written again, so its checksum holds; its own entry has none, since no file can hold its own. */
export const writeManifest = (row: ShownVersion): string => JSON.stringify(presentVersion(row), null, 2)
