import type { DerivedDatasetExportJob } from '@nmp/sdk/generated/records'

interface ExportProgressProps {
  /** What is made, for who does not see the rail. */
  label: string
  /** Not known yet for a moment. */
  job: DerivedDatasetExportJob | undefined
  onCancel: ((jobId: string) => void) | undefined
}

/** A form on its way: how far, and what is being done. */
export function ExportProgress({ label, job, onCancel }: ExportProgressProps) {
  const share = Math.round(job?.progress_pct ?? 0)
  return (
    <div className="above-6">
      <div
        className="rail"
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={share}
      >
        <i className="ink moving" style={{ width: `${share}%` }} />
      </div>
      <div className="row small mid above-4">
        <span className="clip">{job?.status === 'queued' ? 'queued' : (job?.progress_message ?? 'starting')}</span>
        <span className="end nowrap">{share} %</span>
        {job && onCancel && (
          <button type="button" className="link" onClick={() => onCancel(job.id)}>
            Cancel
          </button>
        )}
      </div>
    </div>
  )
}
