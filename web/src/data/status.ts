import { queryOptions } from '@tanstack/react-query'
import { client } from '../session/client.ts'

const everyMilliseconds = 15_000

/** How it stands with the platform, for everybody. */
export const statusQuery = queryOptions({
  queryKey: ['status'],
  queryFn: async ({ signal }) => (await client.platform.getStatus({}, { signal })).item,
  refetchInterval: everyMilliseconds,
})

/** The same with names, for whoever runs the program. */
export const statusDetailsQuery = queryOptions({
  queryKey: ['status', 'details'],
  queryFn: async ({ signal }) => (await client.platform.getStatusDetails({}, { signal })).item,
  refetchInterval: everyMilliseconds,
})
