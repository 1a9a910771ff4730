import { Type } from 'typebox'
import { signedIn } from '../access/access.ts'
import type { Context } from '../context.ts'
import { defineRoute } from '../http/route.ts'
import { nullable, oneOf, pageQuery, timestamp } from '../http/schemas.ts'
import { notificationKinds, notificationSeverities } from './kinds.ts'
import { presentNotification } from './notification-record.ts'
import { listNotifications, markNotificationsRead } from './service.ts'

const notification = Type.Object(
  {
    id: Type.String(),
    kind: oneOf(notificationKinds),
    severity: oneOf(notificationSeverities, {
      description:
        '`error`: it failed. `warning`: it was done, and something is missing or left to do. `info`: the rest.',
    }),
    title: Type.String(),
    detail: nullable(Type.String({ description: 'The first reason, where something failed or was lost.' })),
    org_slug: nullable(Type.String()),
    project_slug: nullable(Type.String()),
    resource_kind: Type.String({ examples: ['import'] }),
    resource_id: Type.String(),
    url: Type.String({ description: 'Where it leads in the console.' }),
    created_at: timestamp,
    read_at: nullable(timestamp),
  },
  { $id: 'Notification' },
)

const notificationsQuery = Type.Object({
  ...pageQuery.properties,
  unread: Type.Optional(Type.Boolean({ description: 'Only unread ones.' })),
})

export const notificationRoutes = [
  defineRoute({
    id: 'listNotifications',
    method: 'GET',
    path: '/api/v1/users/me/notifications',
    tag: 'Users and tokens',
    summary: 'List your notifications, newest first',
    description:
      'Kept for 90 days. The profile sets which kinds are listed here and which are mailed. Those of an organization that requires two-step sign-in are neither listed nor counted for sessions and tokens without it.',
    credentials: ['workspace:read'],
    access: signedIn,
    query: notificationsQuery,
    response: Type.Object({
      items: Type.Array(notification),
      next_cursor: nullable(Type.String()),
      unread_count: Type.Integer(),
    }),
    async handle(context: Context, { caller, query }) {
      const { rows, nextCursor, unreadCount } = await listNotifications(context.db, caller, {
        limit: query.limit,
        cursor: query.cursor,
        onlyUnread: query.unread ?? false,
      })
      return {
        items: rows.map((row) => presentNotification(context, row)),
        next_cursor: nextCursor,
        unread_count: unreadCount,
      }
    },
  }),
  defineRoute({
    id: 'markNotificationsRead',
    method: 'POST',
    path: '/api/v1/users/me/notifications/read',
    tag: 'Users and tokens',
    summary: 'Mark notifications as read: the given ones, or all',
    description: 'Without ids, all that are listed for you are marked.',
    credentials: 'session',
    access: signedIn,
    body: Type.Object({ ids: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 1000 })) }),
    response: Type.Object({ unread_count: Type.Integer() }),
    async handle({ db }, { caller, body }) {
      return { unread_count: await markNotificationsRead(db, caller, body.ids) }
    },
  }),
]
