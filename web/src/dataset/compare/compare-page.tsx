import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { type Diff, diffQuery, tryDiffAgain } from '../../data/diff.ts'
import { Button } from '../../parts/controls.tsx'
import { Empty, Failure, Skeleton } from '../../parts/states.tsx'
import { useChange } from '../../parts/use-change.ts'
import { ChangedFeatures, ChangedRecipe, ChangedTasks, MovedStatistics } from './changed-facts.tsx'
import { EpisodeStrips } from './episode-strips.tsx'
import { SideChooser } from './side-chooser.tsx'
import './compare-page.css'

const routeApi = getRouteApi('/signed-in/orgs/$org/compare')

/** What differs between two datasets, revisions or versions. */
export function ComparePage() {
  const { org } = routeApi.useParams()
  const { from, to } = routeApi.useSearch()
  const isChosen = from !== undefined && to !== undefined
  const sides = { org, from: from ?? '', to: to ?? '' }
  const diff = useQuery({ ...diffQuery(sides), enabled: isChosen })
  const names = diff.data ? `${nameOf(diff.data.from)} and ${nameOf(diff.data.to)}` : ''
  useEffect(() => {
    document.title = `Compare${names ? ` ${names}` : ''} · nmp`
  }, [names])
  return (
    <div className="page">
      <h1 className="title below-12">Compare</h1>
      <Choosers org={org} from={from} to={to} diff={diff.data} />
      {!isChosen && (
        <Empty title="Choose two to compare">
          Datasets, revisions and versions. Episodes are known by what they hold, whatever their numbers are.
        </Empty>
      )}
      {diff.error && (
        <Failure error={diff.error} what="They could not be compared" onRetry={() => void diff.refetch()} />
      )}
      {isChosen && diff.isPending && !diff.error && <Skeleton rows={8} />}
      {diff.data && diff.data.state !== 'ready' && (
        <Preparing diff={diff.data} sides={sides} onAgain={() => void diff.refetch()} />
      )}
      {diff.data && <Report diff={diff.data} sides={sides} />}
    </div>
  )
}

const nameOf = ({ slug, number }: Diff['from']): string => `${slug} ${number}`

interface ChoosersProps {
  org: string
  from: string | undefined
  to: string | undefined
  diff: Diff | undefined
}

function Choosers({ org, from, to, diff }: ChoosersProps) {
  const navigate = useNavigate()
  const show = (search: { from: string | undefined; to: string | undefined }) =>
    void navigate({ to: '/orgs/$org/compare', params: { org }, search })
  return (
    <div className="compare-sides below-16">
      <SideChooser label="From" org={org} id={from} side={diff?.from} onChange={(id) => show({ from: id, to })} />
      <Button
        className="compare-swap"
        icon="loop"
        disabled={from === undefined || to === undefined}
        onClick={() => show({ from: to, to: from })}
      >
        Swap
      </Button>
      <SideChooser label="To" org={org} id={to} side={diff?.to} onChange={(id) => show({ from, to: id })} />
    </div>
  )
}

interface PreparingProps {
  diff: Diff
  sides: { org: string; from: string; to: string }
  onAgain: () => void
}

function Preparing({ diff, sides, onAgain }: PreparingProps) {
  const again = useChange(() => tryDiffAgain(sides), { onDone: onAgain })
  return (
    <div className="callout calm below-16" role="status">
      {diff.preparing.map(({ side, message, progress_pct: done, state }) => (
        <div key={side} className="below-4">
          <p>
            <b>{nameOf(side === 'from' ? diff.from : diff.to)}</b>: {message}
          </p>
          {state !== 'failed' && (
            <progress className="full-width" max={100} value={done} aria-label={`Reading ${side}`} />
          )}
        </div>
      ))}
      {diff.state === 'failed' && (
        <Button icon="again" disabled={again.isPending} onClick={() => again.mutate()}>
          Read it again
        </Button>
      )}
    </div>
  )
}

function Report({ diff, sides }: { diff: Diff; sides: { org: string; from: string; to: string } }) {
  const isEqual =
    diff.counts !== null &&
    Object.entries(diff.counts).every(([kind, count]) => kind === 'same' || count === 0) &&
    diff.features?.length === 0
  return (
    <>
      {isEqual && (
        <Empty title="They hold the same">
          Every row, every packet and every task of every episode is equal, whatever its number.
        </Empty>
      )}
      <div className="compare-body">
        <div className="compare-main">
          {diff.counts && <EpisodeStrips diff={diff} counts={diff.counts} sides={sides} />}
        </div>
        <div className="compare-facts">
          {diff.features && diff.features.length > 0 && <ChangedFeatures features={diff.features} />}
          {diff.statistics && <MovedStatistics statistics={diff.statistics} />}
          <ChangedTasks tasks={diff.tasks} />
          {diff.recipe.length > 0 && <ChangedRecipe keys={diff.recipe} />}
        </div>
      </div>
    </>
  )
}
