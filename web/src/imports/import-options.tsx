import type { ImportOptions } from '@nmp/sdk/generated/records'
import { Field } from '../parts/controls.tsx'
import { findFault } from '../parts/faults.ts'
import { Select } from '../parts/select.tsx'

/** As it is typed; empty where the file decides, or what was said before. */
export interface OptionsDraft {
  task: string
  fps: string
  colorOrder: '' | 'rgb' | 'bgr'
  flip: '' | 'yes' | 'no'
}

export const noOptions: OptionsDraft = { task: '', fps: '', colorOrder: '', flip: '' }

export const readOptions = ({ task, fps, colorOrder, flip }: OptionsDraft): ImportOptions => ({
  ...(task.trim() ? { task: task.trim() } : {}),
  ...(Number(fps) > 0 ? { fps: Number(fps) } : {}),
  ...(colorOrder ? { color_order: colorOrder } : {}),
  ...(flip ? { flip_vertical: flip === 'yes' } : {}),
})

interface ImportOptionsProps {
  draft: OptionsDraft
  /** Of an import that is done again: what is not said stays as it was. */
  isRepeat: boolean
  fault: unknown
  onChange(draft: OptionsDraft): void
}

/** What a person may know better than an HDF5 file. */
export const ImportOptionsFields = ({ draft, isRepeat, fault, onChange }: ImportOptionsProps) => (
  <>
    <Field
      label="Task text, if the file has none"
      showLabel
      placeholder={isRepeat ? 'as before' : undefined}
      value={draft.task}
      fault={findFault(fault, 'options', 'task')}
      onChange={(event) => onChange({ ...draft, task: event.target.value })}
    />
    <Field
      label="Frames per second, if the file does not say"
      showLabel
      type="number"
      min={1}
      max={1000}
      placeholder={isRepeat ? 'as before' : undefined}
      value={draft.fps}
      fault={findFault(fault, 'options', 'fps')}
      onChange={(event) => onChange({ ...draft, fps: event.target.value })}
    />
    <Select
      label="Colours of the stored pictures"
      showLabel
      value={draft.colorOrder}
      onChange={(colorOrder) => onChange({ ...draft, colorOrder })}
      options={[
        { value: '', label: isRepeat ? 'as before' : 'as the file says' },
        { value: 'rgb', label: 'RGB' },
        { value: 'bgr', label: 'BGR: red and blue are swapped' },
      ]}
    />
    <Select
      label="Pictures upside down"
      showLabel
      value={draft.flip}
      onChange={(flip) => onChange({ ...draft, flip })}
      options={[
        { value: '', label: isRepeat ? 'as before' : 'as the file says' },
        { value: 'yes', label: 'yes: turn them over' },
        { value: 'no', label: 'no: leave them' },
      ]}
    />
  </>
)
