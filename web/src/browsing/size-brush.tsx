import { useRef } from 'react'
import type { BrowsePage } from '../data/catalog.ts'
import { Segmented } from '../parts/controls.tsx'
import { formatBytes, formatCount, formatShortDuration } from '../parts/formats.ts'
import { type CatalogSearch, type Measure, measures, noRange, rangeOf } from './search.ts'
import './facet-list.css'

interface SizeBrushProps {
  found: BrowsePage['histograms'] | undefined
  search: CatalogSearch
  onChange(next: Partial<CatalogSearch>): void
}

const names: Record<Measure, string> = { seconds: 'hours', bytes: 'bytes', episodes: 'episodes' }
const formats: Record<Measure, (value: number) => string> = {
  seconds: (value) => (value === 0 ? '0' : formatShortDuration(value)),
  bytes: formatBytes,
  episodes: (value) => formatCount(Math.round(value)),
}
export const formatMeasure = (measure: Measure, value: number): string => formats[measure](value)

const width = 188
const plot = 40

/** Bins of half a power of ten; dragging takes whole ones, and each edge is a slider. */
export function SizeBrush({ found, search, onChange }: SizeBrushProps) {
  const measure: Measure = search.measure ?? 'seconds'
  const bins = useKnownBins(found?.[measure], measure)
  const host = useRef<HTMLDivElement>(null)
  const from = useRef<number>(undefined)
  const range = rangeOf(search, measure)
  const [first, last] = [bins[0], bins.at(-1)]
  if (!first || !last) return null
  const step = width / bins.length
  const most = Math.max(1, ...bins.map(({ count }) => count))
  const lowAt = range
    ? Math.max(
        0,
        bins.findIndex(({ high }) => high > range.low),
      )
    : 0
  const highAt = range?.high === undefined ? bins.length : bins.filter(({ low }) => low < (range.high ?? 0)).length
  const choose = (low: number, high: number) => {
    if (low >= high) return
    const isAll = low === 0 && high === bins.length
    onChange(
      isAll
        ? noRange(measure)
        : {
            [`min_${measure}`]: low === 0 ? undefined : bins[low]?.low,
            [`max_${measure}`]: high === bins.length ? undefined : bins[high - 1]?.high,
          },
    )
  }
  const binAt = (event: React.PointerEvent) => {
    const box = host.current?.getBoundingClientRect()
    if (!box) return 0
    return Math.max(0, Math.min(bins.length - 1, Math.floor(((event.clientX - box.left) / box.width) * bins.length)))
  }
  const nudge = (edge: 'low' | 'high') => (event: React.KeyboardEvent) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (by === 0) return
    event.preventDefault()
    event.stopPropagation()
    if (edge === 'low') choose(Math.max(0, lowAt + by), highAt)
    else choose(lowAt, Math.min(bins.length, highAt + by))
  }
  const format = formats[measure]
  return (
    <fieldset className="facet">
      <legend className="visually-hidden">Size</legend>
      <div className="row below-6">
        <span className="facet-name" aria-hidden="true">
          Size
        </span>
        <span className="end">
          <Segmented
            label="Size by"
            small
            value={measure}
            onChange={(next: Measure) => onChange({ measure: next === 'seconds' ? undefined : next })}
            options={measures.map((value) => ({ value, label: names[value] }))}
          />
        </span>
      </div>
      <div
        className="size-brush"
        ref={host}
        onPointerDown={(event) => {
          if (event.button !== 0) return
          event.currentTarget.setPointerCapture(event.pointerId)
          from.current = binAt(event)
        }}
        onPointerMove={(event) => {
          if (from.current === undefined || event.pointerType === 'touch') return
          const now = binAt(event)
          if (now !== from.current) choose(Math.min(now, from.current), Math.max(now, from.current) + 1)
        }}
        onPointerUp={(event) => {
          const at = binAt(event)
          const isOnly = lowAt === at && highAt === at + 1
          if (from.current === at) isOnly ? onChange(noRange(measure)) : choose(at, at + 1)
          from.current = undefined
        }}
      >
        <svg viewBox={`0 0 ${width} ${plot}`} width="100%" height={plot} preserveAspectRatio="none" aria-hidden="true">
          {range && <rect className="brush" x={lowAt * step} y={0} width={(highAt - lowAt) * step} height={plot} />}
          {bins.map(({ low, count }, at) => {
            const tall = count === 0 ? 1 : Math.max(3, (count / most) * (plot - 3))
            return (
              <rect
                key={low}
                className={range && at >= lowAt && at < highAt ? 'bar chosen' : 'bar'}
                x={at * step + 0.75}
                width={step - 1.5}
                y={plot - tall}
                height={tall}
              />
            )
          })}
          {range && (
            <path
              className="bracket"
              vectorEffect="non-scaling-stroke"
              d={`M${lowAt * step + 4} 1h-3v${plot - 1}h3M${highAt * step - 4} 1h3v${plot - 1}h-3`}
            />
          )}
        </svg>
        {(['low', 'high'] as const).map((edge) => {
          const place = edge === 'low' ? lowAt : highAt
          const value = edge === 'low' ? (bins[place]?.low ?? 0) : (bins[place - 1]?.high ?? 0)
          return (
            <div
              key={edge}
              className="size-edge"
              style={{ left: `${(place / bins.length) * 100}%` }}
              role="slider"
              tabIndex={0}
              aria-label={edge === 'low' ? `At least, in ${names[measure]}` : `At most, in ${names[measure]}`}
              aria-valuemin={0}
              aria-valuemax={bins.length}
              aria-valuenow={place}
              aria-valuetext={format(value)}
              onKeyDown={nudge(edge)}
            />
          )
        })}
      </div>
      <div className="row smallest dim narrow" aria-hidden="true">
        <span className={range ? 'text-pick semibold' : ''}>{format(range?.low ?? first.low)}</span>
        <span className={`end ${range ? 'text-pick semibold' : ''}`}>{format(range?.high ?? last.high)}</span>
      </div>
    </fieldset>
  )
}

const edgeOf = (bin: number): number => (bin === 0 ? 0 : Number((10 ** (bin / 2)).toPrecision(6)))
const binOf = (low: number): number => (low === 0 ? 0 : Math.round(Math.log10(low) * 2))

/** Without gaps, and as wide as it ever was: the axis does not move while filters change. */
function useKnownBins(found: { low: number; count: number }[] | undefined, measure: Measure) {
  const extents = useRef(new Map<Measure, { low: number; high: number }>())
  const counts = new Map(found?.map(({ low, count }) => [binOf(low), count]))
  const known = extents.current.get(measure)
  const places = [...counts.keys(), ...(known ? [known.low, known.high] : [])]
  if (places.length === 0) return []
  const extent = { low: Math.min(...places), high: Math.max(...places) }
  extents.current.set(measure, extent)
  return Array.from({ length: extent.high - extent.low + 1 }, (_, at) => {
    const bin = extent.low + at
    return { low: edgeOf(bin), high: edgeOf(bin + 1), count: counts.get(bin) ?? 0 }
  })
}
