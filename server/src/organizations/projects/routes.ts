import { Type } from 'typebox'
import { orgAdmin, orgMember, projectAdmin, projectViewer } from '../../access/access.ts'
import { projectRoles } from '../../access/roles.ts'
import { defineRoute } from '../../http/route.ts'
import {
  item,
  listQuery,
  nullable,
  oneOf,
  orgParams,
  page,
  projectParams,
  slug,
  timestamp,
} from '../../http/schemas.ts'
import { changeProject, createProject, listProjects, openProject, type SeenProject } from './service.ts'

const project = Type.Object(
  {
    org_slug: Type.String(),
    project_slug: Type.String(),
    name: Type.String(),
    role: oneOf(projectRoles, { description: 'Your role; admins of the organization are admins of every project.' }),
    id: Type.String(),
    status: oneOf(['active', 'archived']),
    created_at: timestamp,
    updated_at: timestamp,
    last_opened_at: nullable(timestamp),
  },
  { $id: 'Project' },
)

const presentProject = (row: SeenProject) => ({
  org_slug: row.orgSlug,
  project_slug: row.slug,
  name: row.name,
  role: row.role,
  id: row.id,
  status: row.status,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  last_opened_at: row.lastOpenedAt?.toISOString() ?? null,
})

const name = Type.String({ minLength: 1, maxLength: 200 })

export const projectRoutes = [
  defineRoute({
    id: 'listProjects',
    method: 'GET',
    path: '/api/v1/orgs/{org_slug}/projects',
    tag: 'Projects',
    summary: 'List the projects you have a role in',
    description: 'Projects of the organization that you can open, with your role in each.',
    credentials: ['workspace:read'],
    access: orgMember,
    params: orgParams,
    query: listQuery,
    response: page(project),
    async handle({ db }, { org, caller, query }) {
      const { rows, nextCursor } = await listProjects(db, org, caller.userId, query)
      return { items: rows.map(presentProject), next_cursor: nextCursor }
    },
  }),
  defineRoute({
    id: 'createProject',
    method: 'POST',
    path: '/api/v1/orgs/{org_slug}/projects',
    tag: 'Projects',
    summary: 'Create a project',
    description: 'The slug must be free in the organization and never changes.',
    credentials: 'session',
    access: orgAdmin,
    params: orgParams,
    body: Type.Object({ slug, name: Type.Optional(name) }),
    response: item(project),
    status: 201,
    errors: ['slug_taken'],
    async handle({ db }, { org, caller, body }) {
      const created = await createProject(db, caller, {
        orgId: org.id,
        slug: body.slug,
        name: body.name ?? body.slug,
      })
      return {
        item: presentProject({ ...created, orgSlug: org.slug, role: 'admin', lastOpenedAt: null }),
      }
    },
  }),
  defineRoute({
    id: 'getProject',
    method: 'GET',
    path: '/api/v1/orgs/{org_slug}/projects/{project_slug}',
    tag: 'Projects',
    summary: 'Open a project',
    description: 'Records your visit in `last_opened_at`, which only you see.',
    credentials: ['workspace:read'],
    access: projectViewer,
    params: projectParams,
    response: item(project),
    async handle({ db }, { project: { id }, caller }) {
      return { item: presentProject(await openProject(db, id, caller.userId)) }
    },
  }),
  defineRoute({
    id: 'changeProject',
    method: 'PATCH',
    path: '/api/v1/orgs/{org_slug}/projects/{project_slug}',
    tag: 'Projects',
    summary: 'Rename, archive or reactivate a project',
    description: 'An archived project can be read but not written to.',
    credentials: 'session',
    access: projectAdmin,
    params: projectParams,
    body: Type.Object({ name: Type.Optional(name), status: Type.Optional(oneOf(['active', 'archived'])) }),
    response: item(project),
    async handle({ db }, { org, project: grant, caller, body }) {
      return { item: presentProject(await changeProject(db, caller, grant, org.id, body)) }
    },
  }),
]
