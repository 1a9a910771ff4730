import type { ChangeProjectDatasetInput } from '@nmp/sdk/generated/datasets'
import { queryOptions } from '@tanstack/react-query'
import { client } from '../session/client.ts'

const place = (org: string, project: string) => ({ org_slug: org, project_slug: project })

export const projectDatasetsQuery = (org: string, project: string) =>
  queryOptions({
    queryKey: ['project-datasets', org, project],
    // Without a limit the list is whole.
    queryFn: ({ signal }) => client.datasets.listProjectDatasets(place(org, project), { signal }),
  })

/** The few that stand for a project; the whole list may be long. */
export const newestDatasetsQuery = (org: string, project: string) =>
  queryOptions({
    queryKey: ['newest-datasets', org, project],
    queryFn: ({ signal }) => client.datasets.listProjectDatasets({ ...place(org, project), limit: 4 }, { signal }),
  })

export type DatasetChange = ChangeProjectDatasetInput['body']

export const changeDataset = (org: string, project: string, slug: string, body: DatasetChange) =>
  client.datasets.changeProjectDataset({ ...place(org, project), dataset_slug: slug, body })

export const deleteDataset = (org: string, project: string, slug: string) =>
  client.datasets.deleteProjectDataset({ ...place(org, project), dataset_slug: slug, confirm: slug })

export const restoreDataset = (org: string, project: string, slug: string) =>
  client.datasets.restoreProjectDataset({ ...place(org, project), dataset_slug: slug })

export const revisionsQuery = (org: string, project: string, slug: string) =>
  queryOptions({
    queryKey: ['revisions', org, project, slug],
    queryFn: ({ signal }) =>
      client.datasets.listDatasetRevisions({ ...place(org, project), dataset_slug: slug }, { signal }),
  })

export const restoreRevision = (org: string, project: string, slug: string, number: number) =>
  client.datasets.restoreDatasetRevision({ ...place(org, project), dataset_slug: slug, number })
