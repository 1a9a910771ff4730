import { type Ref, useState } from 'react'
import type { Manifest } from '../../data/dataset.ts'
import type { ModelJoint } from '../../data/episodes/joint-map.ts'
import { refresh } from '../../data/refresh.ts'
import { putRobotChoice, type RobotJoint } from '../../data/robots.ts'
import { Button } from '../../parts/controls.tsx'
import { Select } from '../../parts/select.tsx'
import { useChange } from '../../parts/use-change.ts'
import './scene-panel.css'

interface JointListProps {
  /** Where the angles are written, frame by frame. */
  ref: Ref<HTMLDListElement>
  dataset: Manifest
  robotId: string
  model: readonly ModelJoint[]
  joints: readonly RobotJoint[]
  /** By names, and by nobody confirmed. */
  isSuggested: boolean
  mayEdit: boolean
}

const units = { turning: ['rad', 'deg'], sliding: ['m', 'mm'] } as const

/** Every joint with the number that turns it; an editor says which, and in which unit. */
export function JointList({ ref, dataset, robotId, model, joints, isSuggested, mayEdit }: JointListProps) {
  const [isOpen, setOpen] = useState(false)
  const names = dataset.observation.state?.names ?? []
  const save = useChange((next: RobotJoint[]) => putRobotChoice(dataset, { robot_id: robotId, joints: next }), {
    onDone: () => refresh.robotChoice(dataset.id),
  })
  const of = (name: string) => joints.find(({ joint }) => joint === name)
  const set = (name: string, next: Partial<RobotJoint> | undefined) => {
    const others = joints.filter(({ joint }) => joint !== name)
    const isSliding = model.find((one) => one.name === name)?.isSliding
    const before = of(name) ?? { joint: name, dimension: 0, unit: isSliding ? 'm' : 'rad' }
    save.mutate(next ? [...others, { ...before, ...next }] : others)
  }
  return (
    <>
      <dl className="joint-angles" aria-label="Joint angles" ref={ref}>
        {model.map(({ name }) => (
          <div key={name}>
            <dt className="clip" title={name}>
              {name}
            </dt>
            <dd className="mono" data-joint={name}>
              {of(name) ? '' : 'stands still'}
            </dd>
          </div>
        ))}
      </dl>
      <div className="row wrap small above-6">
        <span className="mid">{isSuggested ? 'Joints found by their names.' : 'Joints set by an editor.'}</span>
        {mayEdit && (
          <button type="button" className="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Done' : 'Correct them'}
          </button>
        )}
      </div>
      {isOpen && (
        <div className="joint-map">
          {model.map(({ name, isSliding }) => {
            const unitsOf = units[isSliding ? 'sliding' : 'turning']
            const known = of(name)
            return (
              <div key={name}>
                <Select
                  label={`What turns ${name}`}
                  showLabel
                  value={known ? String(known.dimension) : ''}
                  disabled={save.isPending}
                  onChange={(next) => set(name, next === '' ? undefined : { dimension: Number(next) })}
                  options={[
                    { value: '', label: 'nothing: it stands still' },
                    ...names.map((one, place) => ({ value: String(place), label: one })),
                  ]}
                />
                <Select
                  label={`Unit of ${name}`}
                  value={known?.unit ?? unitsOf[0]}
                  disabled={save.isPending || !known}
                  onChange={(unit) => set(name, { unit })}
                  options={unitsOf.map((unit) => ({ value: unit, label: unit }))}
                />
              </div>
            )
          })}
          {isSuggested && (
            <Button small disabled={save.isPending} onClick={() => save.mutate([...joints])}>
              Keep these
            </Button>
          )}
        </div>
      )}
    </>
  )
}
