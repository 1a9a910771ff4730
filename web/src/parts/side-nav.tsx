import { Link } from '@tanstack/react-router'
import { Icon, type IconName } from './icon.tsx'

type Place =
  | '/settings/profile'
  | '/settings/tokens'
  | '/settings/notifications'
  | '/settings/security'
  | '/orgs/$org/members'
  | '/orgs/$org/projects'
  | '/orgs/$org/storage'
  | '/orgs/$org/audit'
  | '/orgs/$org/security'

interface SideNavProps {
  title: string
  links: readonly { to: Place; label: string; icon: IconName }[]
  params?: { org: string }
}

export const SideNav = ({ title, links, params }: SideNavProps) => (
  <nav className="sections-nav" aria-label={title}>
    <h1 className="clip">{title}</h1>
    {links.map(({ to, label, icon }) => (
      <Link key={to} to={to} params={params ?? { org: '' }} activeOptions={{ exact: true }}>
        <Icon name={icon} small />
        {label}
      </Link>
    ))}
  </nav>
)
