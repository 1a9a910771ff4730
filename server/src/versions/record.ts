import { Type } from 'typebox'
import { nullable, oneOf, timestamp } from '../http/schemas.ts'
import { sourceMap } from './merge/merge-request.ts'
import { recipeRecord } from './recipe/recipe.ts'
import { targetKeys } from './targets.ts'

export const versionStatuses = ['materialization_required', 'materializing', 'materialized', 'failed'] as const
const artifactStatuses = ['planned', 'queued', 'running', 'ready', 'failed'] as const

const artifactKeys = ['manifest', ...targetKeys]

const artifact = Type.Object(
  {
    key: oneOf(artifactKeys),
    label: Type.String(),
    kind: oneOf(artifactKeys),
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

const versionSource = {
  dataset_kind: oneOf(['catalog', 'project', 'version']),
  dataset_id: Type.String(),
  repo_id: nullable(Type.String()),
  title: Type.String(),
  source_revision: Type.String({ description: 'Digest of the read model that the version is pinned to.' }),
  revision_id: Type.String({ description: 'Of a version: its own id, which pins it.' }),
  revision_number: Type.Integer({ description: 'Of a version: its number.' }),
  hf_revision: nullable(Type.String()),
}

export const versionRecord = Type.Object(
  {
    id: Type.String(),
    org_slug: Type.String(),
    slug: Type.String(),
    name: Type.String(),
    source: Type.Object(versionSource, { description: 'Of several sources the first.' }),
    sources: Type.Optional(
      Type.Array(
        Type.Object({
          source_index: Type.Integer(),
          ...versionSource,
          recipe: nullable(recipeRecord),
          map: sourceMap,
          confirm: Type.Array(Type.String()),
          weight: nullable(Type.Number()),
          sample: nullable(Type.Integer()),
          episode_count: Type.Integer(),
          frame_count: Type.Integer(),
        }),
        {
          description:
            'Only of a version of several sources, in their order; in a list of versions their recipes are null.',
        },
      ),
    ),
    seed: Type.Optional(nullable(Type.Integer())),
    task_weights: Type.Optional(nullable(Type.Record(Type.String(), Type.Number()))),
    task_samples: Type.Optional(nullable(Type.Record(Type.String(), Type.Integer()))),
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
