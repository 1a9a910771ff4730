import type { PreviewVersion, Recipe } from '@nmp/sdk/generated/records'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { askWhileMeasuring } from '../../data/size-estimate.ts'
import { client } from '../../session/client.ts'

/** What a recipe would give. A recipe that is changed again meanwhile cancels the question. */
export const previewQuery = (
  org: string,
  source: PreviewVersion['source'],
  recipe: Recipe,
  episodeIndex: number | undefined,
) =>
  queryOptions({
    queryKey: ['recipe-preview', org, source, recipe, episodeIndex],
    queryFn: async ({ signal }) => {
      const began = performance.now()
      const { item } = await client.versions.previewVersion(
        { org_slug: org, body: { source, recipe, episode_index: episodeIndex ?? null } },
        { signal },
      )
      return { ...item, milliseconds: performance.now() - began }
    },
    refetchInterval: ({ state: { data } }) => askWhileMeasuring(data),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  })
