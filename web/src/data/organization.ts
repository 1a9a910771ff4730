import { queryOptions } from '@tanstack/react-query'
import { client } from '../session/client.ts'

export const orgMembersQuery = (org: string) =>
  queryOptions({
    queryKey: ['org-members', org],
    queryFn: async ({ signal }) => (await client.projects.listMembers({ org_slug: org }, { signal })).items,
  })

export const organizationQuery = (org: string) =>
  queryOptions({
    queryKey: ['organization', org],
    queryFn: async ({ signal }) => (await client.projects.getOrganization({ org_slug: org }, { signal })).item,
  })

export const invitesQuery = (org: string) =>
  queryOptions({
    queryKey: ['invites', org],
    queryFn: async ({ signal }) => (await client.projects.listInvites({ org_slug: org }, { signal })).items,
  })

export const orgProjectsQuery = (org: string) =>
  queryOptions({
    queryKey: ['projects', org],
    queryFn: async ({ signal }) => (await client.projects.listProjects({ org_slug: org }, { signal })).items,
  })

export const projectMembersQuery = (org: string, project: string) =>
  queryOptions({
    queryKey: ['project-members', org, project],
    queryFn: async ({ signal }) =>
      (await client.projects.listProjectMembers({ org_slug: org, project_slug: project }, { signal })).items,
  })
