export const orgRoles = ['admin', 'member'] as const
export type OrgRole = (typeof orgRoles)[number]

export const projectRoles = ['admin', 'editor', 'viewer'] as const
export type ProjectRole = (typeof projectRoles)[number]

const rank: Record<ProjectRole, number> = { viewer: 1, editor: 2, admin: 3 }

export const holdsProjectRole = (held: ProjectRole, needed: ProjectRole): boolean => rank[held] >= rank[needed]
export const holdsOrgRole = (held: OrgRole, needed: OrgRole): boolean => held === 'admin' || needed === 'member'
