import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { firstSignalsQuery } from '../../data/dataset.ts'
import {
  type ColumnChoice,
  chooseColumn,
  findColumn,
  listPicked,
  listSpareColumns,
  listUnits,
  type MergedColumn,
  setColumn,
  writeColumn,
} from '../../data/recipe/source-map.ts'
import { Button, Field } from '../../parts/controls.tsx'
import { plural } from '../../parts/formats.ts'
import { Select } from '../../parts/select.tsx'
import type { MapLinesProps } from './camera-lines.tsx'
import { DimensionLines } from './dimension-lines.tsx'
import { LineFaults, MapReason } from './map-reason.tsx'
import { findLineFaults } from './source-faults.ts'
import './source-map.css'

const out = '(out)'
const constant = '(constant)'

/** What each of our columns is made of: one of theirs, a constant, or nothing at all. */
export function ColumnLines(props: MapLinesProps) {
  const { place, first, other, map, suggested, faults, onChange } = props
  const [ours, theirs] = [first.side.columns, other.side.columns]
  return (
    <section aria-label="Features">
      <div className="row wrap">
        <h3>Features</h3>
        <span className="end row small gap-14">
          <span className="legend">
            <i />
            ours
          </span>
          <span className="legend">
            <i className="state" />
            <i className="action" />
            theirs, as it will be
          </span>
          <span className="dim">first episode of each, ranges of all</span>
        </span>
      </div>
      <ul className="map-lines">
        {ours.map((column) => (
          <ColumnLine key={column.name} {...props} column={column} />
        ))}
        {listSpareColumns(map, theirs, ours).map(({ column, isLeftOut }) => (
          <li key={column.name} className="map-line" data-off={isLeftOut}>
            <ColumnName column={column} />
            <div>
              <span className="label">Only theirs</span>
              {isLeftOut ? (
                <Button small onClick={() => onChange(setColumn(map, column.name, undefined))}>
                  Left out; take it back
                </Button>
              ) : (
                <Button small onClick={() => onChange(setColumn(map, column.name, null))}>
                  Leave it out
                </Button>
              )}
            </div>
            <div className="map-reason">
              {suggested.rows
                .filter(({ kind, theirs: name }) => kind === 'feature' && name === column.name)
                .map(({ reason }) => (
                  <p key={reason}>{reason}</p>
                ))}
              <LineFaults faults={isLeftOut ? [] : findLineFaults(faults, place, 'features', column.name)} />
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

const ColumnName = ({ column }: { column: MergedColumn }) => (
  <div className="map-name">
    <b className="break-anywhere">{column.name}</b>
    <span className="dim small">
      {column.dtype}
      {column.shape.length > 0 && ` ${column.shape.join(' x ')}`}
    </span>
  </div>
)

const nameChoice = (choice: ColumnChoice): string =>
  choice.kind === 'from' ? choice.column.name : choice.kind === 'fill' ? constant : choice.kind === 'out' ? out : ''

function ColumnLine({ column, ...props }: MapLinesProps & { column: MergedColumn }) {
  const { place, first, other, map, suggested, faults, onChange } = props
  const theirs = other.side.columns
  const choice = findColumn(map, theirs, column.name)
  const before = findColumn(suggested.map, theirs, column.name)
  const row = suggested.rows.find(({ kind, ours }) => kind === 'feature' && ours === column.name)
  const hasIt = theirs.some(({ name }) => name === column.name)
  const choose = (value: string) => {
    if (value === out) onChange(setColumn(map, column.name, null))
    else if (value === constant) onChange(setColumn(map, column.name, { fill: column.dtype === 'string' ? '' : 0 }))
    else if (value !== '') onChange(chooseColumn(map, column.name, value))
  }
  return (
    <li className="map-line" data-off={choice.kind === 'out'}>
      <ColumnName column={column} />
      <Select
        label={`${column.name}, from their`}
        showLabel
        value={nameChoice(choice)}
        options={[
          ...(choice.kind === 'missing' ? [{ value: '', label: 'Choose…' }] : []),
          ...theirs.map(({ name }) => ({ value: name, label: name })),
          ...(hasIt ? [] : [{ value: constant, label: 'Fill with a constant' }]),
          { value: out, label: 'Leave it out of the result' },
        ]}
        onChange={choose}
      />
      <MapReason
        row={row}
        isOpen={choice.kind === 'missing'}
        isCorrected={nameChoice(choice) !== nameChoice(before)}
        faults={findLineFaults(
          faults,
          place,
          'features',
          column.name,
          choice.kind === 'from' ? choice.column.name : undefined,
        )}
      />
      {choice.kind === 'fill' && (
        <div className="map-wide">
          <FillField
            key={column.name}
            column={column}
            fill={choice.fill}
            onChange={(fill) => onChange(setColumn(map, column.name, { fill }))}
          />
        </div>
      )}
      {choice.kind === 'from' && column.labels && choice.column.labels && (
        <Dimensions
          key={choice.column.name}
          {...{ first, other, map, suggested, column, onChange }}
          theirs={choice.column}
          entry={choice.entry}
          before={before}
        />
      )}
    </li>
  )
}

type DimensionsProps = Pick<MapLinesProps, 'first' | 'other' | 'map' | 'suggested' | 'onChange'> & {
  column: MergedColumn
  theirs: MergedColumn
  entry: Extract<ColumnChoice, { kind: 'from' }>['entry']
  before: ColumnChoice
}

/** Open where something is said of a dimension, or has to be. */
function Dimensions({ first, other, map, suggested, column, theirs, entry, before, onChange }: DimensionsProps) {
  const [labels, others] = [column.labels ?? [], theirs.labels ?? []]
  const picked = listPicked(column, theirs, entry)
  const units = listUnits(column, entry)
  const was = before.kind === 'from' && before.column.name === theirs.name ? before.entry : {}
  const isSaid = Object.keys(entry).some((key) => key !== 'from') || picked.includes(undefined)
  const [isOpen, setOpen] = useState(isSaid)
  const rows = {
    ours: useQuery({ ...firstSignalsQuery(first.dataset.id), enabled: isOpen }).data,
    theirs: useQuery({ ...firstSignalsQuery(other.dataset.id), enabled: isOpen }).data,
  }
  if (labels.length === 0) return null
  if (others.length < labels.length)
    return (
      <p className="map-wide small text-flag">
        Ours has {plural(labels.length, 'dimension')}, theirs {others.length}: choose fewer of ours in the step
        Features.
      </p>
    )
  return (
    <div className="map-wide">
      <Button small look="ghost" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {plural(labels.length, 'dimension')}
        {isSaid ? '' : ', the same on both sides'}
      </Button>
      {isOpen && (
        <DimensionLines
          ours={column}
          theirs={theirs}
          picked={picked}
          units={units}
          suggested={{ picked: listPicked(column, theirs, was), units: listUnits(column, was), rows: suggested.rows }}
          rows={rows}
          onChange={(next, nextUnits) =>
            onChange(setColumn(map, column.name, writeColumn(column, theirs, next, nextUnits)))
          }
        />
      )}
    </div>
  )
}

interface FillFieldProps {
  column: MergedColumn
  fill: number | string | number[]
  onChange(fill: number | string | number[]): void
}

/** One number for all, or one for each dimension with commas between them; of texts the text itself. */
function FillField({ column, fill, onChange }: FillFieldProps) {
  const [text, setText] = useState(Array.isArray(fill) ? fill.join(', ') : String(fill))
  const isText = column.dtype === 'string'
  const numbers = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)))
  const isRead = isText || numbers.every(Number.isFinite)
  return (
    <Field
      label={`Constant for ${column.name}`}
      showLabel
      className="max-width-340"
      value={text}
      maxLength={2000}
      fault={isRead ? undefined : 'A number, or as many as there are dimensions, with commas between them.'}
      onChange={(event) => {
        setText(event.target.value)
        if (isText) return onChange(event.target.value)
        const next = event.target.value.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)))
        if (next.every(Number.isFinite)) onChange(next.length === 1 ? (next[0] ?? 0) : next)
      }}
    />
  )
}
