// GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.

export interface Error {
  /** A sentence that says what is wrong and what to do. */
  detail: string
  /** The same for a machine. */
  code: string
  request_id: string
}

export interface HTTPValidationError {
  detail: {
    loc: (string | number)[]
    msg: string
    type: string
    input?: unknown | undefined
    ctx?: Record<string, unknown> | undefined
  }[]
}

export interface ApiToken {
  id: string
  name: string
  preview: string
  prefix: string
  suffix: string
  scopes: ('workspace:read' | 'imports:write' | 'datasets:write' | 'versions:write' | 'exports:write')[]
  created_at: string
  last_used_at: string | null
  revoked_at: string | null
  expires_at: string
}

export interface AuditEvent {
  id: number
  at: string
  actor_kind: 'session' | 'token' | 'operator' | 'program'
  actor_user_id: string | null
  token_id: string | null
  action: string
  resource_kind: string
  resource_id: string
  detail: Record<string, unknown>
  request_id: string | null
}

export interface ConsoleConfig {
  /** Where the console signs in: an OpenID Connect issuer. */
  issuer: string
  client_id: string
  scopes: string[]
  /** What a session token must be meant for. */
  audience: string
  channel: 'stable' | 'dev'
  version: string
}

export interface CurrentUser {
  id: string
  email: string
  org_slugs: string[]
  org_member_slugs: string[]
  org_admin_slugs: string[]
  projects: {
    org_slug: string
    project_slug: string
    role: 'admin' | 'editor' | 'viewer'
  }[]
}

export interface Invite {
  id: string
  org_slug: string
  email: string
  org_role: 'admin' | 'member'
  project_slug: string | null
  project_role: 'admin' | 'editor' | 'viewer' | null
  invited_by: string | null
  created_at: string
  expires_at: string
  accepted_at: string | null
  revoked_at: string | null
}

export interface OrgMember {
  user_id: string
  email: string
  display_name: string
  role: 'admin' | 'member'
  created_at: string
}

export interface Organization {
  id: string
  slug: string
  name: string
  /** Your role. */
  role: 'admin' | 'member'
  created_at: string
  updated_at: string
  deletion_at: string | null
}

export interface OrganizationUsage {
  storage_bytes: number
  object_count: number
}

export interface Project {
  org_slug: string
  project_slug: string
  name: string
  /** Your role; admins of the organization are admins of every project. */
  role: 'admin' | 'editor' | 'viewer'
  id: string
  status: 'active' | 'archived'
  created_at: string
  updated_at: string
  last_opened_at: string | null
}

export interface ProjectMember {
  user_id: string
  email: string
  display_name: string
  role: 'admin' | 'editor' | 'viewer'
  created_at: string
}

export interface UserProfile {
  id: string
  email: string
  display_name: string
  title: string
  timezone: string
  default_project_org_slug: string | null
  default_project_slug: string | null
  notification_preferences: {
    transform_done: {
      email: boolean
      in_app: boolean
    }
    export_ready: {
      email: boolean
      in_app: boolean
    }
    team_invite: {
      email: boolean
      in_app: boolean
    }
    episode_flag: {
      email: boolean
      in_app: boolean
    }
    import_fail: {
      email: boolean
      in_app: boolean
    }
    weekly_digest: {
      email: boolean
      in_app: boolean
    }
  }
}

export interface Version {
  name: string
  version: string
  api_version: string
  channel: 'stable' | 'dev'
  commit: string | null
  /** Version of the manifests and job objects. */
  schema_version: string
  lerobot_versions: string[]
}
