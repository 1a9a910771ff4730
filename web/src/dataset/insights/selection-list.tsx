import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef, useState } from 'react'
import { filteringQuery, type Manifest } from '../../data/dataset.ts'
import { useEpisodeLabels } from '../../data/episodes/episode-labels.ts'
import { listBySuccess } from '../../data/episodes/label-lists.ts'
import { listOutliers } from '../../data/episodes/outliers.ts'
import { beginWalk } from '../../data/episodes/walk.ts'
import type { Flag } from '../../data/flags.ts'
import type { Insights } from '../../data/insights.ts'
import { Poster } from '../../episode/poster.tsx'
import { Sparkline } from '../../episode/sparkline.tsx'
import { SuccessMark } from '../../episode/success-mark.tsx'
import { useCurves } from '../../episode/use-curves.ts'
import { Button, Check, Segmented } from '../../parts/controls.tsx'
import { formatCount } from '../../parts/formats.ts'
import { Icon } from '../../parts/icon.tsx'
import { addToSelection, toggleSelected, useSelection } from '../../session/selection.ts'
import { type Measure, makeReasons } from './reasons.ts'
import './selection-list.css'

interface SelectionListProps {
  dataset: Manifest
  insights: Insights
  flags: readonly Flag[]
  /** The plot that has the brush. */
  brushed: Measure | undefined
}

const mostListed = 50
const rankedWords = { length: 'that are shortest', motion: 'that move least', variance: 'that vary most' }
const orders = { length: 'shortest first', motion: 'least motion first', variance: 'highest variance first' }

