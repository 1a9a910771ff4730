import { useQuery } from '@tanstack/react-query'
import { firstSignalsQuery } from '../data/dataset.ts'
import { formatValue, plural } from '../parts/formats.ts'
import './import-previews.css'
import './signal-sparks.css'

const most = 14

/** The first episode's numbers, each dimension a small curve with its range. */
export function SignalSparks({ datasetId }: { datasetId: string }) {
  const rows = useQuery(firstSignalsQuery(datasetId))
  const wanted = rows.data?.series.filter(
    ({ name, dtype }) => dtype.startsWith('float') && (name === 'action' || name === 'observation.state'),
  )
  if (!rows.data || !wanted?.length) return null
  return (
    <div className="previews">
      {wanted.map(({ name, names, values }) => (
        <section key={name} className="above-12" aria-label={name}>
          <h3>
            {name === 'action' ? 'Action' : 'State'}, {plural(values.length, 'dimension')} over{' '}
            {plural(rows.data.length_frames, 'frame')} of episode 0
          </h3>
          <div className="signal-sparks">
            {values.slice(0, most).map((line, at) => (
              <Spark
                key={names?.[at] ?? at}
                name={names?.[at] ?? String(at)}
                values={line.map((one) => (typeof one === 'number' ? one : null))}
                color={name === 'action' ? 'var(--action-line)' : 'var(--state-line)'}
              />
            ))}
            {values.length > most && <span className="dim small">and {values.length - most} more</span>}
          </div>
        </section>
      ))}
    </div>
  )
}

function Spark({ name, values, color }: { name: string; values: (number | null)[]; color: string }) {
  const known = values.filter((one) => one !== null)
  const low = Math.min(...known)
  const high = Math.max(...known)
  const path = values
    .map((value, at) => {
      if (value === null) return ''
      const x = (at / Math.max(1, values.length - 1)) * 100
      const y = 28 - ((value - low) / (high - low || 1)) * 26
      return `${at === 0 || values[at - 1] === null ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`
    })
    .join('')
  return (
    <figure>
      <figcaption className="clip" title={name}>
        {name.replaceAll('_', ' ')}
      </figcaption>
      <svg viewBox="0 0 100 30" preserveAspectRatio="none" role="img" aria-label={`${name}, ${low} to ${high}`}>
        <path d={path} fill="none" stroke={color} strokeWidth="1.25" vectorEffect="non-scaling-stroke" />
      </svg>
      <span className="dim">
        {known.length > 0 ? `${formatValue(low, Math.abs(high))}, ${formatValue(high, Math.abs(high))}` : 'no number'}
      </span>
    </figure>
  )
}
