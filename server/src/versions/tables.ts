import type { DatasetCard } from '@nmp/formats/card/dataset-card'
import type { ColumnType, Generated } from 'kysely'
import type { RevisionSummary } from '../datasets/revision-summary.ts'
import type { StoredMerge } from './merge/stored-merge.ts'
import type { SourceKind, VersionSource } from './pinned-source.ts'
import type { StoredAnnotations } from './recipe/annotations.ts'
import type { StoredCuts } from './recipe/cuts.ts'
import type { Recipe } from './recipe/recipe.ts'
import type { StoredChecks } from './recipe/stored-checks.ts'

type DefaultTimestamp = ColumnType<Date, Date | string | undefined, Date | string>
type Json<T> = ColumnType<T, string, never>

export interface DraftTables {
  recipe_drafts: {
    id: string
    user_id: string
    dataset_id: string
    revision: Generated<number>
    slug: Generated<string>
    name: Generated<string>
    recipe: Json<Record<string, unknown>>
    created_at: DefaultTimestamp
    updated_at: DefaultTimestamp
  }
}

export type VersionStatus = 'materialization_required' | 'materializing' | 'materialized' | 'failed'
export type ArtifactStatus = 'planned' | 'queued' | 'running' | 'ready' | 'failed'
/** `manifest`, or a key of the registry of writers. */
export type ArtifactKey = string

export type { SourceKind, VersionSource } from './pinned-source.ts'

export interface VersionTables {
  versions: {
    id: string
    project_id: string
    slug: string
    version: number
    name: string
    status: Generated<VersionStatus>
    dataset_kind: SourceKind
    dataset_id: string
    /** What the first recipe of all begins with. */
    revision_id: string | null
    source_org_id: string
    source: Json<VersionSource>
    recipe: Json<Recipe>
    recipe_digest: string
    selected_count: number
    excluded_count: number
    annotations: ColumnType<StoredAnnotations | null, string | null, never>
    /** Null where the recipe cuts no frames. */
    cuts: ColumnType<StoredCuts | null, string | null | undefined, never>
    /** Null where the recipe does not ask for results of the checks. */
    checks: ColumnType<StoredChecks | null, string | null | undefined, never>
    /** Null where there is one source. */
    merge: ColumnType<StoredMerge | null, string | null | undefined, never>
    merge_parents: ColumnType<string[] | null, string[] | null | undefined, never>
    /** What its exports hold as README.md; null in versions from before there were cards. */
    card: ColumnType<DatasetCard | null, string | null | undefined, never>
    episode_count: number
    frame_count: number
    provenance: Json<Record<string, unknown>>
    checksums: Json<Record<string, unknown>>
    /** Null in versions made before it was kept. */
    summary: ColumnType<RevisionSummary | null, string | null | undefined, string>
    idempotency_key: string | null
    idempotency_fingerprint: string | null
    /** When its data was first made and verified. */
    made_at: ColumnType<Date | null, never, Date>
    created_by: string | null
    created_at: DefaultTimestamp
    updated_at: DefaultTimestamp
    description: Generated<string>
    tags: Generated<string[]>
    visibility: Generated<'private' | 'public'>
    published_at: ColumnType<Date, Date | string, Date | string> | null
  }
  /** Oldest first: what a version was derived from, with everything that is needed to make it again. */
  version_ancestors: {
    version_id: string
    position: number
    ancestor_id: string
    org_id: string
    slug: string
    version: number
    /** What the ancestor itself was derived from, and where. */
    dataset_id: string
    source_org_id: string
    recipe: Json<Recipe>
    recipe_digest: string
    annotations: ColumnType<StoredAnnotations | null, string | null, never>
    cuts: ColumnType<StoredCuts | null, string | null | undefined, never>
    checks: ColumnType<StoredChecks | null, string | null | undefined, never>
  }
  version_numbers: { project_id: string; slug: string; last_version: number }
  version_artifacts: {
    version_id: string
    key: ArtifactKey
    status: ArtifactStatus
    path: string
    job_id: string | null
    checksum_sha256: string | null
    size_bytes: number | null
    error_message: string | null
    updated_at: DefaultTimestamp
  }
}
