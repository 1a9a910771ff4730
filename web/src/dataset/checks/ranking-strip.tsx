import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { Ranked, Rule } from '../../data/checks.ts'
import type { Manifest } from '../../data/dataset.ts'
import { namePlace } from '../../data/episodes/rank.ts'
import { beginWalk } from '../../data/episodes/walk.ts'
import { useSelection } from '../../session/selection.ts'
import { formatMeasured } from './measured.ts'
import './ranking-strip.css'

interface RankingStripProps {
  dataset: Manifest
  rule: Rule
  /** The lowest first. */
  ranked: readonly Ranked[]
}

const [width, height] = [1000, 120]
const mostBars = 250
const marks = [5, 25, 50, 75, 95]

/** Every episode in the order of its value: bars where they can be told apart, one shape where they cannot. */
export function RankingStrip({ dataset, rule, ranked }: RankingStripProps) {
  const navigate = useNavigate()
  const selected = useSelection(dataset.id)
  const [at, setAt] = useState<number>()
  const { low, high } = useMemo(() => findRange(ranked), [ranked])
  const step = width / ranked.length
  const heightOf = (value: number) => Math.max(2, ((value - low) / (high - low || 1)) * (height - 14))
  const pointed = at === undefined ? undefined : ranked[at]
  const placeOf = (event: React.PointerEvent<HTMLElement> | React.MouseEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    const share = (event.clientX - box.left) / box.width
    return Math.max(0, Math.min(ranked.length - 1, Math.floor(share * ranked.length)))
  }
  const open = (place: number) => {
    const episode = ranked[place]?.episode_index
    if (episode === undefined) return
    beginWalk(dataset.id, { indices: ranked.map(({ episode_index }) => episode_index), words: `by ${rule.id}` })
    void navigate({
      to: '/datasets/$datasetId/episodes/$episode',
      params: { datasetId: dataset.id, episode: String(episode) },
    })
  }
  return (
    <div className="ranking">
      <div className="row small min-height-20">
        {pointed ? (
          <b>
            Episode {pointed.episode_index}: {formatMeasured(pointed.value, rule.unit)},{' '}
            {namePlace(pointed.percentile, ranked.length)}
          </b>
        ) : (
          <span className="mid">{rule.unit === 'none' ? 'without a unit' : rule.unit}, the lowest at the left</span>
        )}
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the mouse's shortcut; the lists below are links */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the mouse's shortcut; the lists below are links */}
      <div
        className="ranking-plot"
        onPointerMove={(event) => setAt(placeOf(event))}
        onPointerLeave={() => setAt(undefined)}
        onClick={(event) => open(placeOf(event))}
      >
        <svg
          className="plot"
          viewBox={`0 0 ${width} ${height}`}
          width="100%"
          height={height}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${rule.id} of ${ranked.length} episodes from ${formatMeasured(ranked[0]?.value ?? 0, rule.unit)} to ${formatMeasured(ranked.at(-1)?.value ?? 0, rule.unit)}`}
        >
          <path className="grid-line" d={`M0 ${height / 2}H${width}M0 14H${width}`} />
          {ranked.length > mostBars ? (
            <path className="bar" d={drawShape(ranked, heightOf)} />
          ) : (
            ranked.map(({ episode_index: index, value }, place) => (
              <rect
                key={index}
                className={selected.has(index) || place === at ? 'bar chosen' : 'bar'}
                x={place * step + step * 0.1}
                width={step * 0.8}
                y={height - heightOf(value)}
                height={heightOf(value)}
              />
            ))
          )}
        </svg>
        <div className="ranking-marks smallest dim" aria-hidden="true">
          {marks.map((mark) => (
            <span key={mark} style={{ left: `${mark}%` }}>
              {mark === 50 ? 'median' : `p${mark}`}
              <span className="desktop-only"> {formatMeasured(valueAt(ranked, mark), rule.unit)}</span>
            </span>
          ))}
        </div>
      </div>
    </div>
  )
}

const valueAt = (ranked: readonly Ranked[], percent: number): number =>
  ranked[Math.round(((ranked.length - 1) * percent) / 100)]?.value ?? 0

/** From nothing on, where values are amounts; from the lowest on, where they are scores below zero. */
function findRange(ranked: readonly Ranked[]): { low: number; high: number } {
  const [first, last] = [ranked[0]?.value ?? 0, ranked.at(-1)?.value ?? 0]
  if (first >= 0) return { low: 0, high: last }
  return { low: first - (last - first) * 0.06, high: last }
}

function drawShape(ranked: readonly Ranked[], heightOf: (value: number) => number): string {
  const step = width / ranked.length
  const points = ranked.map(
    ({ value }, place) => `L${(place * step).toFixed(1)} ${(height - heightOf(value)).toFixed(1)}`,
  )
  const end = ranked.at(-1)
  return `M0 ${height}${points.join('')}L${width} ${height - heightOf(end?.value ?? 0)}L${width} ${height}Z`
}
