import type { EpisodeRows } from '@nmp/sdk/generated/records'
import { useState } from 'react'
import { findFactor, type MergedColumn, type UnitChange, unitChanges } from '../../data/recipe/source-map.ts'
import { Button } from '../../parts/controls.tsx'
import { Select } from '../../parts/select.tsx'
import { MapReason, type SuggestedRow } from './map-reason.tsx'
import { findCurve, OverlaidCurves } from './overlaid-curves.tsx'
import './source-map.css'

interface DimensionLinesProps {
  ours: MergedColumn
  theirs: MergedColumn
  picked: readonly (string | undefined)[]
  units: readonly (UnitChange | undefined)[]
  suggested: {
    picked: readonly (string | undefined)[]
    units: readonly (UnitChange | undefined)[]
    rows: readonly SuggestedRow[]
  }
  rows: { ours: EpisodeRows | undefined; theirs: EpisodeRows | undefined }
  onChange(picked: string[], units: (UnitChange | undefined)[]): void
}

const asItIs = 'as it is'
const name = (change: UnitChange | undefined) => (change ? change.join(' to ') : asItIs)
const unitOptions = [undefined, ...unitChanges].map((change) => ({ value: name(change), label: name(change) }))

/** Which of theirs each dimension is, in which unit, with the curves of both. What is not known yet is asked for; the map has it when all are. */
export function DimensionLines({ ours, theirs, units, suggested, rows, onChange, ...props }: DimensionLinesProps) {
  const [choice, setChoice] = useState<readonly (string | undefined)[]>()
  const isKnown = props.picked.every((label) => label !== undefined)
  const picked = isKnown ? props.picked : (choice ?? props.picked)
  const labels = ours.labels ?? []
  const change = (next: (string | undefined)[], nextUnits = [...units]) => {
    setChoice(next)
    if (next.every((label) => label !== undefined)) onChange(next, nextUnits)
  }
  // One dimension is one of ours: the other takes its place.
  const pick = (at: number, label: string) => {
    const before = picked.indexOf(label)
    change(picked.map((one, place) => (place === at ? label : place === before ? picked[at] : one)))
  }
  const inTheirOrder = () => change(labels.map((_, at) => theirs.labels?.[at]))
  return (
    <>
      {!isKnown && (
        <p className="row wrap small mid above-4">
          No name tells which is which.
          <Button small onClick={inTheirOrder}>
            Take them in their order
          </Button>
        </p>
      )}
      <ol className="map-dimensions" aria-label={`Dimensions of ${ours.name}`}>
        {labels.map((label, at) => {
          const own = picked[at]
          const place = own === undefined ? -1 : (theirs.labels?.indexOf(own) ?? -1)
          const dimensionRow = suggested.rows.find(
            (row) => row.kind === 'dimension' && row.ours === `${ours.name}.${label}`,
          )
          const unitRow = suggested.rows.find(
            (row) => row.kind === 'unit' && row.theirs.startsWith(`${theirs.name}.${own}: `),
          )
          const isOtherUnit = name(units[at]) !== name(suggested.units[at])
          return (
            <li key={label} className="map-dimension">
              <OverlaidCurves
                label={label}
                ours={findCurve(rows.ours, ours, label)}
                theirs={findCurve(rows.theirs, theirs, own)}
                factor={findFactor(units[at])}
                ourExtent={{ min: ours.min[at], max: ours.max[at] }}
                theirExtent={{ min: theirs.min[place], max: theirs.max[place] }}
                hue={ours.name === 'action' ? 'action' : 'state'}
              />
              <Select
                label={`${label}, from their`}
                showLabel
                value={own ?? ''}
                options={[
                  ...(own === undefined ? [{ value: '', label: 'Choose…' }] : []),
                  ...(theirs.labels ?? []).map((one) => ({ value: one, label: one })),
                ]}
                onChange={(value) => value !== '' && pick(at, value)}
              />
              <Select
                label={`Unit of ${label}`}
                showLabel
                value={name(units[at])}
                options={unitOptions}
                disabled={!isKnown}
                onChange={(value) =>
                  change(
                    [...picked],
                    units.map((unit, one) => (one === at ? unitChanges.find((two) => name(two) === value) : unit)),
                  )
                }
              />
              {own !== undefined && (
                <div className="map-dimension-reasons">
                  {(dimensionRow || own !== suggested.picked[at]) && (
                    <MapReason row={dimensionRow} isCorrected={own !== suggested.picked[at]} faults={[]} />
                  )}
                  {(unitRow || isOtherUnit) && <MapReason row={unitRow} isCorrected={isOtherUnit} faults={[]} />}
                </div>
              )}
            </li>
          )
        })}
      </ol>
    </>
  )
}
