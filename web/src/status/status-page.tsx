import type { PlatformStatus } from '@nmp/sdk/generated/records'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { statusDetailsQuery, statusQuery } from '../data/status.ts'
import { formatBytes, formatCount, plural } from '../parts/formats.ts'
import { Failure, Skeleton } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { useMe } from '../session/workspace.ts'
import { DamagedContents } from './damaged-contents.tsx'
import { Machine } from './machine.tsx'
import './status-page.css'

/** The account that the program makes for whoever runs it: the API answers its details to nobody else. */
const operatorEmail = 'admin@localhost'

export function StatusPage() {
  const me = useMe()
  const status = useQuery(statusQuery)
  const isOperator = me.data?.email === operatorEmail
  const details = useQuery({ ...statusDetailsQuery, enabled: isOperator })
  useEffect(() => {
    document.title = 'Status · nmp'
  }, [])
  return (
    <div className="page narrow-page">
      <div className="row below-12">
        <h1>Status</h1>
        {status.data && (
          <span className={status.data.status === 'ok' ? 'chip good' : 'chip flag'} role="status">
            {status.data.status === 'ok' ? 'All is well' : 'Needs attention'}
          </span>
        )}
        {status.data && <span className="dim small end">nmp {status.data.version}</span>}
      </div>
      {status.error && (
        <Failure
          error={status.error}
          what="The status did not load"
          shownFrom={status.data ? status.dataUpdatedAt : undefined}
          onRetry={() => void status.refetch()}
        />
      )}
      {status.isPending && <Skeleton rows={4} />}
      {status.data && (
        <>
          <Troubles status={status.data} />
          <div className="status-parts">
            <Jobs status={status.data} />
            <Contents status={status.data} />
          </div>
        </>
      )}
      {details.error && (
        <Failure error={details.error} what="The details did not load" onRetry={() => void details.refetch()} />
      )}
      {isOperator && details.isPending && <Skeleton rows={3} />}
      {details.data && (
        <>
          <Machine details={details.data} />
          <DamagedContents contents={details.data.damaged} />
        </>
      )}
    </div>
  )
}

/** What is wrong, each with what it means for people and what is to be done. */
function Troubles({ status: { storage_check: check, ...status } }: { status: PlatformStatus }) {
  const troubles = [
    status.worker_count === 0 && {
      what: 'No worker runs.',
      remedy: 'Imports and exports wait. Where nmp runs with npm start, its log says why the worker ended.',
    },
    !status.takes_writes && {
      what: 'The disk is full: nothing can be stored.',
      remedy: 'Reading goes on. Free some space on the disk of the data folder.',
    },
    check.last_walk?.was_stopped && {
      what: 'The check of stored contents was stopped.',
      remedy:
        'Too much seemed wrong at once to be believed. Look at the storage itself: is it mounted, is it the right bucket?',
    },
    check.damaged_count > 0 && {
      what: `${plural(check.damaged_count, 'stored content')} ${check.damaged_count === 1 ? 'is' : 'are'} damaged.`,
      remedy:
        'What is damaged is not given out. Whoever uploads or imports the same files again heals it for everybody.',
    },
    !check.is_on_schedule && {
      what: 'The check of stored contents is behind.',
      remedy: `Not everything was read within ${check.period_days} days. It catches up while a worker runs.`,
    },
  ].filter((trouble) => trouble !== false && trouble !== undefined)
  return troubles.map(({ what, remedy }) => (
    <div key={what} className="callout below-12" role="alert">
      <b>{what}</b>
      <p className="mid">{remedy}</p>
    </div>
  ))
}

function Jobs({ status: { worker_count: workers, queue } }: { status: PlatformStatus }) {
  return (
    <section aria-label="Jobs">
      <h2>Jobs</h2>
      <p className="figure above-8">
        {formatCount(queue.running_count)}
        <span className="dim"> running, {formatCount(queue.due_count)} waiting</span>
      </p>
      <dl className="definitions above-8">
        <dt>Workers</dt>
        <dd>{workers === 0 ? 'none' : formatCount(workers)}</dd>
        <dt>Longest wait</dt>
        <dd>{queue.oldest_due_at ? <Time at={queue.oldest_due_at} /> : 'nothing waits'}</dd>
        <dt>Waiting for their next try</dt>
        <dd>{formatCount(queue.later_count)}</dd>
      </dl>
    </section>
  )
}

function Contents({ status: { storage_check: check } }: { status: PlatformStatus }) {
  const { last_walk: last, longest_unread_at: longest } = check
  return (
    <section aria-label="Stored contents">
      <h2>Stored contents</h2>
      <p className="figure above-8">
        {formatCount(check.damaged_count)}
        <span className="dim"> damaged</span>
      </p>
      <dl className="definitions above-8">
        <dt>Everything is read again within</dt>
        <dd>{plural(check.period_days, 'day')}</dd>
        <dt>Longest unread</dt>
        <dd>{longest ? <Time at={longest} /> : 'nothing is stored'}</dd>
        <dt>This round ends</dt>
        <dd>{longest ? <Time at={endOfRound(longest, check.period_days)} /> : '–'}</dd>
        <dt>Last stretch</dt>
        <dd>
          {last ? (
            <>
              {formatCount(last.content_count)} read, {formatBytes(last.size_bytes)}, <Time at={last.ended_at} />
            </>
          ) : (
            'not yet'
          )}
        </dd>
      </dl>
    </section>
  )
}

/** By then what waits longest has been read, or the check is behind. */
const endOfRound = (longestUnreadAt: string, days: number): string =>
  new Date(Date.parse(longestUnreadAt) + days * 86_400_000).toISOString()
