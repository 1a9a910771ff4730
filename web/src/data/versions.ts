import type { CreateVersion, DerivedDatasetVersion, QueueExport } from '@nmp/sdk/generated/records'
import { queryOptions } from '@tanstack/react-query'
import { client } from '../session/client.ts'
import { askWhileMeasuring } from './size-estimate.ts'

const isBusy = ({ status, export_artifacts: forms }: DerivedDatasetVersion) =>
  status === 'materializing' || forms.some((form) => form.status === 'queued' || form.status === 'running')

/** The newest two hundred. */
export const versionsQuery = (org: string, project?: string) =>
  queryOptions({
    queryKey: ['versions', org, project],
    queryFn: async ({ signal }) =>
      (
        await client.versions.listVersions(
          { org_slug: org, limit: 200, ...(project ? { project_slug: project } : {}) },
          { signal },
        )
      ).items,
    refetchInterval: (query) => (query.state.data?.some(isBusy) ? 3000 : false),
  })

export const datasetVersionsQuery = (org: string, project: string, datasetId: string) =>
  queryOptions({
    ...versionsQuery(org, project),
    select: (versions: DerivedDatasetVersion[]) => versions.filter(({ source }) => source.dataset_id === datasetId),
  })

export const versionQuery = (org: string, id: string) =>
  queryOptions({
    queryKey: ['version', id],
    queryFn: async ({ signal }) =>
      (await client.versions.getDerivedVersion({ org_slug: org, version_id: id }, { signal })).item,
    refetchInterval: (query) => (query.state.data && isBusy(query.state.data) ? 2000 : false),
  })

/** A picture of it, null where it has no camera. */
export const thumbnailQuery = (id: string) =>
  queryOptions({
    queryKey: ['thumbnail', id],
    queryFn: async ({ signal }) =>
      (await client.catalog.getThumbnails({ dataset_id: id }, { signal })).item.urls[0] ?? null,
    staleTime: 30 * 60_000,
  })

export const exportJobsQuery = (org: string, versionId: string, isMoving: boolean) =>
  queryOptions({
    queryKey: ['export-jobs', versionId],
    queryFn: async ({ signal }) =>
      (await client.exports.listExportJobs({ org_slug: org, version_id: versionId, limit: 50 }, { signal })).items,
    refetchInterval: isMoving ? 1500 : false,
  })

export const createVersion = (org: string, body: CreateVersion) =>
  client.versions.createVersion({ org_slug: org, body })

export const renameVersion = (org: string, id: string, name: string) =>
  client.versions.changeVersion({ org_slug: org, version_id: id, body: { name } })

export const changeVisibility = (org: string, id: string, visibility: 'private' | 'public') =>
  client.versions.changeVersion({ org_slug: org, version_id: id, body: { visibility } })

interface CopyWish {
  org: string
  project: string
  slug: string
  title: string
}

/** Answers the import that makes the copy. */
export const copyVersion = (version: DerivedDatasetVersion, { org, project, slug, title }: CopyWish) =>
  client.versions.copyVersion({
    org_slug: version.org_slug,
    version_id: version.id,
    body: { org_slug: org, project_slug: project, dataset_slug: slug, title },
  })

export const deleteVersion = (org: string, id: string) =>
  client.versions.deleteVersion({ org_slug: org, version_id: id })

export const queueExport = (org: string, id: string) =>
  client.exports.queueExport({ org_slug: org, version_id: id, body: { artifact_keys: ['lerobot'] } })

/** Every form there is, with what each would be for this version, with these options by its key. */
export const exportTargetsQuery = (org: string, id: string, options?: Record<string, Record<string, unknown>>) =>
  queryOptions({
    queryKey: ['export-targets', id, options],
    queryFn: async ({ signal }) => {
      const wishes = options && { options: JSON.stringify(options) }
      return (await client.versions.listExportTargets({ org_slug: org, version_id: id, ...wishes }, { signal })).items
    },
    refetchInterval: ({ state: { data } }) => askWhileMeasuring(data?.find(({ estimate }) => estimate === 'measuring')),
    staleTime: 60_000,
  })

type ArtifactKey = QueueExport['artifact_keys'][number]

/** Several in one request: what more than one of them decodes is decoded once. */
export const queueExportOf = (
  org: string,
  id: string,
  keys: readonly string[],
  options: Readonly<Record<string, Record<string, unknown>>>,
) =>
  client.exports.queueExport({
    org_slug: org,
    version_id: id,
    body: {
      artifact_keys: keys as ArtifactKey[],
      ...(Object.keys(options).length > 0 ? { options } : {}),
    },
  })

export const cancelExport = (org: string, id: string, jobId: string) =>
  client.exports.cancelExportJob({ org_slug: org, version_id: id, job_id: jobId })

export const getDownloadUrl = (org: string, id: string, key: string) =>
  client.exports.getArtifactDownloadUrl({ org_slug: org, version_id: id, artifact_key: key })
