import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { type Checks, checkRulesQuery, checksQuery, isUnderWay, type Rule } from '../../data/checks.ts'
import { type Manifest, useManifest } from '../../data/dataset.ts'
import { refresh } from '../../data/refresh.ts'
import { Icon } from '../../parts/icon.tsx'
import { Empty, Failure, Skeleton } from '../../parts/states.tsx'
import { DatasetFrame } from '../dataset-frame.tsx'
import { ChecksNav } from './checks-nav.tsx'
import { LookFirst } from './look-first.tsx'
import { RankingPane } from './ranking-pane.tsx'
import { RulePane } from './rule-pane.tsx'
import { NothingYet, RunState } from './run-state.tsx'
import './checks-page.css'

const routeApi = getRouteApi('/datasets/$datasetId/checks')

export function ChecksPage() {
  const { datasetId } = routeApi.useParams()
  const dataset = useManifest(datasetId)
  const rules = useQuery(checkRulesQuery)
  const checks = useQuery(checksQuery(datasetId, dataset.data))
  const title = dataset.data?.title
  useEffect(() => {
    document.title = `Checks${title ? `, ${title}` : ''} · nmp`
  }, [title])
  const error = dataset.error ?? rules.error ?? checks.error
  if (dataset.data && rules.data && checks.data)
    return (
      <DatasetFrame dataset={dataset.data}>
        <Report dataset={dataset.data} rules={rules.data} checks={checks.data} />
      </DatasetFrame>
    )
  const wait = (
    <div className="page">
      {error ? (
        <Failure
          error={error}
          what="The checks did not load"
          onRetry={() => void Promise.all([dataset.refetch(), rules.refetch(), checks.refetch()])}
        />
      ) : (
        <Skeleton />
      )}
    </div>
  )
  return dataset.data ? <DatasetFrame dataset={dataset.data}>{wait}</DatasetFrame> : wait
}

interface ReportProps {
  dataset: Manifest
  rules: readonly Rule[]
  checks: Checks
}

function Report({ dataset, rules, checks }: ReportProps) {
  const { rule: shown, cut_off: tried } = routeApi.useSearch()
  const counts = checks.rules.find(({ id }) => id === shown)
  const rule = rules.find(({ id }) => id === shown)
  const isMoving = [checks.signals, checks.pictures].some(isUnderWay)
  // What a run found is there when it has ended: lists that are open are of before.
  useEffect(() => {
    if (!isMoving) return
    return () => void refresh.checks(dataset.id)
  }, [isMoving, dataset.id])
  const hasResults = checks.rules.length > 0
  return (
    <div className="checks" data-rule={shown !== undefined}>
      <RunState dataset={dataset} checks={checks} />
      {hasResults ? (
        <div className="checks-body">
          <ChecksNav
            datasetId={dataset.id}
            rules={rules}
            checks={checks}
            shown={shown}
            hasCameras={dataset.observation.cameras.length > 0}
          />
          <div className="checks-main">
            {shown !== undefined && (
              <Link
                className="checks-back link small"
                to="/datasets/$datasetId/checks"
                params={{ datasetId: dataset.id }}
              >
                <Icon name="left" small />
                All checks
              </Link>
            )}
            {shown === undefined ? (
              <LookFirst dataset={dataset} checks={checks} />
            ) : counts?.kind === 'ranking' && rule ? (
              <RankingPane key={shown} dataset={dataset} rule={rule} />
            ) : counts ? (
              <RulePane key={shown} dataset={dataset} checks={checks} rule={rule} counts={counts} tried={tried} />
            ) : rule ? (
              <NotLookedAt rule={rule} />
            ) : (
              <Empty title={`There is no rule ${shown}`}>Choose one of the list.</Empty>
            )}
          </div>
        </div>
      ) : (
        <NothingYet dataset={dataset} checks={checks} rules={rules} />
      )}
    </div>
  )
}

const NotLookedAt = ({ rule }: { rule: Rule }) => (
  <Empty title={rule.family === 'pictures' ? 'The pictures have not been looked at yet' : 'This has not been measured'}>
    {rule.sentence}
  </Empty>
)
