import type { Context } from '../context.ts'
import type { Notification } from './service.ts'

/** The form in which lists and events show a notification. */
export const presentNotification = ({ publicUrl }: Context, row: Notification) => ({
  id: row.id,
  kind: row.kind,
  severity: row.severity,
  title: row.title,
  detail: row.detail,
  org_slug: row.orgSlug,
  project_slug: row.projectSlug,
  resource_kind: row.resourceKind,
  resource_id: row.resourceId,
  url: publicUrl + row.path,
  created_at: row.createdAt.toISOString(),
  read_at: row.readAt?.toISOString() ?? null,
})
