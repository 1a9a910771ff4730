import { setTask } from '../../data/recipe/source-map.ts'
import { Field } from '../../parts/controls.tsx'
import type { MapLinesProps } from './camera-lines.tsx'
import { LineFaults, MapReason } from './map-reason.tsx'
import { findLineFaults } from './source-faults.ts'
import './source-map.css'

const anyOther = '*'

/** What their task texts become; those that are not changed keep theirs. */
export function TaskLines({ place, first, other, map, suggested, faults, onChange }: MapLinesProps) {
  const { tasks: ours } = first.dataset
  const { tasks: theirs, metrics } = other.dataset
  const listId = `tasks-of-${first.dataset.id}`
  const lines = [...theirs, ...(theirs.length > 1 || metrics.total_tasks > theirs.length ? [anyOther] : [])]
  return (
    <section aria-label="Tasks">
      <h3>Task texts</h3>
      <datalist id={listId}>
        {ours.map((task) => (
          <option key={task} value={task} />
        ))}
      </datalist>
      <ul className="map-lines">
        {lines.map((task) => {
          const row = suggested.rows.find((one) => one.kind === 'task' && one.theirs === task)
          const called = task === anyOther ? 'any other text' : task
          return (
            <li key={task} className="map-line">
              <div className="map-name">
                <b className="break-anywhere">{task === anyOther ? 'Any other text' : `“${task}”`}</b>
                <span className="dim small">
                  {ours.includes(task) ? 'ours too' : task === anyOther ? '' : 'theirs'}
                </span>
              </div>
              <Field
                label={`Becomes (${called})`}
                showLabel
                list={listId}
                placeholder="keeps its text"
                maxLength={2000}
                value={map.tasks?.[task] ?? ''}
                onChange={(event) => onChange(setTask(map, task, event.target.value))}
              />
              {row || map.tasks?.[task] !== suggested.map.tasks?.[task] ? (
                <MapReason
                  row={row}
                  isCorrected={map.tasks?.[task] !== suggested.map.tasks?.[task]}
                  faults={findLineFaults(faults, place, 'tasks', task)}
                />
              ) : (
                <div className="map-reason">
                  <LineFaults faults={findLineFaults(faults, place, 'tasks', task)} />
                </div>
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

interface RobotLineProps extends Pick<MapLinesProps, 'place' | 'first' | 'other' | 'map' | 'suggested' | 'faults'> {
  onChange(robotType: string | null): void
}

/** Robots that are called alike need no line. */
export function RobotLine({ place, first, other, map, suggested, faults, onChange }: RobotLineProps) {
  const row = suggested.rows.find(({ kind }) => kind === 'robot_type')
  const [ours, theirs] = [first.dataset.robot_type, other.dataset.robot_type]
  const found = findLineFaults(faults, place, 'robot_type')
  if (ours === theirs && !row && map.robot_type === undefined && found.length === 0) return null
  const shown = map.robot_type === undefined ? '' : (map.robot_type ?? '')
  return (
    <section aria-label="Robot type">
      <h3>Robot</h3>
      <ul className="map-lines">
        <li className="map-line">
          <div className="map-name">
            <b>{ours ?? 'not named'}</b>
            <span className="dim small">theirs: {theirs ?? 'not named'}</span>
          </div>
          <Field
            label="Robot type of the result"
            showLabel
            placeholder="not named"
            maxLength={200}
            value={shown}
            onChange={(event) => onChange(event.target.value === '' ? null : event.target.value)}
          />
          <MapReason row={row} isCorrected={map.robot_type !== suggested.map.robot_type} faults={found} />
        </li>
      </ul>
    </section>
  )
}
