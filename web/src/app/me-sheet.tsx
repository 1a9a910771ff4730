import { Link } from '@tanstack/react-router'
import { Dialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { toggleTheme } from '../session/theme.ts'
import { useMe, type Workspace } from '../session/workspace.ts'
import './me-sheet.css'

interface MeSheetProps {
  workspace: Workspace
  onClose(): void
  onSignOut(): void
}

/** What the top bar holds on a wide screen: the projects, their people, the settings. */
export function MeSheet({ workspace, onClose, onSignOut }: MeSheetProps) {
  const me = useMe()
  const { org, project } = workspace
  return (
    <Dialog title={me.data?.email ?? 'Me'} open onClose={onClose} sheet="part">
      <nav className="account-list" aria-label="Projects">
        <h3>Projects</h3>
        {me.data?.projects.map((one) => (
          <Link
            key={`${one.org_slug}/${one.project_slug}`}
            to="/orgs/$org/projects/$project/datasets"
            params={{ org: one.org_slug, project: one.project_slug }}
            data-chosen={one.org_slug === org && one.project_slug === project}
            onClick={onClose}
          >
            <Icon name="folder" small />
            <span className="clip">
              {one.org_slug} / {one.project_slug}
            </span>
            <span className="dim small end">{one.role}</span>
          </Link>
        ))}
        <Link to="/orgs/$org/projects/$project/members" params={{ org, project }} onClick={onClose}>
          <Icon name="people" small />
          <span className="clip">Members of {project}</span>
        </Link>
      </nav>
      <nav className="account-list" aria-label="Organization">
        <h3>{org}</h3>
        <Link to="/orgs/$org/members" params={{ org }} onClick={onClose}>
          <Icon name="people" small />
          Members and invites
        </Link>
        <Link to="/orgs/$org/projects" params={{ org }} onClick={onClose}>
          <Icon name="folder" small />
          Projects
        </Link>
        <Link to="/orgs/$org/storage" params={{ org }} onClick={onClose}>
          <Icon name="database" small />
          Storage and limits
        </Link>
        <Link to="/orgs/$org/audit" params={{ org }} onClick={onClose}>
          <Icon name="list" small />
          Audit
        </Link>
      </nav>
      <nav className="account-list" aria-label="Settings">
        <h3>Settings</h3>
        <Link to="/settings/profile" onClick={onClose}>
          <Icon name="person" small />
          Profile
        </Link>
        <Link to="/settings/security" onClick={onClose}>
          <Icon name="lock" small />
          Security
        </Link>
        <Link to="/settings/tokens" onClick={onClose}>
          <Icon name="key" small />
          Tokens
        </Link>
        <Link to="/settings/notifications" onClick={onClose}>
          <Icon name="bell" small />
          Notifications
        </Link>
        <Link to="/status" onClick={onClose}>
          <Icon name="check" small />
          Status
        </Link>
        <button type="button" onClick={toggleTheme}>
          <Icon name="sun" small />
          Light or dark
        </button>
        <button type="button" onClick={onSignOut}>
          <Icon name="out" small />
          Sign out
        </button>
      </nav>
    </Dialog>
  )
}
