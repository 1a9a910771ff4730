import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Manifest } from '../../data/dataset.ts'
import { refresh } from '../../data/refresh.ts'
import { changeSignals, type DatasetSignals, isMeasuring, signalsQuery } from '../../data/signals.ts'
import { isVersionId } from '../../data/version-id.ts'
import { plural } from '../../parts/formats.ts'
import { Select } from '../../parts/select.tsx'
import { useChange } from '../../parts/use-change.ts'
import { canEdit } from '../../session/workspace.ts'
import './signal-roles.css'

const roles = [
  { role: 'state', label: 'State', usual: 'observation.state' },
  { role: 'action', label: 'Action', usual: 'action' },
] as const

type Role = (typeof roles)[number]['role']

/** Which columns are state and action: set by editors, seen by everybody of the project. */
export function SignalRoles({ dataset }: { dataset: Manifest }) {
  const { data: known } = useQuery(signalsQuery(dataset))
  const change = useChange((body: Partial<Record<Role, string | null>>) => changeSignals(dataset, body), {
    onDone: () => refresh.signals(dataset.id),
  })
  const isBusy = isMeasuring(known)
  const wasBusy = useRef(false)
  useEffect(() => {
    if (wasBusy.current && !isBusy) void refresh.measured(dataset.id)
    wasBusy.current = isBusy
  }, [isBusy, dataset.id])
  if (dataset.role === null || isVersionId(dataset.id)) return null
  // As high before it is known, so that nothing below moves.
  const signals = known ?? expectByName(dataset)
  return (
    <section className="signal-roles" aria-label="State and action" aria-busy={isBusy}>
      {roles.map(({ role, label, usual }) =>
        canEdit(dataset.role) ? (
          <Select
            key={role}
            className="signal-role"
            label={label}
            showLabel
            value={signals[role] ?? ''}
            disabled={!known || change.isPending}
            options={[{ value: '', label: `By name: ${usual}` }, ...listChoices(signals)]}
            onChange={(column) => change.mutate({ [role]: column === '' ? null : column })}
          />
        ) : (
          <p key={role} className="small">
            <span className="label">{label}</span>
            <code>{signals.in_force[role] ?? 'none'}</code>
          </p>
        ),
      )}
      <p className="small mid signal-words" role="status">
        {describe(signals) ?? <span className="desktop-only">{usualWords}</span>}
      </p>
    </section>
  )
}

const expectByName = ({ observation, action }: Manifest): DatasetSignals => ({
  state: null,
  action: null,
  in_force: { state: observation.state?.key ?? null, action: action?.key ?? null },
  missing: [],
  choices: [],
  run: { status: 'none', pct: 0, message: '', job_id: null },
})

/** What is set stays in the list where the shown revision does not have it. */
function listChoices({ choices, missing }: DatasetSignals) {
  return [
    ...choices.map(({ name, dimension }) => ({ value: name, label: `${name}, ${plural(dimension, 'value')}` })),
    ...missing.map((name) => ({ value: name, label: `${name}, not in this revision` })),
  ]
}

const usualWords =
  'They count for Insights, checks, charts, recipes and exports. Versions that were made before stay as they are.'

/** What is not as usual. */
function describe({ run, missing, in_force: inForce }: DatasetSignals): string | undefined {
  if (run.status === 'queued' || run.status === 'running')
    return `The dataset is measured anew, ${Math.round(run.pct)} %. Until then the numbers are those of ${inForce.state ?? 'no state'} and ${inForce.action ?? 'no action'}.`
  if (run.status === 'failed') return `It could not be measured: ${run.message} Choose again to try once more.`
  if (missing.length > 0) return `This revision does not have ${missing.join(' and ')}, so it is found by name.`
  return undefined
}
