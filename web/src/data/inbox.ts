import { queryOptions } from '@tanstack/react-query'
import { client } from '../session/client.ts'

export const inboxQuery = queryOptions({
  queryKey: ['inbox'],
  queryFn: ({ signal }) => client.notifications.listNotifications({ limit: 100 }, { signal }),
  staleTime: 30_000,
})

/** All when no ids are given. */
export const markRead = (ids?: string[]) => client.notifications.markNotificationsRead({ body: ids ? { ids } : {} })
