import type { DerivedDatasetVersion as Version, VersionArtifact } from '@nmp/sdk/generated/records'
import { useQuery } from '@tanstack/react-query'
import { refresh } from '../data/refresh.ts'
import { cancelExport, exportJobsQuery } from '../data/versions.ts'
import { Button } from '../parts/controls.tsx'
import { formatBytes } from '../parts/formats.ts'
import { useChange } from '../parts/use-change.ts'
import './export-dialog.css'
import { Losses } from './export-losses.tsx'
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
    const job = jobs.data?.find(({ artifact_key: key }) => key === form.key)
    return (
      <article className="export-form" key={form.key} aria-label={form.label} data-status={form.status}>
        <div className="row wrap">
          <b>{form.label}</b>
          <FormChip form={form} />
          <span className="end row">
            {isMoving(form) && job && (
              <>
                <span className="small mid">
                  {job.progress_message ?? 'queued'} {Math.round(job.progress_pct ?? 0)} %
                </span>
                {mayExport && (
                  <button type="button" className="link" onClick={() => cancellation.mutate(job.id)}>
                    Cancel
                  </button>
                )}
              </>
            )}
            {form.status === 'ready' && (
              <Button small icon="download" onClick={() => void download(version, form.key)}>
                Download .tar, {formatBytes(form.size_bytes)}
              </Button>
            )}
          </span>
        </div>
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

function FormChip({ form }: { form: VersionArtifact }) {
  if (form.status === 'ready') return <span className="chip good">ready</span>
  if (form.status === 'failed') return <span className="chip flag">failed</span>
  return <span className="chip">{form.status === 'queued' ? 'queued' : 'exporting'}</span>
}
