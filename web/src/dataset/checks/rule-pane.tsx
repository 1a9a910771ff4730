import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { type Checks, findingsQuery, type Rule, type RuleCounts } from '../../data/checks.ts'
import type { Manifest } from '../../data/dataset.ts'
import { Failure, Skeleton } from '../../parts/states.tsx'
import { CutOff } from './cut-off.tsx'
import { FindingList } from './finding-list.tsx'
import { RuleHead } from './rule-head.tsx'
import { SetValues } from './set-values.tsx'

interface RulePaneProps {
  dataset: Manifest
  checks: Checks
  /** Undefined for what reading the files says, which is no rule's. */
  rule: Rule | undefined
  counts: RuleCounts
  /** A cut-off that the address brings along. */
  tried: number | undefined
}

const routeApi = getRouteApi('/datasets/$datasetId/checks')
const restMs = 150

/** One rule: what it measures, from where on, what to do, and everything that it found. */
export function RulePane({ dataset, checks, rule, counts, tried }: RulePaneProps) {
  const go = routeApi.useNavigate()
  const inForce = counts.cut_off
  const [cutOff, setCutOff] = useState<number | null>(tried ?? inForce)
  // The same once it rests: what the list is asked for.
  const [asked, setAsked] = useState(cutOff)
  // What was saved, or taken back, is what is shown next.
  const [known, setKnown] = useState(inForce)
  if (known !== inForce) {
    setKnown(inForce)
    setCutOff(inForce)
    setAsked(inForce)
  }
  useEffect(() => {
    const timer = setTimeout(() => setAsked(cutOff), restMs)
    return () => clearTimeout(timer)
  }, [cutOff])
  // Of a rule that needs another run only the list of the last one is there, whatever is typed.
  const wanted = asked === null || asked === inForce || rule?.loosest == null ? undefined : asked
  useEffect(() => {
    if (wanted === tried) return
    void go({ search: { rule: counts.id, cut_off: wanted }, replace: true })
  }, [wanted, tried, counts.id, go])
  const findings = useQuery(findingsQuery(dataset.id, counts.id, wanted))
  const items = useMemo(() => findings.data?.items ?? [], [findings.data])
  return (
    <section aria-label={counts.id}>
      <RuleHead id={counts.id} rule={rule} counts={counts} />
      <SetValues values={checks.set_values.filter(({ rule: id }) => id === counts.id)} />
      {counts.failed && (
        <div className="callout below-16" role="alert">
          <p>
            <b>This rule gave no result: {counts.failed}</b>
          </p>
          <p className="mid">The other rules are not touched by it. Check again, and report it if it stays.</p>
        </div>
      )}
      {rule && inForce !== null && rule.cut_off !== null && (
        <CutOff
          dataset={dataset}
          checks={checks}
          rule={rule}
          counts={counts}
          value={cutOff ?? inForce}
          onChange={setCutOff}
        />
      )}
      {findings.error ? (
        <Failure error={findings.error} what="What was found did not load" onRetry={() => void findings.refetch()} />
      ) : findings.data ? (
        <FindingList
          dataset={dataset}
          counts={counts}
          direction={rule?.direction ?? 'above'}
          findings={items}
          isComing={findings.isPlaceholderData || asked !== cutOff}
          lookedAt={checks}
        />
      ) : (
        <Skeleton rows={4} height={90} />
      )}
    </section>
  )
}
