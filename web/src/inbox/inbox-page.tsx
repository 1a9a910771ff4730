import type { Notification } from '@nmp/sdk/generated/records'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { inboxQuery, markRead } from '../data/inbox.ts'
import { refresh } from '../data/refresh.ts'
import { Button } from '../parts/controls.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { useChange } from '../parts/use-change.ts'
import './inbox-page.css'

const icons: Record<Notification['kind'], IconName> = {
  transform_done: 'check',
  export_ready: 'download',
  team_invite: 'people',
  episode_flag: 'flag',
  import_fail: 'close',
  weekly_digest: 'list',
}

/** What came with losses has the colour that it has in the list of imports, and not that of a failure. */
const pickColour = ({ kind, severity }: Notification): string =>
  severity === 'warning' ? 'text-loss' : severity === 'error' || kind === 'episode_flag' ? 'text-flag' : 'mid'

export function InboxPage() {
  const navigate = useNavigate()
  const inbox = useQuery(inboxQuery)
  useEffect(() => {
    document.title = 'Inbox · nmp'
  }, [])
  const reading = useChange((ids: string[] | undefined) => markRead(ids), { onDone: refresh.inbox })
  const open = (item: Notification) => {
    if (!item.read_at) reading.mutate([item.id])
    const url = new URL(item.url, location.origin)
    // Pages of sign-in (an invite) are the program's, not the console's.
    if (url.origin === location.origin && !/^\/(invite|account|sign-in)/.test(url.pathname))
      void navigate({ href: url.pathname + url.search })
    else location.assign(item.url)
  }
  return (
    <div className="page narrow-page">
      <div className="row wrap below-12">
        <h1>Inbox</h1>
        {inbox.data && inbox.data.unread_count > 0 && (
          <span className="count nowrap">{inbox.data.unread_count} unread</span>
        )}
        <span className="end row wrap">
          {inbox.data && inbox.data.unread_count > 0 && (
            <Button onClick={() => reading.mutate(undefined)}>Mark all as read</Button>
          )}
          <Link className="button ghost" to="/settings/notifications">
            Choose what appears here
          </Link>
        </span>
      </div>
      {inbox.error && (
        <Failure error={inbox.error} what="The inbox did not load" onRetry={() => void inbox.refetch()} />
      )}
      {inbox.isPending && <Skeleton height={44} />}
      {inbox.data?.items.length === 0 && (
        <Empty title="Nothing here">
          Imports that failed or lost something, finished versions and exports, flags and invites appear here and are
          sent by mail.
        </Empty>
      )}
      <ul className="inbox" hidden={!inbox.data?.items.length}>
        {inbox.data?.items.map((item) => (
          <li key={item.id} data-unread={item.read_at === null} data-severity={item.severity}>
            <button type="button" onClick={() => open(item)}>
              <span className={pickColour(item)}>
                <Icon name={item.severity === 'warning' ? 'loss' : (icons[item.kind] ?? 'bell')} />
              </span>
              <span className="fill">
                {item.title}
                {item.detail && <span className="inbox-detail small">{item.detail}</span>}
              </span>
              <span className="dim small clip">
                {item.org_slug}
                {item.project_slug && ` / ${item.project_slug}`}
              </span>
              <span className="dim small nowrap">
                <Time at={item.created_at} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
