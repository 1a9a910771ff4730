import { type TSchema, Type } from 'typebox'
import { orgAdmin, orgMember, projectAdmin, projectViewer } from '../../access/access.ts'
import { orgRoles, projectRoles } from '../../access/roles.ts'
import { defineRoute } from '../../http/route.ts'
import { item, oneOf, orgParams, page, pageQuery, projectParams, timestamp } from '../../http/schemas.ts'
import {
  changeOrgMember,
  listOrgMembers,
  listProjectMembers,
  type Member,
  putProjectMember,
  removeOrgMember,
  removeProjectMember,
} from './service.ts'

const member = <R extends TSchema>(role: R, $id: string) =>
  Type.Object(
    { user_id: Type.String(), email: Type.String(), display_name: Type.String(), role, created_at: timestamp },
    { $id },
  )

const orgMemberRecord = member(oneOf(orgRoles), 'OrgMember')
const projectMemberRecord = member(oneOf(projectRoles), 'ProjectMember')

const presentMember = <Role>(row: Member<Role>) => ({
  user_id: row.id,
  email: row.email,
  display_name: row.displayName,
  role: row.role,
  created_at: row.createdAt.toISOString(),
})

const orgMemberParams = Type.Object({ org_slug: Type.String(), user_id: Type.String() })
const projectMemberParams = Type.Object({ ...projectParams.properties, user_id: Type.String() })

export const memberRoutes = [
  defineRoute({
    id: 'listMembers',
    method: 'GET',
    path: '/api/v1/orgs/{org_slug}/members',
    tag: 'Projects',
    summary: 'List the members of an organization',
    description: 'Members with their e-mail and role in the organization.',
    credentials: ['workspace:read'],
    access: orgMember,
    params: orgParams,
    query: pageQuery,
    response: page(orgMemberRecord),
    async handle({ db }, { org, query }) {
      const { rows, nextCursor } = await listOrgMembers(db, org.id, query.limit, query.cursor)
      return { items: rows.map(presentMember), next_cursor: nextCursor }
    },
  }),
  defineRoute({
    id: 'changeMember',
    method: 'PATCH',
    path: '/api/v1/orgs/{org_slug}/members/{user_id}',
    tag: 'Projects',
    summary: "Change a member's role in the organization",
    description: 'An organization always keeps at least one admin.',
    credentials: 'session',
    access: orgAdmin,
    params: orgMemberParams,
    body: Type.Object({ role: oneOf(orgRoles) }),
    response: item(orgMemberRecord),
    errors: ['last_admin'],
    async handle({ db }, { org, caller, params, body }) {
      return { item: presentMember(await changeOrgMember(db, caller, org, params.user_id, body.role)) }
    },
  }),
  defineRoute({
    id: 'removeMember',
    method: 'DELETE',
    path: '/api/v1/orgs/{org_slug}/members/{user_id}',
    tag: 'Projects',
    summary: 'Remove a member from the organization, or leave it',
    description: 'They also lose their roles in its projects. What they made stays.',
    credentials: 'session',
    access: orgMember,
    params: orgMemberParams,
    response: item(orgMemberRecord),
    errors: ['last_admin', 'insufficient_role'],
    async handle({ db }, { org, caller, params }) {
      return { item: presentMember(await removeOrgMember(db, caller, org, params.user_id)) }
    },
  }),
  defineRoute({
    id: 'listProjectMembers',
    method: 'GET',
    path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/members',
    tag: 'Projects',
    summary: 'List the people with a role in a project',
    description:
      'Admins of the organization are admins of every project and are listed here only if they also have a role in the project.',
    credentials: ['workspace:read'],
    access: projectViewer,
    params: projectParams,
    query: pageQuery,
    response: page(projectMemberRecord),
    async handle({ db }, { project, query }) {
      const { rows, nextCursor } = await listProjectMembers(db, project.id, query.limit, query.cursor)
      return { items: rows.map(presentMember), next_cursor: nextCursor }
    },
  }),
  defineRoute({
    id: 'putProjectMember',
    method: 'PUT',
    path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/members/{user_id}',
    tag: 'Projects',
    summary: 'Give a member of the organization a role in a project',
    description: 'Sets the role of a member in the project, or changes it.',
    credentials: 'session',
    access: projectAdmin,
    params: projectMemberParams,
    body: Type.Object({ role: oneOf(projectRoles) }),
    response: item(projectMemberRecord),
    async handle({ db }, { org, project, caller, params, body }) {
      const scope = { orgId: org.id, projectId: project.id }
      return { item: presentMember(await putProjectMember(db, caller, scope, params.user_id, body.role)) }
    },
  }),
  defineRoute({
    id: 'removeProjectMember',
    method: 'DELETE',
    path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/members/{user_id}',
    tag: 'Projects',
    summary: "Remove a person's role in a project, or leave it",
    description: 'Admins of the organization keep their access to every project.',
    credentials: 'session',
    access: projectViewer,
    params: projectMemberParams,
    response: item(projectMemberRecord),
    errors: ['insufficient_role'],
    async handle({ db }, { org, project, caller, params }) {
      return { item: presentMember(await removeProjectMember(db, caller, org, project, params.user_id)) }
    },
  }),
]
