import { useState } from 'react'
import { Button, Field } from '../parts/controls.tsx'
import type { DatasetChange } from '../project/queries.ts'
import { planChange } from './field-change.ts'
import type { Manifest } from './queries.ts'

interface RobotFormProps {
  dataset: Manifest
  onChange(change: DatasetChange, said: string, undo: DatasetChange): void
}

const fields = [
  { name: 'robot_type', label: 'Robot type' },
  { name: 'embodiment', label: 'Embodiment, the body that acts' },
  { name: 'work_name', label: 'Work, the family that the tasks belong to' },
  { name: 'task_name', label: 'Task, in words' },
  { name: 'robot_description_uri', label: 'Robot description (URDF), an address or path' },
] as const

type RobotField = (typeof fields)[number]['name']

/** What the files say of the robot and its work, and what a person says instead. */
export function RobotForm({ dataset, onChange }: RobotFormProps) {
  const [draft, setDraft] = useState<Partial<Record<RobotField, string>>>({})
  const edited = fields.filter(({ name }) => dataset.edited_fields.includes(name))
  const takeBack = () => {
    setDraft({})
    const names = edited.map(({ name }) => name)
    onChange(
      Object.fromEntries(names.map((name) => [name, null])),
      'Taken back',
      Object.fromEntries(names.map((name) => [name, dataset[name] ?? ''])),
    )
  }
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        const { change, undo } = planChange(dataset, draft)
        setDraft({})
        onChange(change, 'Saved', undo)
      }}
    >
      <h2>Robot and work</h2>
      {fields.map(({ name, label }) => (
        <Field
          key={name}
          label={label}
          showLabel
          value={draft[name] ?? dataset[name] ?? ''}
          onChange={(event) => setDraft({ ...draft, [name]: event.target.value })}
        />
      ))}
      <div className="row gap-2">
        <Button type="submit">Save robot and work</Button>
        {edited.length > 0 && <Button onClick={takeBack}>Take back what was set here</Button>}
      </div>
    </form>
  )
}
