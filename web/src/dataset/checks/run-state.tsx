import { type Checks, checksOf, isUnderWay, type Part, type Rule } from '../../data/checks.ts'
import type { Manifest } from '../../data/dataset.ts'
import { refresh } from '../../data/refresh.ts'
import { isVersionId } from '../../data/version-id.ts'
import { Button } from '../../parts/controls.tsx'
import { formatCount, plural } from '../../parts/formats.ts'
import { Icon } from '../../parts/icon.tsx'
import { Select } from '../../parts/select.tsx'
import { Empty } from '../../parts/states.tsx'
import { useChange } from '../../parts/use-change.ts'
import { canEdit } from '../../session/workspace.ts'
import '../dataset-frame.css'
import './run-state.css'

interface RunStateProps {
  dataset: Manifest
  checks: Checks
}

function useRun(dataset: Manifest) {
  const onDone = () => refresh.checks(dataset.id)
  const run = useChange((body: { pictures: boolean; again: boolean }) => checksOf(dataset).run(body), { onDone })
  const cancel = useChange(() => checksOf(dataset).cancel(), { onDone })
  return { run, cancel, isBusy: run.isPending || cancel.isPending }
}

/** Where the checks stand: numbers and pictures, each with the one step that goes on from there. */
export function RunState({ dataset, checks }: RunStateProps) {
  const { run, cancel, isBusy } = useRun(dataset)
  const mayRun = canEdit(dataset.role)
  const hasCameras = dataset.observation.cameras.length > 0
  const isMoving = [checks.signals, checks.pictures].some(isUnderWay)
  const isOld = [checks.signals, checks.pictures].some(
    ({ rule_set_version: version }) => version !== null && version < checks.rule_set_version,
  )
  const needsRun = checks.rules.some(({ needs_run }) => needs_run)
  const isOneJob = isMoving && checks.signals.job_id === checks.pictures.job_id
  const parts = [
    { name: isOneJob && hasCameras ? 'Numbers and pictures' : 'Numbers', part: checks.signals, isPictures: false },
    ...(hasCameras && !isOneJob ? [{ name: 'Pictures', part: checks.pictures, isPictures: true }] : []),
  ]
  return (
    <section className="run-state" aria-label="Where the checks stand">
      {parts.map(({ name, part, isPictures }) => (
        <div key={name} className="run-part" data-status={part.status}>
          <b>{name}</b>
          <PartWords part={part} frames={isPictures ? null : checks.frames} />
          {mayRun && isUnderWay(part) && !isBeingCanceled(part) && (
            <Button small disabled={isBusy} onClick={() => cancel.mutate()}>
              Cancel
            </Button>
          )}
          {mayRun && !isMoving && canBegin(part, checks) && (
            <Button
              small
              look={part.status === 'none' && checks.rules.length > 0 ? 'primary' : 'default'}
              disabled={isBusy}
              onClick={() => run.mutate({ pictures: isPictures, again: false })}
            >
              {runWords(part, isPictures)}
            </Button>
          )}
        </div>
      ))}
      {mayRun && hasCameras && !isVersionId(dataset.id) && <LaterPictures dataset={dataset} checks={checks} />}
      {mayRun && !isMoving && checks.signals.status === 'succeeded' && (
        <span className="end row small">
          {(isOld || needsRun) && (
            <span className="text-loss">
              {isOld ? 'These are results of older rules.' : 'A saved cut-off needs another run.'}
            </span>
          )}
          <Button
            small
            icon="again"
            look={isOld || needsRun ? 'primary' : 'ghost'}
            disabled={isBusy}
            onClick={() => run.mutate({ pictures: checks.pictures.status === 'succeeded', again: !needsRun })}
          >
            Check again
          </Button>
        </span>
      )}
    </section>
  )
}