/** Those that move least or shake most, with the reason in words; beside them what is selected, which a brush opens and a tick does not. */
export function SelectionList({ dataset, insights, flags, brushed }: SelectionListProps) {
  const selected = useSelection(dataset.id)
  const filtering = useQuery(filteringQuery(dataset.id))
  const labels = useEpisodeLabels(dataset)
  const scroll = useRef<HTMLDivElement>(null)
  const [listed, setListed] = useState<'motion' | 'variance'>('motion')
  const [wanted, setWanted] = useState<'ranking' | 'selection' | 'failure'>(brushed ? 'selection' : 'ranking')
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the brush begins or ends, not when it moves
  useEffect(() => setWanted(brushed ? 'selection' : 'ranking'), [brushed === undefined])
  const hasSelection = selected.size > 0 && wanted === 'selection'
  const failed = useMemo(() => listBySuccess(labels, false), [labels])
  const isFailed = failed.length > 0 && wanted === 'failure'
  const { fps } = dataset.metrics
  const outliers = listOutliers(filtering.data)
  const measured: Measure = insights.supportsMotion ? listed : 'length'
  const sortBy = hasSelection ? (brushed ?? measured) : measured
  const indices = useMemo(() => {
    const { lengthFrames, leastMotion, mostVariance } = insights
    const byLength = () =>
      [...lengthFrames.keys()].sort((a, b) => (lengthFrames[a] ?? 0) - (lengthFrames[b] ?? 0) || a - b)
    const ranked = sortBy === 'length' ? byLength() : { motion: leastMotion, variance: mostVariance }[sortBy]
    if (isFailed) {
      const those = new Set(failed)
      return ranked.filter((index) => those.has(index))
    }
    return hasSelection ? ranked.filter((index) => selected.has(index)) : ranked.slice(0, mostListed)
  }, [selected, hasSelection, failed, isFailed, insights, sortBy])
  const virtual = useVirtualizer({
    count: indices.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => 50,
    overscan: 8,
  })
  const rows = virtual.getVirtualItems()
  const curves = useCurves(
    dataset.id,
    rows.map(({ index }) => indices[index] ?? 0),
  )
  const camera = dataset.observation.cameras[0]
  const explain = useMemo(
    () => makeReasons({ insights, filtering: filtering.data, fps }),
    [insights, filtering.data, fps],
  )
  const words = isFailed ? 'that failed' : hasSelection ? 'selected' : rankedWords[sortBy]
  const far = isFailed
    ? failed
    : { length: [], motion: outliers?.lowMotion ?? [], variance: outliers?.highVariance ?? [] }[sortBy]
  const farWords = isFailed ? 'failed' : far.length === 1 ? 'stands out' : 'stand out'
  const isFarSelected = far.every((index) => selected.has(index))
  const tabs: { value: 'motion' | 'variance' | 'length' | 'failure' | 'selection'; label: string }[] = [
    ...(insights.supportsMotion
      ? ([
          { value: 'motion', label: 'Least motion' },
          { value: 'variance', label: 'Most variance' },
        ] as const)
      : ([{ value: 'length', label: 'Shortest' }] as const)),
    ...(failed.length > 0 ? [{ value: 'failure' as const, label: `Failed ${formatCount(failed.length)}` }] : []),
    ...(selected.size > 0 ? [{ value: 'selection' as const, label: `Selected ${formatCount(selected.size)}` }] : []),
  ]
  return (
    <section className="selection-list" aria-label={hasSelection ? 'Selection' : 'Episodes to look at'}>
      <div className="row wrap min-height-36">
        <Segmented
          label="List"
          small
          value={isFailed ? 'failure' : hasSelection ? 'selection' : measured}
          onChange={(next) => {
            setWanted(next === 'selection' || next === 'failure' ? next : 'ranking')
            if (next === 'motion' || next === 'variance') setListed(next)
          }}
          options={tabs}
        />
        <span className="end small mid">
          {hasSelection || (!insights.supportsMotion && !isFailed) ? (
            orders[sortBy]
          ) : far.length === 0 ? (
            `none of ${formatCount(insights.total)} stands out`
          ) : isFarSelected ? (
            `${formatCount(far.length)} of ${formatCount(insights.total)} ${farWords}, all selected`
          ) : (
            <Button small onClick={() => addToSelection(dataset.id, far)}>
              Select the {formatCount(far.length)} that {farWords}
            </Button>
          )}
        </span>
      </div>
      <div
        className="selection-scroll"
        ref={scroll}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard (WCAG 2.1.1)
        tabIndex={0}
        role="group"
        aria-label="Episodes and why they are listed"
      >
        <div className="relative" style={{ height: virtual.getTotalSize() }}>
          {rows.map(({ index: row, start }) => {
            const index = indices[row] ?? 0
            const reason = flags.find(({ episode_index }) => episode_index === index)?.reason
            return (
              <div className="selection-row" key={index} style={{ transform: `translateY(${start}px)` }}>
                <Check
                  kind="row"
                  aria-label={`Select episode ${index}`}
                  checked={selected.has(index)}
                  onChange={() => toggleSelected(dataset.id, index)}
                />
                {camera && (
                  <Poster
                    dataset={dataset}
                    episode={index}
                    camera={camera.key}
                    frame={Math.floor((insights.lengthFrames[index] ?? 0) * 0.45)}
                    className="thumb"
                    width={54}
                    height={40}
                  />
                )}
                <Link
                  className="fill"
                  to="/datasets/$datasetId/episodes/$episode"
                  params={{ datasetId: dataset.id, episode: String(index) }}
                  onClick={() => beginWalk(dataset.id, { indices, words })}
                >
                  <span className="row">
                    <b>{index}</b>
                    <span className="dim nowrap">{((insights.lengthFrames[index] ?? 0) / fps).toFixed(2)} s</span>
                    <SuccessMark success={labels?.get(index)?.success} isRecorded={labels?.get(index)?.isRecorded} />
                    {reason && (
                      <span className="chip flag tiny">
                        <Icon name="flag" />
                        {reason}
                      </span>
                    )}
                  </span>
                  <span className="small mid block clip" title={explain(index, sortBy)}>
                    {explain(index, sortBy)}
                  </span>
                </Link>
                <span className="selection-score">
                  <b>{(sortBy === 'variance' ? insights.variance[index] : insights.motion[index])?.toFixed(4)}</b>
                  <Sparkline curve={curves.get(index)} width={70} height={16} />
                </span>
              </div>
            )
          })}
        </div>
      </div>
    </section>
  )
}
