import { Link } from '@tanstack/react-router'
import { Icon } from '../parts/icon.tsx'
import { places, usePathname } from './places.ts'
import type { Workspace } from './workspace.ts'

export function BottomBar({ workspace }: { workspace: Workspace | undefined }) {
  const pathname = usePathname()
  if (!workspace) return null
  const params = { org: workspace.org, project: workspace.project }
  return (
    <nav className="mnav" aria-label="Places">
      {places.map((place) => (
        <Link key={place.name} to={place.to} params={params} data-current={place.isCurrent(pathname)}>
          <Icon name={place.icon} />
          {place.name}
        </Link>
      ))}
      <Link to="/settings/profile" data-current={pathname.startsWith('/settings')}>
        <Icon name="person" />
        Me
      </Link>
    </nav>
  )
}
