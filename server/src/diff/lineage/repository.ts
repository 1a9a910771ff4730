import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { JobState } from '../../jobs/tables.ts'

/** Rows of one kind that a step finds: more than any picture shows. */
const mostRows = 400

export interface DatasetNode {
  id: string
  slug: string
  title: string
  orgSlug: string
  projectSlug: string
  projectId: string
  isPublic: boolean
}

export const listDatasets = async (db: Database, ids: readonly string[]): Promise<DatasetNode[]> => {
  const { rows } = await sql<DatasetNode>`
    select dataset.id, dataset.slug, dataset.title, org.slug as "orgSlug", project.slug as "projectSlug",
      project.id as "projectId", dataset.visibility = 'public' as "isPublic"
    from datasets dataset join projects project on project.id = dataset.project_id
      join organizations org on org.id = project.org_id
    where dataset.id = any(${ids}::text[]) and dataset.deletion_requested_at is null`.execute(db)
  return rows
}

export interface RevisionNode {
  id: string
  datasetId: string
  number: number
  isShown: boolean
  isPublic: boolean
  episodeCount: number
  createdAt: Date
  importId: string | null
  sourceKind: string
  hfRepoId: string | null
  pushId: string | null
  /** Of a copy of a version, which may be gone. */
  copiedVersionId: string | null
}

/** With the import that made each, and the push that the import came by. */
export const listRevisions = async (db: Database, datasetIds: readonly string[]): Promise<RevisionNode[]> => {
  const { rows } = await sql<RevisionNode>`
    select revision.id, revision.dataset_id as "datasetId", revision.number,
      dataset.current_revision_id = revision.id as "isShown", revision.is_public as "isPublic",
      (revision.summary->>'total_episodes')::integer as "episodeCount", revision.created_at as "createdAt",
      revision.import_id as "importId", revision.source_kind as "sourceKind", revision.hf_repo_id as "hfRepoId",
      push.id as "pushId", import.version_id as "copiedVersionId"
    from dataset_revisions revision join datasets dataset on dataset.id = revision.dataset_id
      left join imports import on import.id = revision.import_id
      left join lateral (
        select id from hub_pushes where hub_pushes.import_id = revision.import_id order by created_at desc limit 1
      ) push on true
    where revision.dataset_id = any(${datasetIds}::text[])
    order by revision.dataset_id, revision.number desc limit ${mostRows}`.execute(db)
  return rows
}

export interface VersionNode {
  id: string
  slug: string
  version: number
  name: string
  orgSlug: string
  projectSlug: string
  projectId: string
  isPublic: boolean
  status: string
  episodeCount: number
  createdAt: Date
  /** What it was derived from: a version where `sourceKind` says so. */
  sourceId: string
  sourceKind: string
  sourceRevisionId: string
  sourceTitle: string
}

/** By their own ids, or by what they were derived from; of several sources, a row for each. */
export const listVersions = async (
  db: Database,
  by: { ids: readonly string[]; sourceIds: readonly string[] },
): Promise<VersionNode[]> => {
  // Each by its own index: asked for by `or`, all versions were read.
  const { rows } = await sql<VersionNode>`
    with wanted as (
      select id from versions where id = any(${by.ids}::text[])
      union select id from versions where dataset_id = any(${by.sourceIds}::text[])
      union select id from versions where merge is not null
    )
    select version.id, version.slug, version.version, version.name, org.slug as "orgSlug",
      project.slug as "projectSlug", project.id as "projectId", version.visibility = 'public' as "isPublic",
      version.status, version.episode_count as "episodeCount", version.created_at as "createdAt",
      told.source->>'dataset_id' as "sourceId", told.source->>'dataset_kind' as "sourceKind",
      told.source->>'revision_id' as "sourceRevisionId", told.source->>'title' as "sourceTitle"
    from wanted join versions version using (id) join projects project on project.id = version.project_id
      join organizations org on org.id = project.org_id
      cross join lateral (
        select version.source where version.merge is null
        union all select part -> 'source' from jsonb_array_elements(version.merge -> 'sources') part
      ) as told (source)
    where version.id = any(${by.ids}::text[]) or version.dataset_id = any(${by.sourceIds}::text[])
      or (version.merge is not null and told.source->>'dataset_id' = any(${by.sourceIds}::text[]))
    order by version.id desc limit ${mostRows}`.execute(db)
  return rows
}

export interface ExportNode {
  id: string
  versionId: string
  artifactKey: string
  state: JobState
  createdAt: Date
}

/** The newest of each form. */
export const listExports = async (db: Database, versionIds: readonly string[]): Promise<ExportNode[]> => {
  const { rows } = await sql<ExportNode>`
    select distinct on (export.version_id, export.artifact_key) export.id, export.version_id as "versionId",
      export.artifact_key as "artifactKey", job.state, job.created_at as "createdAt"
    from exports export join jobs job on job.id = export.id
    where export.version_id = any(${versionIds}::text[])
    order by export.version_id, export.artifact_key, job.created_at desc limit ${mostRows}`.execute(db)
  return rows
}

/** Datasets that copies of versions went into. */
export const listCopies = async (db: Database, versionIds: readonly string[]): Promise<string[]> => {
  const { rows } = await sql<{ datasetId: string }>`
    select distinct dataset_id as "datasetId" from imports
    where version_id = any(${versionIds}::text[]) and dataset_id is not null limit ${mostRows}`.execute(db)
  return rows.map(({ datasetId }) => datasetId)
}