/** Whether pictures of later imports are looked at by themselves. */
function LaterPictures({ dataset, checks: { settings } }: RunStateProps) {
  const change = useChange(
    (pictures: Checks['settings']['pictures']) => checksOf(dataset).putSettings({ ...settings, pictures }),
    { onDone: () => refresh.checks(dataset.id) },
  )
  return (
    <span className="row gap-6 small">
      <span className="dim desktop-only">Pictures of later imports</span>
      <span className="dim phone-only" aria-hidden="true">
        Later pictures
      </span>
      <Select
        label="Pictures of later imports"
        value={settings.pictures}
        options={[
          { value: 'auto', label: 'by their size' },
          { value: 'always', label: 'always' },
          { value: 'never', label: 'never' },
        ]}
        disabled={change.isPending}
        onChange={(pictures) => change.mutate(pictures)}
      />
    </span>
  )
}

/** Where nothing was looked at yet, the page itself asks for it. */
const canBegin = ({ status }: Part, { rules }: Checks): boolean =>
  status === 'none' ? rules.length > 0 : status !== 'succeeded'

const isBeingCanceled = ({ message }: Part): boolean => message === 'It is being canceled.'

const runWords = ({ status }: Part, isPictures: boolean): string => {
  if (status === 'failed') return 'Try again'
  if (status === 'canceled') return 'Go on'
  if (status === 'skipped') return 'Look at them anyway'
  return isPictures ? 'Look at the pictures' : 'Check the numbers'
}

function PartWords({ part, frames }: { part: Part; frames: number | null }) {
  const { status, done, total, message } = part
  if (status === 'succeeded')
    return (
      <span className="mid row gap-4">
        <Icon name="check" small />
        all of {plural(total, 'episode')}
        {frames !== null && `, ${plural(frames, 'frame')}`}
      </span>
    )
  if (status === 'queued') return <span className="mid">wait for a worker</span>
  if (status === 'running') {
    const words = isBeingCanceled(part) ? 'being canceled' : `${formatCount(done)} of ${plural(total, 'episode')}`
    return (
      <>
        <span
          className="rail run-rail"
          role="progressbar"
          aria-label="Episodes looked at"
          aria-valuemin={0}
          aria-valuemax={total}
          aria-valuenow={done}
        >
          <i className="ink moving" style={{ width: `${(100 * done) / Math.max(1, total)}%` }} />
        </span>
        <span className="mid">{words}</span>
      </>
    )
  }
  if (status === 'failed') return <span className="text-flag">failed: {message}</span>
  if (status === 'canceled') return <span className="mid">canceled; what was seen so far is kept</span>
  if (status === 'skipped') return <span className="mid">{message || 'not looked at'}</span>
  return <span className="mid">not looked at yet</span>
}

/** Before the first run has ended. */
export function NothingYet({ dataset, checks, rules }: RunStateProps & { rules: readonly Rule[] }) {
  const { run, isBusy } = useRun(dataset)
  const mayRun = canEdit(dataset.role)
  const hasCameras = dataset.observation.cameras.length > 0
  const isMoving = [checks.signals, checks.pictures].some(isUnderWay)
  const flags = rules.filter(({ kind }) => kind === 'flag').length
  return (
    <div className="tab-page">
      <Empty
        title={isMoving ? 'The checks are under way' : 'This dataset has not been checked yet'}
        actions={
          mayRun && !isMoving ? (
            <>
              <Button
                look="primary"
                disabled={isBusy}
                onClick={() => run.mutate({ pictures: hasCameras, again: false })}
              >
                Check {plural(dataset.metrics.total_episodes, 'episode')}
              </Button>
              {hasCameras && (
                <Button disabled={isBusy} onClick={() => run.mutate({ pictures: false, again: false })}>
                  Numbers only, in seconds
                </Button>
              )}
            </>
          ) : undefined
        }
      >
        {formatCount(flags)} rules look at every frame for what spoils a training run: gaps in time, jumps, a lag
        between state and action, frozen or swapped cameras, episodes recorded twice.{' '}
        {formatCount(rules.length - flags)} more rank the episodes.
        {!mayRun && !isMoving && ' An editor of the project can start them.'}
      </Empty>
    </div>
  )
}
