import { getRouteApi, Outlet } from '@tanstack/react-router'
import { useEffect } from 'react'
import { SideNav } from '../parts/side-nav.tsx'

const routeApi = getRouteApi('/signed-in/orgs/$org')

export function OrganizationPage() {
  const { org } = routeApi.useParams()
  useEffect(() => {
    document.title = `${org} · nmp`
  }, [org])
  return (
    <div className="sections">
      <SideNav
        title={org}
        links={[
          { to: '/orgs/$org/members', label: 'Members and invites', icon: 'people' },
          { to: '/orgs/$org/projects', label: 'Projects', icon: 'folder' },
          { to: '/orgs/$org/storage', label: 'Storage and limits', icon: 'database' },
          { to: '/orgs/$org/security', label: 'Security', icon: 'lock' },
          { to: '/orgs/$org/audit', label: 'Audit', icon: 'list' },
        ]}
        params={{ org }}
      />
      <section className="sections-main">
        <Outlet />
      </section>
    </div>
  )
}
