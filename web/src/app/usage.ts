import { queryOptions } from '@tanstack/react-query'
import { request } from './client.ts'

interface Usage {
  storage_bytes: number
  object_count: number
  /** Null or absent: no bound. */
  quota_bytes?: number | null
}

export const usageQuery = (org: string) =>
  queryOptions({
    queryKey: ['usage', org],
    queryFn: async ({ signal }) => (await request<{ item: Usage }>('GET', `/orgs/${org}/usage`, { signal })).item,
    staleTime: 60_000,
  })
