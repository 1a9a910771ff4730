import type { ExportTarget, VersionArtifact } from '@nmp/sdk/generated/records'
import { Field } from '../parts/controls.tsx'
import { formatBytes, plural } from '../parts/formats.ts'
import { Select } from '../parts/select.tsx'
import './export-dialog.css'
import { Losses } from './export-losses.tsx'
import { FormChip } from './form-chip.tsx'
import { listOptions, readOptions, type TargetOption } from './target-options.ts'

interface TargetChoiceProps {
  target: ExportTarget
  /** Of the artifact that there is. */
  status: VersionArtifact['status'] | undefined
  isChosen: boolean
  typed: Readonly<Record<string, string>>
  onChoose(isChosen: boolean): void
  onType(texts: Record<string, string>): void
}

/** A form in the list; chosen, with its options and what it has no place for. */
export function TargetChoice({ target, status, isChosen, typed, onChoose, onType }: TargetChoiceProps) {
  const options = isChosen ? listOptions(target.options) : []
  const { faults } = readOptions(options, typed)
  return (
    <div className="export-target" data-chosen={isChosen}>
      <label className="export-choice">
        <input type="checkbox" checked={isChosen} onChange={(event) => onChoose(event.target.checked)} />
        <span className="fill">
          <span className="row export-title">
            <b className="nowrap">{target.title}</b>
            <span className="mono small dim">{target.key}</span>
            {status && status !== 'planned' && <FormChip status={status} />}
            <span className="end small mid nowrap">
              about {formatBytes(target.estimated_bytes)} in {plural(target.estimated_files, 'file')}
              {target.losses.length > 0 && `, ${plural(target.losses.length, 'loss', 'losses')}`}
            </span>
          </span>
          <span className="small mid block">{target.readers}</span>
        </span>
      </label>
      {isChosen && (
        <div className="export-chosen" role="group" aria-label={target.title}>
          {options.length > 0 && (
            <div className="export-options">
              {options.map((option) => (
                <OptionField
                  key={option.name}
                  option={option}
                  text={typed[option.name] ?? option.usual}
                  fault={faults[option.name]}
                  onChange={(text) => onType({ ...typed, [option.name]: text })}
                />
              ))}
            </div>
          )}
          <Losses losses={target.losses} none={`${target.title} holds all of this version.`} />
        </div>
      )}
    </div>
  )
}

interface OptionFieldProps {
  option: TargetOption
  text: string
  fault: string | undefined
  onChange(text: string): void
}

function OptionField({ option, text, fault, onChange }: OptionFieldProps) {
  const choices = option.type === 'boolean' ? ['true', 'false'] : option.choices
  return (
    <div>
      {choices ? (
        <Select
          label={option.name}
          showLabel
          value={text}
          options={choices.map((value) => ({ value, label: value }))}
          onChange={onChange}
        />
      ) : (
        <Field
          label={option.name}
          showLabel
          value={text}
          fault={fault}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
      <p className="small dim above-4">{option.description}</p>
    </div>
  )
}
