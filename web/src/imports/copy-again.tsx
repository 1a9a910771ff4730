import type { WorkspaceImportJob as ImportJob } from '@nmp/sdk/generated/records'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { retryImport } from '../data/imports.ts'
import { Button } from '../parts/controls.tsx'
import { showFault } from '../parts/toasts.tsx'

/** Of an import that copied a version: the same version once more, as the dataset's next revision. */
export function CopyAgain({ job }: { job: ImportJob }) {
  const navigate = useNavigate()
  const [isBusy, setBusy] = useState(false)
  const copy = () => {
    setBusy(true)
    retryImport(job, {})
      .then(
        ({ item }) =>
          void navigate({
            to: '/orgs/$org/projects/$project/imports/$jobId',
            params: { org: item.org_slug, project: item.project_slug, jobId: item.id },
          }),
        (error: Error) => showFault(error.message),
      )
      .finally(() => setBusy(false))
  }
  return (
    <Button disabled={isBusy} onClick={copy}>
      Copy again
    </Button>
  )
}
