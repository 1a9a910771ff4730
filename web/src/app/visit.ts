import { useEffect } from 'react'
import { refresh } from '../data/refresh.ts'
import { client } from '../session/client.ts'
import { rememberWorkspace, type Workspace } from '../session/workspace.ts'
import { usePathname } from './places.ts'

/** Notes the project one is in: here for the next page, and once its own pages are opened at the API for the list of projects. */
export function useVisit(workspace: Workspace | undefined): void {
  const { org, project } = workspace ?? {}
  const isOpen = usePathname().startsWith(`/orgs/${org}/projects/${project}/`)
  useEffect(() => {
    if (org && project) rememberWorkspace(org, project)
  }, [org, project])
  useEffect(() => {
    if (!org || !project || !isOpen) return
    client.projects.getProject({ org_slug: org, project_slug: project }).then(
      () => void refresh.visits(org),
      () => undefined,
    )
  }, [org, project, isOpen])
}
