import { useQueries, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { curationOf } from '../curation.ts'
import type { Manifest } from '../dataset.ts'
import { insightsQuery } from '../insights.ts'
import { annotationSetsQuery } from './episode-rows.ts'
import { type EpisodeLabels, joinLabels } from './label-lists.ts'

/** Sets are read whole for lists; of more than these only the first are. */
const mostSets = 8

/** Undefined until all of it is known. */
export function useEpisodeLabels(dataset: Manifest | undefined): EpisodeLabels | undefined {
  const sets = useQuery({
    ...annotationSetsQuery(dataset ?? ({ id: '', role: null } as unknown as Manifest)),
    enabled: dataset !== undefined && dataset.role !== null,
  })
  const whole = useQueries({
    queries: (dataset ? (sets.data ?? []).slice(0, mostSets) : []).map(({ id, latest_version }) => ({
      queryKey: ['whole-annotation-set', id, latest_version],
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        (await curationOf(dataset as Manifest).getWholeSet(id, null, { signal })).item.episodes,
      staleTime: 60_000,
    })),
    combine: (results) => results.map(({ data }) => data),
  })
  const recorded = useQuery({ ...insightsQuery(dataset?.id ?? ''), enabled: dataset !== undefined }).data?.success
  // What people say is for those who may see the project; what the recording says is for everybody.
  const isSaid = dataset?.role === null || (sets.data !== undefined && whole.every((one) => one !== undefined))
  return useMemo(
    () =>
      isSaid && recorded
        ? joinLabels(
            whole.map((one) => one ?? []),
            recorded,
          )
        : undefined,
    [isSaid, whole, recorded],
  )
}
