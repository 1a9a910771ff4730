import { useState } from 'react'
import type { Manifest } from '../data/dataset.ts'
import { Button, Field } from '../parts/controls.tsx'
import { useChange } from '../parts/use-change.ts'
import { type DatasetEdit, planChange } from './field-change.ts'

interface RobotFormProps {
  dataset: Manifest
  onChange(edit: DatasetEdit): Promise<unknown>
}

const fields = [
  { name: 'robot_type', label: 'Robot type', example: 'so101_follower' },
  { name: 'embodiment', label: 'Embodiment', example: 'one arm with a gripper' },
  { name: 'work_name', label: 'Work (environment, benchmark or family of tasks)', example: 'kitchen' },
  { name: 'task_name', label: 'Task, in words', example: 'Put the cup on the shelf' },
  {
    name: 'robot_description_uri',
    label: 'Robot description (URDF), an address or path',
    example: 'https://example.org/arm.urdf',
  },
] as const

type RobotField = (typeof fields)[number]['name']

/** What the files say of the robot and its work, and what a person says instead. */
export function RobotForm({ dataset, onChange }: RobotFormProps) {
  const [draft, setDraft] = useState<Partial<Record<RobotField, string>>>({})
  const edited = fields.filter(({ name }) => dataset.edited_fields.includes(name))
  const { change, undo } = planChange(dataset, draft)
  // What was typed stays until it is saved.
  const { mutate: send, isPending: isBusy } = useChange(onChange, { onDone: () => setDraft({}) })
  const takeBack = () => {
    const names = edited.map(({ name }) => name)
    send({
      body: Object.fromEntries(names.map((name) => [name, null])),
      said: 'Reset to what the files say',
      undo: Object.fromEntries(names.map((name) => [name, dataset[name] ?? ''])),
    })
  }
  return (
    <form
      className="grid gap-12"
      onSubmit={(event) => {
        event.preventDefault()
        send({ body: change, said: 'Saved', undo })
      }}
    >
      <div>
        <h2>Robot and work</h2>
        <p className="mid above-4">
          As the files say, until it is set here; what is set here stays when a new revision comes.
        </p>
      </div>
      {fields.map(({ name, label, example }) => (
        <Field
          key={name}
          label={label}
          showLabel
          value={draft[name] ?? dataset[name] ?? ''}
          placeholder={`for example ${example}`}
          hint={dataset.edited_fields.includes(name) && <span className="chip tiny line">set here</span>}
          onChange={(event) => setDraft({ ...draft, [name]: event.target.value })}
        />
      ))}
      <div className="row wrap gap-8">
        <Button type="submit" disabled={isBusy || Object.keys(change).length === 0}>
          Save robot and work
        </Button>
        {edited.length > 0 && (
          <Button look="ghost" disabled={isBusy} onClick={takeBack}>
            As the files say
          </Button>
        )}
      </div>
    </form>
  )
}
