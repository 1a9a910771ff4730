import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { type Manifest, useManifest } from '../../data/dataset.ts'
import { useFlags } from '../../data/flags.ts'
import { type Insights, insightsQuery } from '../../data/insights.ts'
import { formatCount, plural } from '../../parts/formats.ts'
import { Empty, Failure, Skeleton } from '../../parts/states.tsx'
import { useKeys } from '../../session/keys.ts'
import { setSelection, useSelection } from '../../session/selection.ts'
import { DatasetFrame } from '../dataset-frame.tsx'
import { Histogram, type Range } from './histogram.tsx'
import { Scatter } from './scatter.tsx'
import { SelectionList } from './selection-list.tsx'
import { SignalRoles } from './signal-roles.tsx'
import './insights-page.css'

const routeApi = getRouteApi('/datasets/$datasetId/insights')

export function InsightsPage() {
  const { datasetId } = routeApi.useParams()
  const dataset = useManifest(datasetId)
  const insights = useQuery(insightsQuery(datasetId))
  const title = dataset.data?.title
  useEffect(() => {
    document.title = `Insights${title ? `, ${title}` : ''} · nmp`
  }, [title])
  const error = dataset.error ?? insights.error
  if (dataset.data && insights.data)
    return (
      <DatasetFrame dataset={dataset.data} canExcludeByKey>
        <Workbench dataset={dataset.data} insights={insights.data} />
      </DatasetFrame>
    )
  const wait = (
    <div className="page">
      {error ? (
        <Failure
          error={error}
          what="The insights did not load"
          onRetry={() => void Promise.all([dataset.refetch(), insights.refetch()])}
        />
      ) : (
        <Skeleton />
      )}
    </div>
  )
  return dataset.data ? <DatasetFrame dataset={dataset.data}>{wait}</DatasetFrame> : wait
}

type Plot = 'length' | 'motion' | 'variance'

