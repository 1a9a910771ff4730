import { useMemo, useRef } from 'react'
import { formatCount } from '../../parts/formats.ts'
import { type Bins, makeBins, medianOf, roundMarks } from './bins.ts'
import './histogram.css'

export interface Range {
  low: number
  high: number
}

interface HistogramProps {
  title: string
  unit: string
  values: readonly number[]
  digits: number
  selected: ReadonlySet<number>
  range: Range | undefined
  /** While dragging and at its end; Shift adds, Alt takes away. */
  onRange(range: Range | undefined, mode: 'set' | 'add' | 'take'): void
}

const width = 440
const height = 114
const plot = 96
/** Above the highest bar, for its count. */
const room = 16

/** Grey is everybody, yellow is the selection; the bracket is the brush. */
export function Histogram({ title, unit, values, digits, selected, range, onRange }: HistogramProps) {
  const bins = useMemo(
    () => makeBins(values, Math.min(54, Math.max(12, Math.ceil(Math.sqrt(values.length) * 2)))),
    [values],
  )
  const chosen = useMemo(() => {
    const counts = new Array<number>(bins.counts.length).fill(0)
    for (const index of selected) {
      const place = bins.places[index]
      if (place !== undefined) counts[place] = (counts[place] ?? 0) + 1
    }
    return counts
  }, [bins, selected])
  const host = useRef<HTMLDivElement>(null)
  const drag = useRef<{ from: number; mode: 'set' | 'add' | 'take' }>(undefined)
  const most = Math.max(1, ...bins.counts)
  const step = width / bins.counts.length
  const toX = (value: number) => Math.max(0, Math.min(1, (value - bins.low) / (bins.high - bins.low))) * width
  const valueAt = (event: React.PointerEvent) => {
    const box = host.current?.getBoundingClientRect()
    if (!box) return bins.low
    const share = Math.max(0, Math.min(1, (event.clientX - box.left) / box.width))
    return bins.low + share * (bins.high - bins.low)
  }
  const nudge = (edge: 'low' | 'high') => (event: React.KeyboardEvent) => {
    const direction = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (direction === 0) return
    event.preventDefault()
    event.stopPropagation()
    const by = direction * bins.width * (event.shiftKey ? 10 : 1)
    moveEdge(edge, edges[edge] + by)
  }
  // Without a brush its edges are those of the plot, and either can be moved in.
  const edges = range ?? { low: bins.low, high: bins.high }
  const moveEdge = (edge: 'low' | 'high', value: number) => {
    const next = { ...edges, [edge]: Math.max(bins.low, Math.min(bins.high, value)) }
    if (next.low < next.high) onRange(next, 'set')
  }
  return (
    <section aria-label={title}>
      <div className="row height-26">
        <h2>{title}</h2>
        <span className="dim small">{unit}</span>
        <span className={`end small ${range ? 'text-pick semibold' : 'dim'}`}>
          {range
            ? `${range.low.toFixed(digits)} to ${range.high.toFixed(digits)}`
            : `median ${medianOf(values).toFixed(digits)}`}
        </span>
      </div>
      <div
        className="histogram"
        ref={host}
        onPointerDown={(event) => {
          if (event.button !== 0 || event.pointerType === 'touch') return
          event.currentTarget.setPointerCapture(event.pointerId)
          drag.current = { from: valueAt(event), mode: event.shiftKey ? 'add' : event.altKey ? 'take' : 'set' }
        }}
        onPointerMove={(event) => {
          if (!drag.current) return
          const now = valueAt(event)
          const { from, mode } = drag.current
          if (Math.abs(now - from) > bins.width / 4)
            onRange({ low: Math.min(now, from), high: Math.max(now, from) }, mode)
        }}
        onPointerUp={(event) => {
          if (drag.current && Math.abs(valueAt(event) - drag.current.from) <= bins.width / 4) onRange(undefined, 'set')
          drag.current = undefined
        }}
      >
        <svg
          className="plot"
          viewBox={`0 0 ${width} ${height}`}
          width="100%"
          height={height}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${title} of ${formatCount(values.length)} episodes from ${bins.low.toFixed(digits)} to ${bins.high.toFixed(digits)}`}
        >
          <path className="grid-line" d={`M0 ${(plot + room) / 2}H${width}M0 ${room}H${width}`} />
          {range && (
            <rect
              className="brush"
              x={toX(range.low)}
              y={0}
              width={Math.max(1, toX(range.high) - toX(range.low))}
              height={plot}
            />
          )}
          {bins.counts.map((count, index) =>
            count === 0 ? null : (
              <rect
                // biome-ignore lint/suspicious/noArrayIndexKey: a bin is its place
                key={index}
                className="bar"
                x={index * step + 0.75}
                width={Math.max(0.5, step - 1.5)}
                y={plot - Math.max(2, (count / most) * (plot - room))}
                height={Math.max(2, (count / most) * (plot - room))}
              />
            ),
          )}
          {chosen.map((count, index) =>
            count === 0 ? null : (
              <rect
                // biome-ignore lint/suspicious/noArrayIndexKey: a bin is its place
                key={index}
                className="bar chosen"
                x={index * step + 0.75}
                width={Math.max(0.5, step - 1.5)}
                y={plot - Math.max(2, (count / most) * (plot - room))}
                height={Math.max(2, (count / most) * (plot - room))}
              />
            ),
          )}
          <path d={`M0 ${plot + 0.5}H${width}`} stroke="var(--line-2)" vectorEffect="non-scaling-stroke" />
          {range && (
            <path
              className="bracket"
              vectorEffect="non-scaling-stroke"
              d={`M${toX(range.low) + 5} 1h-5v${plot - 1}h5M${toX(range.high) - 5} 1h5v${plot - 1}h-5`}
            />
          )}
        </svg>
        {(['low', 'high'] as const).map((edge) => (
          <div
            key={edge}
            className="histogram-edge"
            data-set={range !== undefined}
            style={{ left: `${(toX(edges[edge]) / width) * 100}%` }}
            role="slider"
            tabIndex={0}
            aria-label={`${title}, ${edge === 'low' ? 'lower' : 'upper'} edge`}
            aria-valuemin={bins.low}
            aria-valuemax={bins.high}
            aria-valuenow={edges[edge]}
            aria-valuetext={edges[edge].toFixed(digits)}
            onKeyDown={nudge(edge)}
            onPointerDown={(event) => {
              event.stopPropagation()
              event.currentTarget.setPointerCapture(event.pointerId)
            }}
            onPointerMove={(event) => {
              event.stopPropagation()
              if (event.currentTarget.hasPointerCapture(event.pointerId)) moveEdge(edge, valueAt(event))
            }}
            onPointerUp={(event) => event.stopPropagation()}
          />
        ))}
        <div className="histogram-marks smallest dim narrow" aria-hidden="true">
          {roundMarks(bins.low, bins.high).map((mark) => (
            <span key={mark} style={{ left: `${(toX(mark) / width) * 100}%` }}>
              {mark.toFixed(digits > 2 ? 3 : mark % 1 === 0 ? 0 : 1)}
            </span>
          ))}
          <span className="histogram-most">{formatCount(most)}</span>
        </div>
      </div>
      <BinTable title={title} bins={bins} chosen={chosen} digits={digits} />
    </section>
  )
}

interface BinTableProps {
  title: string
  bins: Bins
  chosen: readonly number[]
  digits: number
}

/** The plot in words, for those who do not see it. */
const BinTable = ({ title, bins, chosen, digits }: BinTableProps) => (
  <table className="visually-hidden">
    <caption>{title}, episodes by range</caption>
    <thead>
      <tr>
        <th>From</th>
        <th>To</th>
        <th>Episodes</th>
        <th>Selected</th>
      </tr>
    </thead>
    <tbody>
      {bins.counts.map((count, at) =>
        count === 0 ? null : (
          // biome-ignore lint/suspicious/noArrayIndexKey: a bin is its place
          <tr key={at}>
            <td>{(bins.low + at * bins.width).toFixed(digits)}</td>
            <td>{(bins.low + (at + 1) * bins.width).toFixed(digits)}</td>
            <td>{count}</td>
            <td>{chosen[at]}</td>
          </tr>
        ),
      )}
    </tbody>
  </table>
)
