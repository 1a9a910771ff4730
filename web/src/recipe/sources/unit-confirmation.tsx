import type { ApartRange } from '../../data/recipe/source-map.ts'
import { Check } from '../../parts/controls.tsx'
import { formatValue } from '../../parts/formats.ts'

interface UnitConfirmationProps {
  apart: readonly ApartRange[]
  isConfirmed: boolean
  onChange(isConfirmed: boolean): void
}

const most = 12
const say = ([low, high]: [number, number]) => `${formatValue(low)} to ${formatValue(high)}`

/** Says what is confirmed, dimension by dimension, before it is. */
export function UnitConfirmation({ apart, isConfirmed, onChange }: UnitConfirmationProps) {
  if (apart.length === 0 && !isConfirmed) return null
  return (
    <section aria-label="Units that cannot be told" className="callout calm below-16">
      <p>
        <b>Ranges that have no number in common</b>
      </p>
      <ul className="small mid">
        {apart.slice(0, most).map(({ column, label, ours, theirs }) => (
          <li key={`${column} ${label}`}>
            {column}, {label}: {say(ours)} in ours, {say(theirs)} in theirs
          </li>
        ))}
        {apart.length > most && <li>and {apart.length - most} more</li>}
        {apart.length === 0 && <li>none as it stands</li>}
      </ul>
      <label className="row above-6 items-start">
        <Check checked={isConfirmed} onChange={(event) => onChange(event.target.checked)} />
        <span>I have looked: these numbers are of one unit all the same. Nothing is converted.</span>
      </label>
    </section>
  )
}
