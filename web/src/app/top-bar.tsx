import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { isMoving, movingImportsQuery } from '../data/imports.ts'
import { inboxQuery } from '../data/inbox.ts'
import { Button, IconButton } from '../parts/controls.tsx'
import { formatBytes } from '../parts/formats.ts'
import { Icon, Logo } from '../parts/icon.tsx'
import { nameCommand } from '../parts/key-names.ts'
import { consoleConfigQuery } from '../session/console-config.ts'
import { useIsOnline } from '../session/online.ts'
import { signIn, useSession } from '../session/sign-in.ts'
import { usageQuery } from '../session/usage.ts'
import type { Workspace } from '../session/workspace.ts'
import { AccountMenu } from './account-menu.tsx'
import { places, usePathname } from './places.ts'
import { ProjectMenu } from './project-menu.tsx'
import './top-bar.css'

interface TopBarProps {
  workspace: Workspace | undefined
  onJump(): void
  onKeys(): void
  onSignOut(): void
}

export function TopBar({ workspace, onJump, onKeys, onSignOut }: TopBarProps) {
  const session = useSession()
  const pathname = usePathname()
  const isOnline = useIsOnline()
  const config = useQuery(consoleConfigQuery)
  return (
    <header className="top-bar">
      <Link to="/" className="top-logo" aria-label="nmp: go to the catalog">
        <Logo />
        nmp
      </Link>
      {workspace && (
        <>
          <span className="divider desktop-only" />
          <ProjectMenu workspace={workspace} />
        </>
      )}
      <nav className="top-places desktop-only" aria-label="Main">
        {places
          .filter((place) => place.to === '/' || workspace)
          .map((place) => (
            <Link
              key={place.name}
              to={place.to}
              params={{ org: workspace?.org ?? '', project: workspace?.project ?? '' }}
              data-current={place.isCurrent(pathname)}
              aria-current={place.isCurrent(pathname) ? 'page' : undefined}
            >
              {place.name}
              {place.name === 'Imports' && workspace && <RunningCount workspace={workspace} />}
            </Link>
          ))}
      </nav>
      <span className="fill" />
      {!isOnline && (
        <span className="chip flag" role="status">
          Offline<span className="desktop-only">: nothing can be changed now</span>
          <span className="phone-only">, no changes</span>
        </span>
      )}
      <button type="button" className="field jump-field desktop-only" onClick={onJump}>
        <Icon name="search" small />
        <span className="fill align-left clip">Search or jump to</span>
        <span className="kbd" aria-hidden="true">
          {nameCommand('K')}
        </span>
      </button>
      {isOnline && config.data?.channel === 'dev' && <span className="top-channel">dev channel</span>}
      {workspace && <Storage org={workspace.org} />}
      <span className="phone-only flex">
        <IconButton icon="search" label="Search or jump to" look="ghost" onClick={onJump} />
      </span>
      {session === 'signed-in' ? (
        <>
          <Bell />
          <AccountMenu onKeys={onKeys} onSignOut={onSignOut} />
        </>
      ) : (
        <Button look="primary" onClick={() => void signIn()}>
          Sign in
        </Button>
      )}
    </header>
  )
}

function RunningCount({ workspace }: { workspace: Workspace }) {
  const imports = useQuery(movingImportsQuery(workspace.org, workspace.project))
  const moving = imports.data?.items.filter(isMoving).length ?? 0
  return moving > 0 ? (
    <span className="count">
      {moving}
      <span className="visually-hidden"> at work</span>
    </span>
  ) : null
}

/** Turns to words at nine tenths, because then it matters. */
function Storage({ org }: { org: string }) {
  const usage = useQuery(usageQuery(org))
  if (!usage.data) return null
  const { storage_bytes: used, quota_bytes: quota } = usage.data
  const share = quota ? used / quota : 0
  return (
    <Link to="/orgs/$org/storage" params={{ org }} className="top-storage desktop-only" title={`Storage of ${org}`}>
      {quota ? (
        <>
          <span className="meter width-52">
            <span style={{ width: `${Math.min(100, share * 100)}%` }} />
          </span>
          <span className="small">
            {share >= 0.9
              ? `${formatBytes(Math.max(0, quota - used))} left`
              : `${formatBytes(used)} of ${formatBytes(quota)}`}
          </span>
        </>
      ) : (
        <span className="small">{formatBytes(used)} stored</span>
      )}
    </Link>
  )
}

function Bell() {
  const inbox = useQuery(inboxQuery)
  const unread = inbox.data?.unread_count ?? 0
  return (
    <Link to="/inbox" className="top-bell" aria-label={unread > 0 ? `Inbox, ${unread} unread` : 'Inbox'}>
      <Icon name="bell" />
      {unread > 0 && <b aria-hidden="true">{unread > 99 ? '99' : unread}</b>}
    </Link>
  )
}
