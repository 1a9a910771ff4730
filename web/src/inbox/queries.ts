import { queryOptions } from '@tanstack/react-query'
import { request } from '../app/client.ts'

export interface Notification {
  id: string
  kind: 'transform_done' | 'export_ready' | 'team_invite' | 'episode_flag' | 'import_fail' | 'weekly_digest'
  org_slug: string | null
  project_slug: string | null
  resource_kind: string
  resource_id: string
  title: string
  url: string
  created_at: string
  read_at: string | null
}

interface InboxPage {
  items: Notification[]
  next_cursor: string | null
  unread_count: number
}

export const inboxQuery = queryOptions({
  queryKey: ['inbox'],
  queryFn: ({ signal }) => request<InboxPage>('GET', '/users/me/notifications', { query: { limit: 100 }, signal }),
  staleTime: 30_000,
})

export const markRead = (ids?: string[]) =>
  request<unknown>('POST', '/users/me/notifications/read', { body: ids ? { ids } : {} })
