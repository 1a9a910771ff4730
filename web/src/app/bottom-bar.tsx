import { Link } from '@tanstack/react-router'
import { Icon } from '../parts/icon.tsx'
import type { Workspace } from '../session/workspace.ts'
import { places, usePathname } from './places.ts'
import './bottom-bar.css'

export function BottomBar({ workspace, onMe }: { workspace: Workspace | undefined; onMe(): void }) {
  const pathname = usePathname()
  if (!workspace) return null
  const params = { org: workspace.org, project: workspace.project }
  return (
    <nav className="bottom-bar" aria-label="Places">
      {places.map((place) => (
        <Link key={place.name} to={place.to} params={params} data-current={place.isCurrent(pathname)}>
          <Icon name={place.icon} />
          {place.name}
        </Link>
      ))}
      <button type="button" data-current={isMine(pathname)} onClick={onMe}>
        <Icon name="person" />
        Me
      </button>
    </nav>
  )
}

const isMine = (pathname: string): boolean =>
  pathname.startsWith('/settings') ||
  /^\/orgs\/[^/]+\/(members|projects|storage|audit|projects\/[^/]+\/members)$/.test(pathname)
