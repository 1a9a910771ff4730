import type { OrgRole, ProjectRole } from './roles.ts'

/** Who may call a route. `org` and `project` name the `{org_slug}` and `{project_slug}` of its path. */
export type AccessRule =
  | { kind: 'anyone' }
  | { kind: 'user' }
  | { kind: 'org'; role: OrgRole }
  | { kind: 'project'; role: ProjectRole }

export const anyone = { kind: 'anyone' } as const
export const signedIn = { kind: 'user' } as const
export const orgMember = { kind: 'org', role: 'member' } as const
export const orgAdmin = { kind: 'org', role: 'admin' } as const
export const projectViewer = { kind: 'project', role: 'viewer' } as const
export const projectEditor = { kind: 'project', role: 'editor' } as const
export const projectAdmin = { kind: 'project', role: 'admin' } as const

export interface OrgGrant {
  id: string
  slug: string
  role: OrgRole
}

export interface ProjectGrant {
  id: string
  slug: string
  role: ProjectRole
  status: 'active' | 'archived'
}

/** What a rule, once it let a caller pass, has found out about what the path names. */
export interface Grants {
  anyone: unknown
  user: unknown
  org: { org: OrgGrant }
  project: { org: OrgGrant; project: ProjectGrant }
}
