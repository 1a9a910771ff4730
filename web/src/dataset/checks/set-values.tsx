import type { Checks } from '../../data/checks.ts'
import { formatValue, plural } from '../../parts/formats.ts'
import './set-values.css'

/** What all episodes together measure: no finding, and worth knowing before one trains on them. */
export function SetValues({ values }: { values: Checks['set_values'] }) {
  if (values.length === 0) return null
  return (
    <ul className="set-values" aria-label="Of the whole set">
      {values.map(({ rule, camera, value, confidence, agreeing, measured, sentence }) => (
        <li key={`${rule} ${camera}`} title={sentence}>
          <span className="dim">{camera === null ? 'State follows action' : `${camera} follows the arm`}</span>
          <b>{plural(value, 'frame')}</b>
          <span className="mid small">
            confidence {formatValue(confidence)}, {agreeing} of {plural(measured, 'episode')} agree
          </span>
        </li>
      ))}
    </ul>
  )
}
