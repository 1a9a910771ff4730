import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef } from 'react'
import { toggleSelected, useSelection } from '../app/selection.ts'
import type { Flag } from '../dataset/flags-query.ts'
import type { Insights } from '../dataset/insights-query.ts'
import { Poster } from '../dataset/poster.tsx'
import { filteringQuery, type Manifest } from '../dataset/queries.ts'
import { rankOf } from '../dataset/rank.ts'
import { Sparkline } from '../dataset/sparkline.tsx'
import { useCurves } from '../dataset/use-curves.ts'
import { Check } from '../parts/controls.tsx'
import { formatCount, formatOrdinal } from '../parts/formats.ts'
import { Icon } from '../parts/icon.tsx'

interface SelectionListProps {
  dataset: Manifest
  insights: Insights
  flags: readonly Flag[]
  sortBy: 'length' | 'motion' | 'variance'
}

/** The reason in words beside each episode; without a selection, the episodes of least motion. */
export function SelectionList({ dataset, insights, flags, sortBy }: SelectionListProps) {
  const selected = useSelection(dataset.id)
  const filtering = useQuery(filteringQuery(dataset.id))
  const scroll = useRef<HTMLDivElement>(null)
  const hasSelection = selected.size > 0
  const indices = useMemo(() => {
    const source = hasSelection
      ? [...selected]
      : (filtering.data?.low_motion_episodes.map(({ episode_index }) => episode_index) ?? [])
    const values = { length: insights.lengthFrames, motion: insights.motion, variance: insights.variance }[sortBy]
    const direction = sortBy === 'variance' ? -1 : 1
    return hasSelection ? source.sort((a, b) => direction * ((values[a] ?? 0) - (values[b] ?? 0))) : source
  }, [selected, hasSelection, filtering.data, insights, sortBy])
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
  const reasons = useMemo(() => {
    const words = new Map<number, string>()
    for (const one of filtering.data?.high_variance_episodes ?? []) words.set(one.episode_index, one.score_label)
    for (const one of filtering.data?.low_motion_episodes ?? []) words.set(one.episode_index, one.score_label)
    return words
  }, [filtering.data])
  const medianSeconds = dataset.statistics.median_episode_sec
  const explain = (index: number): string => {
    const seconds = (insights.lengthFrames[index] ?? 0) / dataset.metrics.fps
    if (sortBy === 'length') return `${seconds.toFixed(1)} s against a median of ${medianSeconds.toFixed(1)} s`
    if (sortBy === 'variance')
      return `${formatOrdinal(rankOf(insights.variance, insights.variance[index] ?? 0))} of 100 by variance`
    const still = insights.stillSeconds[index] ?? 0
    if (still > 0.5) return `still for ${still.toFixed(2)} s of ${seconds.toFixed(1)} s`
    return (
      reasons.get(index) ?? `${formatOrdinal(rankOf(insights.motion, insights.motion[index] ?? 0))} of 100 by motion`
    )
  }
  return (
    <section className="ins-list" aria-label="Selection">
      <div className="row" style={{ height: 32 }}>
        <h2>{hasSelection ? 'Selection' : 'Least motion'}</h2>
        <span className="count">{formatCount(indices.length)}</span>
        <span className="end sm dim">
          {sortBy === 'variance'
            ? 'highest variance first'
            : sortBy === 'length'
              ? 'shortest first'
              : 'lowest motion first'}
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard (WCAG 2.1.1) */}
      <div className="ins-scroll" ref={scroll} tabIndex={0} role="group" aria-label="Episodes and why they are listed">
        <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {rows.map(({ index: row, start }) => {
            const index = indices[row] ?? 0
            const reason = flags.find(({ episode_index }) => episode_index === index)?.reason
            return (
              <div className="ins-row" key={index} style={{ transform: `translateY(${start}px)` }}>
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
                >
                  <span className="row">
                    <b>{index}</b>
                    <span className="dim">
                      {((insights.lengthFrames[index] ?? 0) / dataset.metrics.fps).toFixed(2)} s
                    </span>
                    {reason && (
                      <span className="chip flag tiny">
                        <Icon name="flag" />
                        {reason}
                      </span>
                    )}
                  </span>
                  <span className="sm mid block clip">{explain(index)}</span>
                </Link>
                <span className="ins-score">
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
