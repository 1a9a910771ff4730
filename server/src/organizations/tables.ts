import type { ColumnType, Generated } from 'kysely'
import type { OrgRole, ProjectRole } from '../access/roles.ts'

type Timestamp = ColumnType<Date, Date | string, Date | string>
type DefaultTimestamp = ColumnType<Date, Date | string | undefined, Date | string>

export interface OrganizationTables {
  organizations: {
    id: string
    slug: string
    name: string
    require_two_step: Generated<boolean>
    deletion_requested_at: Timestamp | null
    /** Whose quota it counts for; null: the operator's or the program's. */
    created_by: string | null
    created_at: DefaultTimestamp
    updated_at: DefaultTimestamp
  }
  org_members: { org_id: string; user_id: string; role: OrgRole; created_at: DefaultTimestamp }
  projects: {
    id: string
    org_id: string
    slug: string
    name: string
    status: Generated<'active' | 'archived'>
    created_at: DefaultTimestamp
    updated_at: DefaultTimestamp
  }
  project_members: { project_id: string; user_id: string; role: ProjectRole; created_at: DefaultTimestamp }
  project_visits: { project_id: string; user_id: string; last_opened_at: DefaultTimestamp }
  invites: {
    id: string
    org_id: string
    email: string
    org_role: OrgRole
    project_id: string | null
    project_role: ProjectRole | null
    secret_sha256: Buffer
    mail_secret_sha256: Buffer | null
    invited_by: string | null
    created_at: DefaultTimestamp
    expires_at: Timestamp
    accepted_at: Timestamp | null
    revoked_at: Timestamp | null
  }
}
