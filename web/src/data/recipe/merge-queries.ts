import type { MergeSource, PreviewMerge } from '@nmp/sdk/generated/records'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { client } from '../../session/client.ts'
import { askWhileMeasuring } from '../size-estimate.ts'

/** How a source could be made to fit the first, with what each line of it rests on. */
export const suggestionQuery = (org: string, first: MergeSource, other: MergeSource) =>
  queryOptions({
    queryKey: ['map-suggestion', org, first, other],
    queryFn: async ({ signal }) => {
      const { items } = await client.versions.suggestMap(
        { org_slug: org, body: { sources: [first, other] } },
        { signal },
      )
      return { map: items[1]?.map ?? {}, rows: items[1]?.rows ?? [] }
    },
    placeholderData: keepPreviousData,
    staleTime: 5 * 60_000,
  })

/** Hours, episodes and frames of each source and task; or what stands in the way, each at its place. */
export const mergePreviewQuery = (org: string, body: PreviewMerge | undefined) =>
  queryOptions({
    queryKey: ['merge-preview', org, body],
    queryFn: async ({ signal }) =>
      (await client.versions.previewMerge({ org_slug: org, body: body ?? { sources: [] } }, { signal })).item,
    enabled: body !== undefined,
    refetchInterval: ({ state: { data } }) => askWhileMeasuring(data),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  })
