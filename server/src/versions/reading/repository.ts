import type { DatasetCard } from '@nmp/formats/card/dataset-card'
import { sql } from 'kysely'
import type { ProjectRole } from '../../access/roles.ts'
import type { RevisionSummary } from '../../datasets/revision-summary.ts'
import type { MergedPart } from '../../datasets/seen-dataset.ts'
import type { Database, Transaction } from '../../db/database.ts'
import { prepared } from '../../db/prepared.ts'
import type { ArtifactStatus, VersionSource } from '../tables.ts'

/** As much of a version as reading one page needs: a recipe may be megabytes, and is read when its model is made. */
export interface ReadableVersion {
  id: string
  projectId: string
  projectSlug: string
  orgId: string
  orgSlug: string
  slug: string
  version: number
  name: string
  source: VersionSource
  recipeDigest: string
  summary: RevisionSummary | null
  /** Pinned when it was made; null in versions from before there were cards. */
  card: DatasetCard | null
  createdBy: string | null
  createdAt: Date
  updatedAt: Date
  role: ProjectRole | null
  /** Of the artifact `lerobot`. */
  exportStatus: ArtifactStatus
  exportId: string | null
  /** Whether the export left a read model of its own; those of older programs did not. */
  hasModel: boolean
  /** The revision whose files all of it began with; null once that was deleted. */
  revision: { id: string; orgId: string; digest: string; readModelDigest: string; summary: RevisionSummary } | null
  /** The dataset of that revision. */
  sourceDataset: { licence: string | null; citation: string | null; tags: string[] } | null
  /** Whether the person may read that dataset. */
  isSourceOpen: boolean
  /** What it, or a version between it and the dataset, was derived from in another organization. */
  foreignSources: string[]
  description: string
  tags: string[]
  visibility: 'private' | 'public'
  publishedAt: Date | null
  /** What several sources are, where there are several. */
  merged: MergedPart[] | null
  /** The revision whose files each of them began with; null once that was deleted. */
  mergedRoots: (MergedRoot | null)[] | null
  /** As of a dataset: `SET/FIELD`. */
  annotationKeys: string[]
}

export interface MergedRoot {
  id: string
  orgId: string
  readModelDigest: string
  datasetId: string
}

/**
 * The role a person has in a project; the organization's admins have all. Asked beside the rows instead of joined to them: PostgreSQL
 * took longer to choose an order for eleven joins than to answer.
 */
const roleIn = (project: string, user: string) =>
  sql`(select case when member.role = 'admin' then 'admin' else held.role end
    from org_members member left join project_members held on held.project_id = ${sql.ref(`${project}.id`)} and held.user_id = ${user}
    where member.org_id = ${sql.ref(`${project}.org_id`)} and member.user_id = ${user})`

export const findReadableVersion = async (
  db: Database,
  id: string,
  userId: string | undefined,
): Promise<ReadableVersion | undefined> => (await listReadableVersions(db, [id], userId))[0]

export const listReadableVersions = async (
  db: Database,
  ids: readonly string[],
  userId: string | undefined,
): Promise<ReadableVersion[]> => {
  const user = userId ?? ''
  const { rows } = await sql<ReadableVersion>`${prepared('readable-versions')}
    select version.id, version.project_id as "projectId", project.slug as "projectSlug", org.id as "orgId",
      org.slug as "orgSlug", version.slug, version.version, version.name, version.source,
      version.recipe_digest as "recipeDigest", version.summary, version.card, version.created_by as "createdBy",
      version.created_at as "createdAt", version.updated_at as "updatedAt",
      (select jsonb_agg(jsonb_build_object('datasetId', part #>> '{source,dataset_id}',
        'revision', part #>> '{source,revision_id}', 'episodeCount', part -> 'episode_count') order by place)
        from jsonb_array_elements(version.merge -> 'sources') with ordinality as listed (part, place)) as merged,
      (select jsonb_agg(case when root.id is not null then jsonb_build_object('id', root.id, 'orgId', root_project.org_id,
          'readModelDigest', root.read_model_digest, 'datasetId', root.dataset_id) end order by place)
        from jsonb_array_elements(version.merge -> 'sources') with ordinality as listed (part, place)
          left join dataset_revisions root on root.id = part ->> 'root_revision_id'
          left join datasets root_dataset on root_dataset.id = root.dataset_id
          left join projects root_project on root_project.id = root_dataset.project_id) as "mergedRoots",
      version.description, version.tags, version.visibility, version.published_at as "publishedAt",
      array(select dataset_id from version_ancestors where version_id = version.id and source_org_id <> org_id
        union all select version.dataset_id where version.source_org_id <> org.id
        union all select part #>> '{source,dataset_id}' from jsonb_array_elements(version.merge -> 'sources') part
          where part ->> 'source_org_id' <> org.id
        union all select jsonb_array_elements_text(part -> 'foreign')
          from jsonb_array_elements(version.merge -> 'sources') part) as "foreignSources",
      array(select annotations.name || '/' || key
        from annotation_sets annotations cross join unnest(annotations.keys) with ordinality as said (key, place)
        where annotations.version_id = version.id and annotations.deleted_at is null
        order by annotations.name collate "C", place limit 200) as "annotationKeys",
      ${roleIn('project', user)} as role,
      artifact.status as "exportStatus", artifact.job_id as "exportId",
      exists (select from blob_references where owner_kind = 'artifact' and owner_id = version.id
        and logical_path = 'read-model/manifest.json') as "hasModel",
      case when revision.id is not null then jsonb_build_object('id', revision.id, 'orgId', source_project.org_id,
        'digest', revision.digest, 'readModelDigest', revision.read_model_digest, 'summary', revision.summary)
        end as revision,
      case when source.id is not null then jsonb_build_object('licence', source.licence, 'citation', source.citation,
        'tags', to_jsonb(source.tags)) end as "sourceDataset",
      coalesce((source.visibility = 'public' and source.deletion_requested_at is null)
        or ${roleIn('source_project', user)} is not null, false) as "isSourceOpen"
    from versions version
      join projects project on project.id = version.project_id
      join organizations org on org.id = project.org_id
      join version_artifacts artifact on artifact.version_id = version.id and artifact.key = 'lerobot'
      left join dataset_revisions revision on revision.id = version.revision_id
      left join datasets source on source.id = coalesce(revision.dataset_id, version.dataset_id)
      left join projects source_project on source_project.id = source.project_id
    where version.id = any(${[...ids]}::text[])`.execute(db)
  return rows
}

/** Whether the version is there; it stays until the transaction ends. */
export const holdVersion = async (trx: Transaction, id: string): Promise<boolean> => {
  const { rows } = await sql`select from versions where id = ${id} for key share`.execute(trx)
  return rows.length > 0
}
