// GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
import type { CallOptions, OperationTable } from '../operation.ts'
import type { Notification } from './records.ts'

export interface ListNotificationsInput {
  limit?: number | undefined
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** Only unread ones. */
  unread?: boolean | undefined
}

export type ListNotificationsAnswer = {
  items: Notification[]
  next_cursor: string | null
  unread_count: number
}

export interface MarkNotificationsReadInput {
  body: {
    ids?: string[] | undefined
  }
}

export type MarkNotificationsReadAnswer = {
  unread_count: number
}

export interface NotificationsOperations {
  /**
   * List your notifications, newest first.
   *
   * Kept for 90 days. The profile sets which kinds are listed here and which are mailed. Those of an organization that requires two-step sign-in are neither listed nor counted for sessions and tokens without it.
   *
   * `GET /api/v1/users/me/notifications` · session, or token with workspace:read
   */
  listNotifications(input?: ListNotificationsInput, options?: CallOptions): Promise<ListNotificationsAnswer>
  /** Every item of every page of `listNotifications`. */
  iterateNotifications(input?: ListNotificationsInput, options?: CallOptions): AsyncGenerator<ListNotificationsAnswer['items'][number]>
  /**
   * Mark notifications as read: the given ones, or all.
   *
   * Without ids, all that are listed for you are marked.
   *
   * `POST /api/v1/users/me/notifications/read` · session only
   */
  markNotificationsRead(input: MarkNotificationsReadInput, options?: CallOptions): Promise<MarkNotificationsReadAnswer>
}

export const notificationsOperations: OperationTable = {
  listNotifications: { method: 'GET', path: '/api/v1/users/me/notifications', query: ['limit', 'cursor', 'unread'], paging: 'cursor', repeatable: true },
  markNotificationsRead: { method: 'POST', path: '/api/v1/users/me/notifications/read', hasBody: true, repeatable: true },
}
