import type { WorkspaceImportJob as ImportJob } from '@nmp/sdk/generated/records'
import { describeLosses } from '@nmp/sdk/import-losses'
import './phases.css'

const phases = ['fetch', 'detect', 'inspect', 'convert', 'verify', 'previews', 'read_model', 'publish'] as const
const verbs: Record<string, string> = {
  fetch: 'Fetching',
  detect: 'Detecting',
  inspect: 'Inspecting',
  convert: 'Converting',
  verify: 'Verifying',
  previews: 'Making previews',
  read_model: 'Measuring',
  publish: 'Publishing',
}
export const phaseNames = ['fetch', 'detect', 'inspect', 'convert', 'verify', 'previews', 'statistics', 'publish']
/** As the server weighs them; only the share inside the present phase is drawn from it. */
const shares = [25, 2, 3, 45, 3, 7, 5, 10]

export function nameStatus(job: ImportJob): string {
  if (job.status === 'queued') return job.attempt_count > 0 ? 'Waiting to try again' : 'Queued'
  if (job.status === 'running')
    return job.cancel_requested_at ? 'Canceling' : (verbs[job.progress_phase ?? ''] ?? 'Starting')
  if (job.dismissed_at !== null) return 'Failed, dismissed'
  if (job.losses) return `Imported, ${describeLosses(job.losses)}`
  return { succeeded: 'Imported', failed: 'Failed', canceled: 'Canceled' }[job.status]
}

export const statusColor = ({ status, losses, dismissed_at: dismissed }: ImportJob): string =>
  losses
    ? 'text-loss'
    : dismissed !== null
      ? 'dim'
      : status === 'succeeded'
        ? 'text-good'
        : status === 'failed'
          ? 'text-flag'
          : status === 'canceled'
            ? 'dim'
            : ''

/** The rail of a job: eight phases, the present one filling. */
export function PhaseRail({ job }: { job: ImportJob }) {
  const at = phases.indexOf((job.progress_phase ?? '') as (typeof phases)[number])
  const before = shares.slice(0, Math.max(0, at)).reduce((sum, share) => sum + share, 0)
  const within = at < 0 ? 0 : Math.max(0, Math.min(1, ((job.progress_pct ?? 0) - before) / (shares[at] ?? 1)))
  const isUnknown = job.status === 'running' && job.progress_pct === null
  const look =
    job.status === 'succeeded'
      ? job.losses
        ? 'phases part'
        : 'phases good'
      : job.status === 'canceled' || job.status === 'failed'
        ? 'phases off'
        : 'phases'
  return (
    <div
      className={look}
      role="progressbar"
      aria-label={`Progress of ${job.title}`}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={isUnknown ? undefined : Math.round(job.status === 'succeeded' ? 100 : (job.progress_pct ?? 0))}
      data-unknown={isUnknown || undefined}
    >
      {phases.map((phase, index) => {
        const state =
          job.status === 'succeeded' || index < at
            ? 'done'
            : index === at
              ? job.status === 'failed'
                ? 'bad'
                : job.status === 'canceled'
                  ? 'done'
                  : 'now'
              : undefined
        return <i key={phase} data-state={state} style={{ '--p': `${within * 100}%` } as React.CSSProperties} />
      })}
    </div>
  )
}
