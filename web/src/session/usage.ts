import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'

export const usageQuery = (org: string) =>
  queryOptions({
    queryKey: ['usage', org],
    queryFn: async ({ signal }) => (await client.projects.getOrganizationUsage({ org_slug: org }, { signal })).item,
    staleTime: 60_000,
  })
