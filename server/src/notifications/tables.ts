import type { Generated } from 'kysely'
import type { NotificationKind, NotificationSeverity } from './kinds.ts'

export interface NotificationTables {
  notifications: {
    id: string
    user_id: string
    kind: NotificationKind
    org_id: string | null
    project_id: string | null
    resource_kind: string
    resource_id: string
    severity: Generated<NotificationSeverity>
    title: string
    detail: string | null
    path: string
    created_at: Generated<Date>
    read_at: Date | null
  }
  mails: {
    id: string
    to_email: string
    subject: string
    body: string
    due_at: Generated<Date>
    claimed_until: Date | null
    attempt_count: Generated<number>
    last_error: string | null
    failed_at: Date | null
    created_at: Generated<Date>
  }
  caused_mails: {
    id: Generated<number>
    sender_id: string | null
    org_id: string | null
    receiver_sha256: Buffer
    created_at: Generated<Date>
  }
  digests_sent: { user_id: string; monday: string }
}
