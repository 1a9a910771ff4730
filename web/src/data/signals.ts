import type { DatasetSignals } from '@nmp/sdk/generated/records'
import { queryOptions } from '@tanstack/react-query'
import { client } from '../session/client.ts'
import type { Manifest } from './dataset.ts'
import { isVersionId } from './version-id.ts'

export type { DatasetSignals }

type Place = Pick<Manifest, 'id' | 'org_slug' | 'project_slug' | 'slug' | 'role'>
const placeOf = ({ org_slug, project_slug, slug }: Place) => ({ org_slug, project_slug, dataset_slug: slug })

const followMs = 1000

export const isMeasuring = (signals: DatasetSignals | undefined): boolean =>
  signals?.run.status === 'queued' || signals?.run.status === 'running'

/** Which columns are state and action: of a dataset, for people of its project. Versions have those of their source. */
export const signalsQuery = (dataset: Place) =>
  queryOptions({
    queryKey: ['signals', dataset.id],
    queryFn: async ({ signal }) => (await client.datasets.getDatasetSignals(placeOf(dataset), { signal })).item,
    enabled: dataset.role !== null && !isVersionId(dataset.id),
    refetchInterval: ({ state: { data } }) => (isMeasuring(data) ? followMs : false),
  })

export const changeSignals = async (dataset: Place, body: { state?: string | null; action?: string | null }) =>
  (await client.datasets.changeDatasetSignals({ ...placeOf(dataset), body })).item
