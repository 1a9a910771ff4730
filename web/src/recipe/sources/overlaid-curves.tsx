import type { EpisodeRows } from '@nmp/sdk/generated/records'
import type { MergedColumn } from '../../data/recipe/source-map.ts'
import { formatValue } from '../../parts/formats.ts'
import './source-map.css'

type Curve = readonly (number | null)[]

/** A dimension's numbers in the first episode. */
export function findCurve(rows: EpisodeRows | undefined, column: MergedColumn, label: string | undefined): Curve {
  const series = rows?.series.find(({ name }) => name === column.source)
  if (!series || label === undefined) return []
  const at = series.names?.includes(label) ? series.names.indexOf(label) : Number(label)
  return (series.values[at] ?? []).map((value) => (typeof value === 'number' ? value : null))
}

interface Extent {
  min: number | undefined
  max: number | undefined
}

interface OverlaidCurvesProps {
  label: string
  ours: Curve
  theirs: Curve
  /** What their numbers are multiplied by. */
  factor: number
  ourExtent: Extent
  theirExtent: Extent
  /** The hue that such numbers have everywhere. */
  hue: 'action' | 'state'
}

/** Both over the length of their first episode, on one scale: ours in grey, theirs in colour as it will be. The ranges are of all episodes. */
export function OverlaidCurves({ label, ours, theirs, factor, ourExtent, theirExtent, hue }: OverlaidCurvesProps) {
  const changed = theirs.map((value) => (value === null ? null : value * factor))
  const all = [...ours, ...changed].filter((value) => value !== null)
  const [low, high] = [Math.min(...all), Math.max(...all)]
  const said = (extent: Extent, by = 1) =>
    `${formatValue((extent.min ?? Number.NaN) * by, 10)} to ${formatValue((extent.max ?? Number.NaN) * by, 10)}`
  return (
    <figure className="map-curves">
      <svg
        viewBox="0 0 100 30"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}: ours ${said(ourExtent)}, theirs ${theirExtent.min === undefined ? 'not chosen' : said(theirExtent, factor)}`}
      >
        <path className="plot-line faint bold" d={drawCurve(ours, low, high)} />
        <path className={`plot-line ${hue}`} d={drawCurve(changed, low, high)} />
      </svg>
      <figcaption>
        <span className="dim">{said(ourExtent)}</span>
        {theirExtent.min !== undefined && (
          <span className={hue === 'action' ? 'text-action' : 'text-state'}>{said(theirExtent, factor)}</span>
        )}
      </figcaption>
    </figure>
  )
}

function drawCurve(values: Curve, low: number, high: number): string {
  const step = 100 / Math.max(1, values.length - 1)
  return values
    .map((value, at) => {
      if (value === null) return ''
      const y = 28 - ((value - low) / (high - low || 1)) * 26
      const before = values[at - 1]
      return `${before === undefined || before === null ? 'M' : 'L'}${(at * step).toFixed(1)} ${y.toFixed(1)}`
    })
    .join('')
}
