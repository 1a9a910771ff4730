import type { WorkspaceImportJob as ImportJob } from '@nmp/sdk/generated/records'
import { useNavigate } from '@tanstack/react-router'
import { retryImport } from '../data/imports.ts'
import { Button } from '../parts/controls.tsx'
import { useChange } from '../parts/use-change.ts'

/** Of an import that copied a version: the same version once more, as the dataset's next revision. */
export function CopyAgain({ job }: { job: ImportJob }) {
  const navigate = useNavigate()
  const copy = useChange(() => retryImport(job, {}), {
    onDone: ({ item }) =>
      void navigate({
        to: '/orgs/$org/projects/$project/imports/$jobId',
        params: { org: item.org_slug, project: item.project_slug, jobId: item.id },
      }),
  })
  return (
    <Button disabled={copy.isPending} onClick={() => copy.mutate()}>
      Copy again
    </Button>
  )
}
