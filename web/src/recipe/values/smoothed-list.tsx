import type { ActionStep } from '../../data/recipe/recipe-draft.ts'
import { type ActionDimension, canChoose, isSmoothed, toggleSmoothed } from '../../data/recipe/smoothed-dimensions.ts'
import { Check } from '../../parts/controls.tsx'
import { findFault } from '../../parts/faults.ts'
import '../steps.css'

interface SmoothedListProps {
  action: ActionStep
  dimensions: readonly ActionDimension[]
  error: unknown
  onChange(action: ActionStep): void
}

/** More of them are scrolled, in a frame. */
const mostInView = 9

/** Which dimensions are smoothed, each by itself. */
export function SmoothedList({ action, dimensions, error, onChange }: SmoothedListProps) {
  if (dimensions.length < 2) return null
  if (!canChoose(dimensions))
    return <p className="small dim above-8">All dimensions are smoothed: some share a name, so none can be chosen.</p>
  const unknown = action.smoothing_dimensions?.filter((name) => !dimensions.some((one) => one.name === name)) ?? []
  const smoothed = dimensions.filter(({ name }) => isSmoothed(action, name)).length
  const fault =
    findFault(error, 'recipe', 'action', 'smoothing_dimensions') ??
    (unknown.length > 0 ? `The action has no dimension ${unknown.join(', ')}.` : undefined)
  return (
    <fieldset className="smoothed-list above-12" data-long={dimensions.length > mostInView}>
      <legend className="label">Smoothed dimensions</legend>
      {dimensions.length > mostInView && (
        <p className="small dim below-4">
          {smoothed} of {dimensions.length}
        </p>
      )}
      <ul>
        {dimensions.map(({ name, isSwitch }) => (
          <li key={name}>
            <label className="row gap-8">
              <Check
                checked={isSmoothed(action, name)}
                onChange={() => onChange(toggleSmoothed(action, dimensions, name))}
              />
              <span className="clip">{name}</span>
              {isSwitch && (
                <span className="end chip" title="Smoothing would give it values in between">
                  8 values or fewer
                </span>
              )}
            </label>
          </li>
        ))}
      </ul>
      {fault && <p className="text-flag small above-4">{fault}</p>}
      {dimensions.some(({ isSwitch }) => isSwitch) && (
        <p className="small dim above-4">
          A gripper that is open or shut, or another switch, is left alone unless you tick it: smoothing would give it
          values in between that were never commanded.
        </p>
      )}
    </fieldset>
  )
}
