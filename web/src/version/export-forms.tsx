import type { DerivedDatasetVersion as Version } from '@nmp/sdk/generated/records'
import { useQuery } from '@tanstack/react-query'
import { refresh } from '../data/refresh.ts'
import { cancelExport, exportJobsQuery } from '../data/versions.ts'
import { Button } from '../parts/controls.tsx'
import { formatBytes } from '../parts/formats.ts'
import { useChange } from '../parts/use-change.ts'
import './export-dialog.css'
import { Losses } from './export-losses.tsx'
import { ExportProgress } from './export-progress.tsx'
import { FormChip } from './form-chip.tsx'
import { download } from './version-card.tsx'

const isMoving = ({ status }: { status: string }): boolean => status === 'queued' || status === 'running'

/** The forms beside LeRobot v3 that were asked for, each with its way and with what it could not hold. */
export function ExportForms({ version, mayExport }: { version: Version; mayExport: boolean }) {
  const forms = version.export_artifacts.filter(
    ({ key, status }) => key !== 'lerobot' && key !== 'manifest' && status !== 'planned',
  )
  const jobs = useQuery({
    ...exportJobsQuery(version.org_slug, version.id, forms.some(isMoving)),
    enabled: forms.length > 0,
  })
  const cancellation = useChange((jobId: string) => cancelExport(version.org_slug, version.id, jobId), {
    onDone: () => refresh.exports(version.id),
  })
  return forms.map((form) => {
    const job = jobs.data?.find(({ id }) => id === form.job_id)
    return (
      <article className="export-form" key={form.key} aria-label={form.label} data-status={form.status}>
        <div className="row wrap">
          <b>{form.label}</b>
          <FormChip status={form.status} />
          <span className="end row">
            {form.status === 'ready' && (
              <Button small icon="download" onClick={() => void download(version, form.key)}>
                Download .tar, {formatBytes(form.size_bytes)}
              </Button>
            )}
          </span>
        </div>
        {isMoving(form) && (
          <ExportProgress
            label={`Export of ${version.slug} as ${form.label}`}
            job={job}
            onCancel={mayExport ? cancellation.mutate : undefined}
          />
        )}
        {form.status === 'failed' && form.error_message && (
          <p className="callout small above-4">{form.error_message}</p>
        )}
        {form.status === 'ready' && job?.report && (
          <Losses losses={job.report.losses} none="Nothing of the version is missing in it." />
        )}
      </article>
    )
  })
}
