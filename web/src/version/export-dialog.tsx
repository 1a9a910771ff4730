import type { ExportTarget, DerivedDatasetVersion as Version } from '@nmp/sdk/generated/records'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { refresh } from '../data/refresh.ts'
import { exportTargetsQuery, queueExportOf } from '../data/versions.ts'
import { Button, Field } from '../parts/controls.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { formatBytes, plural } from '../parts/formats.ts'
import { Select } from '../parts/select.tsx'
import { Failure, Skeleton } from '../parts/states.tsx'
import { useChange } from '../parts/use-change.ts'
import { Losses } from './export-losses.tsx'
import './export-dialog.css'
import { listOptions, readOptions, type TargetOption } from './target-options.ts'

/** Every form that a version can be exported in: who reads it, what it would weigh, what it has no place for. */
export function ExportDialog({ version, onClose }: { version: Version; onClose(): void }) {
  const targets = useQuery(exportTargetsQuery(version.org_slug, version.id))
  const [key, setKey] = useState<string>()
  const [typed, setTyped] = useState<Record<string, string>>({})
  const target = targets.data?.find((one) => one.key === key) ?? targets.data?.[0]
  const options = target ? listOptions(target.options) : []
  const { values, faults } = readOptions(options, typed)
  const isChanged = Object.keys(values).length > 0 && Object.keys(faults).length === 0
  const wished = useQuery({
    ...exportTargetsQuery(version.org_slug, version.id, target && { [target.key]: values }),
    enabled: isChanged,
  })
  const shown = (isChanged && wished.data?.find((one) => one.key === target?.key)) || target
  const start = useChange(() => queueExportOf(version.org_slug, version.id, target?.key ?? '', values), {
    showsFault: true,
    onDone: () => {
      void refresh.exports(version.id)
      onClose()
    },
  })
  return (
    <Dialog title={`Export ${version.slug} ${version.version}`} open onClose={onClose} wide>
      {targets.error && (
        <Failure error={targets.error} what="The forms did not load" onRetry={() => void targets.refetch()} />
      )}
      {targets.isPending && <Skeleton rows={4} height={44} />}
      {targets.data && target && shown && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (Object.keys(faults).length === 0) start.mutate()
          }}
        >
          <fieldset className="export-targets">
            <legend className="visually-hidden">Form</legend>
            {targets.data.map((one) => (
              <TargetChoice
                key={one.key}
                target={one}
                isChosen={one === target}
                onChoose={() => {
                  setKey(one.key)
                  setTyped({})
                }}
              />
            ))}
          </fieldset>
          {options.length > 0 && (
            <div className="export-options">
              {options.map((option) => (
                <OptionField
                  key={option.name}
                  option={option}
                  text={typed[option.name] ?? option.usual}
                  fault={faults[option.name]}
                  onChange={(text) => setTyped({ ...typed, [option.name]: text })}
                />
              ))}
            </div>
          )}
          <Losses losses={shown.losses} none={`${target.title} holds all of this version.`} />
          {isChanged && wished.error && <p className="callout above-12">{wished.error.message}</p>}
          {start.error && <p className="callout above-12">{start.error.message}</p>}
          <div className="row export-foot">
            <span className="mid">
              About {formatBytes(shown.estimated_bytes)} in {plural(shown.estimated_files, 'file')}
              {shown.estimate === 'measuring' && ', being measured'}
              {options.length > 0 && (shown === target ? ', with the usual options' : ', with these options')}
            </span>
            <Button
              type="submit"
              look="primary"
              className="end"
              disabled={start.isPending || Object.keys(faults).length > 0}
            >
              Export
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  )
}

interface TargetChoiceProps {
  target: ExportTarget
  isChosen: boolean
  onChoose(): void
}

const TargetChoice = ({ target, isChosen, onChoose }: TargetChoiceProps) => (
  <label className="export-target" data-chosen={isChosen}>
    <input type="radio" name="target" checked={isChosen} onChange={onChoose} />
    <span className="fill">
      <span className="row export-title">
        <b className="nowrap">{target.title}</b>
        <span className="mono small dim">{target.key}</span>
        <span className="end small mid nowrap">
          about {formatBytes(target.estimated_bytes)}
          {target.losses.length > 0 && `, ${plural(target.losses.length, 'loss', 'losses')}`}
        </span>
      </span>
      <span className="small mid block">{target.readers}</span>
    </span>
  </label>
)

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
