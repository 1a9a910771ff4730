import type { WorkspaceImportJob as ImportJob } from '@nmp/sdk/generated/records'
import { useState } from 'react'
import { cancelImport } from '../data/imports.ts'
import { Button } from '../parts/controls.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { formatBytes } from '../parts/formats.ts'
import { useChange } from '../parts/use-change.ts'

/** Nothing of the project is lost, so nothing is typed; but hours of fetching may be, so it is asked. */
export function CancelImport({ job, isLink = false }: { job: ImportJob; isLink?: boolean }) {
  const [isAsking, setAsking] = useState(false)
  const cancellation = useChange(() => cancelImport(job))
  if (job.cancel_requested_at) return <span className="dim">canceling</span>
  const cancel = () => {
    setAsking(false)
    cancellation.mutate()
  }
  return (
    <>
      {isLink ? (
        <button type="button" className="link" aria-label={`Cancel ${job.title}`} onClick={() => setAsking(true)}>
          Cancel
        </button>
      ) : (
        <Button onClick={() => setAsking(true)}>Cancel</Button>
      )}
      <Dialog title={`Cancel the import of ${job.title}?`} open={isAsking} onClose={() => setAsking(false)}>
        <p className="mid">
          {job.downloaded_bytes ? `${formatBytes(job.downloaded_bytes)} were fetched and will be discarded. ` : ''}
          Nothing was changed in the project, and the source stays as it is. You can import it again at any time.
        </p>
        <div className="row above-12">
          <Button look="danger" onClick={cancel}>
            Cancel the import
          </Button>
          <Button look="ghost" onClick={() => setAsking(false)}>
            Keep it running
          </Button>
        </div>
      </Dialog>
    </>
  )
}
