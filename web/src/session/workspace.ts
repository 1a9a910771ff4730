import { queryOptions, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { client } from './client.ts'
import { useSession } from './sign-in.ts'

export interface Workspace {
  org: string
  project: string
  role: 'admin' | 'editor' | 'viewer'
}

const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }) => (await client.users.getCurrentUser({}, { signal })).user,
  staleTime: 60_000,
})

export const profileQuery = queryOptions({
  queryKey: ['profile'],
  queryFn: async ({ signal }) => (await client.users.getProfile({}, { signal })).item,
  staleTime: 60_000,
})

export function useMe() {
  const session = useSession()
  return useQuery({ ...meQuery, enabled: session === 'signed-in' })
}

const storageKey = 'nmp.project'

export function rememberWorkspace(org: string, project: string): void {
  localStorage.setItem(storageKey, `${org}/${project}`)
}

/** The project the person works in: the one in the address, else the last one, else the profile's, else the first. */
export function useWorkspace(): Workspace | undefined {
  const me = useMe()
  const session = useSession()
  const profile = useQuery({ ...profileQuery, enabled: session === 'signed-in' })
  const params = useParams({ strict: false })
  const projects = me.data?.projects ?? []
  const find = (org: string | null | undefined, project: string | null | undefined) =>
    projects.find((one) => one.org_slug === org && one.project_slug === project)
  const [lastOrg, lastProject] = (localStorage.getItem(storageKey) ?? '').split('/')
  const chosen =
    find(params.org, params.project) ??
    (params.org ? projects.find((one) => one.org_slug === params.org) : undefined) ??
    find(lastOrg, lastProject) ??
    find(profile.data?.default_project_org_slug, profile.data?.default_project_slug) ??
    projects[0]
  return chosen && { org: chosen.org_slug, project: chosen.project_slug, role: chosen.role }
}

export const canEdit = (role: string | null | undefined): boolean => role === 'admin' || role === 'editor'
