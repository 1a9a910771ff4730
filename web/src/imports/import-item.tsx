import type { WorkspaceImportJob as ImportJob } from '@nmp/sdk/generated/records'
import { Link } from '@tanstack/react-router'
import { isMoving } from '../data/imports.ts'
import { formatBytes } from '../parts/formats.ts'
import { Time } from '../parts/time.tsx'
import { CancelImport } from './cancel-import.tsx'
import { nameStatus, PhaseRail, statusColor } from './phases.tsx'
import { Remedy } from './remedy.tsx'
import './import-item.css'

interface ImportItemProps {
  job: ImportJob
  isCurrent: boolean
  mayImport: boolean
}

export function describeSource(job: ImportJob): string {
  if (job.hf_repo_id) return `${job.hf_repo_id}${job.hf_revision ? ` @ ${job.hf_revision.slice(0, 7)}` : ''}`
  if (job.copied_from) return `Copy of ${job.copied_from.slug} ${job.copied_from.version}`
  return job.source_uri ?? `${job.source_kind === 'hdf5' ? 'HDF5' : 'LeRobot'} upload`
}

/** A failure of today opens by itself, unless it is open beside the list: what happened, and the remedy as a button. */
export function ImportItem({ job, isCurrent, mayImport }: ImportItemProps) {
  const params = { org: job.org_slug, project: job.project_slug, jobId: job.id }
  return (
    <li className="import-item" data-current={isCurrent} data-job={job.id} data-status={job.status}>
      <div className="row">
        <Link
          to="/orgs/$org/projects/$project/imports/$jobId"
          params={params}
          search={(old: object) => old}
          className="import-open clip"
          aria-current={isCurrent ? 'page' : undefined}
        >
          <b>{job.title}</b>
        </Link>
        <span className="mono dim smallest clip desktop-only">{describeSource(job)}</span>
        <span className="end small mid nowrap">{isMoving(job) ? <TimeLeft job={job} /> : <Took job={job} />}</span>
      </div>
      <PhaseRail job={job} />
      <div className="row small">
        <b className={`${statusColor(job)} nowrap`}>{nameStatus(job)}</b>
        <span className="mid clip">{describeProgress(job)}</span>
        <span className="end dim nowrap above-link">
          {isMoving(job) && mayImport ? <CancelImport job={job} isLink /> : <Time at={job.updated_at} />}
        </span>
      </div>
      {job.losses && !isCurrent && (
        <p className="small mid clip" title={job.losses.first_reason}>
          {job.losses.first_reason}
        </p>
      )}
      {job.status === 'failed' && job.dismissed_at === null && !isCurrent && isRecent(job) && (
        <div className="above-6">
          <Remedy job={job} mayImport={mayImport} isInList />
        </div>
      )}
    </li>
  )
}

/** Old failures stay in the list, but no longer speak up. */
const isRecent = ({ updated_at }: ImportJob): boolean => Date.now() - Date.parse(updated_at) < 24 * 3_600_000

function describeProgress(job: ImportJob): string {
  const tries = job.attempt_count > 1 && isMoving(job) ? `attempt ${job.attempt_count} of ${job.max_attempts}, ` : ''
  if (job.status === 'running') {
    const bytes =
      job.progress_phase === 'fetch' && job.downloaded_bytes !== null && job.total_bytes
        ? `${formatBytes(job.downloaded_bytes)} of ${formatBytes(job.total_bytes)}`
        : job.progress_message
    return tries + (bytes ?? '')
  }
  if (job.status === 'failed') return job.progress_phase ? `at ${job.progress_phase.replace('_', ' ')}` : ''
  if (job.status === 'succeeded') return formatBytes(job.total_bytes)
  return job.status === 'queued' && job.last_error ? job.last_error : ''
}

/** From how far it came in the time it took: rough, and said only when it has come some way. */
function TimeLeft({ job }: { job: ImportJob }) {
  if (job.status !== 'running' || !job.started_at || !job.progress_pct || job.progress_pct < 3) return null
  const spent = (Date.now() - Date.parse(job.started_at)) / 1000
  const left = (spent * (100 - job.progress_pct)) / job.progress_pct
  return <>about {left < 60 ? `${Math.max(1, Math.round(left))} s` : `${Math.round(left / 60)} min`} left</>
}

function Took({ job }: { job: ImportJob }) {
  if (job.status !== 'succeeded' || !job.started_at) return null
  const seconds = (Date.parse(job.updated_at) - Date.parse(job.started_at)) / 1000
  return <>{seconds < 60 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds / 60)} min`}</>
}