/** Three histograms, one scatter, one list, one selection. */
function Workbench({ dataset, insights }: { dataset: Manifest; insights: Insights }) {
  const navigate = useNavigate()
  const selected = useSelection(dataset.id)
  const flags = useFlags(dataset)
  const flagged = useMemo(() => new Set(flags.data?.map(({ episode_index }) => episode_index) ?? []), [flags.data])
  const seconds = useMemo(
    () => insights.lengthFrames.map((frames) => frames / dataset.metrics.fps),
    [insights, dataset.metrics.fps],
  )
  const values = { length: seconds, motion: insights.motion, variance: insights.variance }
  const search = routeApi.useSearch()
  const go = routeApi.useNavigate()
  const [brush, setBrush] = useState<{ plot: Plot; range: Range } | undefined>(() =>
    search.plot && search.from !== undefined && search.to !== undefined
      ? { plot: search.plot, range: { low: search.from, high: search.to } }
      : undefined,
  )
  const [before, setBefore] = useState<ReadonlySet<number>>(new Set())
  // A link to a brush selects what it held; from then on the address follows the brush, once it rests.
  const isFirst = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: by the brush alone
  useEffect(() => {
    if (isFirst.current && brush) setSelection(dataset.id, findInside(values[brush.plot], brush.range))
    const wasFirst = isFirst.current
    isFirst.current = false
    if (wasFirst) return
    const next = brush
      ? { plot: brush.plot, from: roundValue(brush.range.low), to: roundValue(brush.range.high) }
      : { plot: undefined, from: undefined, to: undefined }
    const timer = setTimeout(() => void go({ search: next, replace: true }), 250)
    return () => clearTimeout(timer)
  }, [brush])
  const join = (found: number[], mode: 'set' | 'add' | 'take', base: ReadonlySet<number>) => {
    if (mode === 'set') return setSelection(dataset.id, found)
    const next = new Set(base)
    for (const index of found) {
      if (mode === 'add') next.add(index)
      else next.delete(index)
    }
    setSelection(dataset.id, next)
  }
  const onRange = (plot: Plot) => (range: Range | undefined, mode: 'set' | 'add' | 'take') => {
    if (!range) {
      setBrush(undefined)
      setSelection(dataset.id, [])
      return
    }
    // A brush that adds starts from what was selected when it began.
    const base = brush?.plot === plot ? before : selected
    if (brush?.plot !== plot) setBefore(selected)
    setBrush({ plot, range })
    join(findInside(values[plot], range), mode, base)
  }
  const hadSelection = useRef(false)
  useEffect(() => {
    if (hadSelection.current && selected.size === 0) setBrush(undefined)
    hadSelection.current = selected.size > 0
  }, [selected.size])
  useKeys({ Escape: () => setBrush(undefined) })
  const rangeOf = (plot: Plot) => (brush?.plot === plot ? brush.range : undefined)
  return (
    <div className="insights">
      <div className="insights-body">
        <div className="row small dim desktop-only">
          <span>
            Every episode, every frame: {plural(insights.total, 'episode')},{' '}
            {plural(dataset.metrics.total_frames, 'frame')}, nothing sampled
          </span>
          <span className="end nowrap">Drag to select, Shift to add, Alt to remove, Esc to clear</span>
        </div>
        {insights.note && <p className="small mid">{insights.note}</p>}
        <SignalRoles dataset={dataset} />
        <div className="insights-histograms">
          <Histogram
            title="Length"
            unit="seconds"
            digits={2}
            values={seconds}
            selected={selected}
            range={rangeOf('length')}
            onRange={onRange('length')}
          />
          {insights.supportsMotion && (
            <>
              <Histogram
                title="Motion"
                unit="mean step, range-scaled"
                digits={4}
                values={insights.motion}
                selected={selected}
                range={rangeOf('motion')}
                onRange={onRange('motion')}
              />
              <Histogram
                title="Variance"
                unit="mean second difference"
                digits={4}
                values={insights.variance}
                selected={selected}
                range={rangeOf('variance')}
                onRange={onRange('variance')}
              />
            </>
          )}
        </div>
        <div className="insights-lower">
          <section className="insights-scatter" aria-label="Motion and variance">
            <div className="row height-32">
              <h2>Motion and variance</h2>
              <span className="end row small mid gap-14 nowrap">
                <Legend fill="var(--pick)" edge="var(--pick-edge)">
                  selected {formatCount(selected.size)}
                </Legend>
                <Legend fill="none" edge="var(--flag)">
                  flagged {formatCount(flagged.size)}
                </Legend>
                <span className="desktop-only">
                  <Legend fill="var(--bars)" edge="none">
                    episode
                  </Legend>
                </span>
              </span>
            </div>
            {insights.supportsMotion ? (
              <Scatter
                motion={insights.motion}
                variance={insights.variance}
                selected={selected}
                flagged={flagged}
                onSelect={(found, mode) => {
                  setBrush(undefined)
                  join(found, mode, selected)
                }}
                onOpen={(index) =>
                  void navigate({
                    to: '/datasets/$datasetId/episodes/$episode',
                    params: { datasetId: dataset.id, episode: String(index) },
                  })
                }
              />
            ) : (
              <Empty title="No motion to compare">{insights.note ?? 'Only lengths are compared.'}</Empty>
            )}
          </section>
          <SelectionList dataset={dataset} insights={insights} flags={flags.data ?? []} brushed={brush?.plot} />
        </div>
      </div>
    </div>
  )
}

const findInside = (values: readonly number[], { low, high }: Range): number[] =>
  values.flatMap((value, index) => (value >= low && value <= high ? [index] : []))

const roundValue = (value: number): number => Number(value.toPrecision(4))

const Legend = ({ fill, edge, children }: { fill: string; edge: string; children: React.ReactNode }) => (
  <span className="row gap-6">
    <svg width="12" height="12" aria-hidden="true">
      <circle cx="6" cy="6" r="4.500" fill={fill} stroke={edge} strokeWidth="1.5" />
    </svg>
    {children}
  </span>
)
