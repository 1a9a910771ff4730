import type { Rule } from '../../data/checks.ts'
import { type CutOffScale, formatCutOff } from '../../data/recipe/cut-off.ts'
import './cut-off.css'

interface CutOffTrackProps {
  rule: Rule
  scale: CutOffScale
  /** Of what the loosest cut-off finds: each is a tick. */
  values: readonly number[]
  own: number
  value: number
  onChange(value: number): void
}

const mostPlaces = 200
const mostTicks = 400

/** The handle, the default, and a tick for each finding: what lies on the dark side is found. */
export function CutOffTrack({ rule, scale, values, own, value, onChange }: CutOffTrackProps) {
  const places = scale.isWhole ? Math.max(1, scale.high - scale.low) : mostPlaces
  const placeOf = (at: number) => Math.round(scale.toShare(at) * places)
  const isDown = rule.direction === 'below'
  const at = scale.toShare(value) * 100
  // The default can be hit again exactly, whatever its neighbours are rounded to.
  const move = (place: number) => onChange(place === placeOf(own) ? own : scale.toValue(place / places))
  const words = `${formatCutOff(value)}${rule.unit === 'none' ? '' : ` ${rule.unit}`}`
  return (
    <div className="cutoff-track">
      <div className="cutoff-scale" aria-hidden="true">
        <i className="cutoff-found" style={isDown ? { left: 0, width: `${at}%` } : { left: `${at}%`, right: 0 }} />
        {values.slice(0, mostTicks).map((one, place) => (
          <i
            // biome-ignore lint/suspicious/noArrayIndexKey: ticks are all alike
            key={place}
            className="cutoff-tick"
            data-found={isDown ? one <= value : one >= value}
            style={{ left: `${scale.toShare(one) * 100}%` }}
          />
        ))}
        <span className="cutoff-own smallest" style={{ left: `${scale.toShare(own) * 100}%` }}>
          {/* At an end of the track it stays inside. */}
          <span style={{ transform: `translateX(-${scale.toShare(own) * 100}%)` }}>default {formatCutOff(own)}</span>
        </span>
      </div>
      <input
        type="range"
        className="cutoff-range"
        min={0}
        max={places}
        step={1}
        value={placeOf(value)}
        aria-label={`Cut-off in ${rule.unit}`}
        aria-valuetext={words}
        onChange={(event) => move(Number(event.target.value))}
      />
      <div className="cutoff-ends smallest dim" aria-hidden="true">
        <span>
          {formatCutOff(scale.low, 3)}, {isDown ? 'finds less' : 'finds more'}
        </span>
        <span>
          {isDown ? 'finds more' : 'finds less'}, {formatCutOff(scale.high, 3)}
        </span>
      </div>
    </div>
  )
}
