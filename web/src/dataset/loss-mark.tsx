import { describeLosses } from '@nmp/sdk/import-losses'
import { Link } from '@tanstack/react-router'
import type { Manifest } from '../data/dataset.ts'
import { changeDataset } from '../data/project.ts'
import { refresh } from '../data/refresh.ts'
import { Icon } from '../parts/icon.tsx'
import { showToast } from '../parts/toasts.tsx'
import { useChange } from '../parts/use-change.ts'
import { canEdit } from '../session/workspace.ts'

/** What the import of this revision lost, until somebody says that it was seen. */
export function LossMark({ dataset }: { dataset: Manifest }) {
  const { org_slug: org, project_slug: project, slug, import_losses: losses, import_id: jobId } = dataset
  const dismissal = useChange(
    (isDismissed: boolean) => changeDataset(org, project, slug, { losses_dismissed: isDismissed }),
    {
      onDone: async (_, isDismissed) => {
        if (isDismissed) showToast('Dismissed; the import keeps its report', () => dismissal.mutate(false))
        await refresh.dataset(dataset.id)
      },
    },
  )
  if (!losses || !jobId) return null
  return (
    <span className="chip loss">
      <Icon name="loss" />
      <Link
        to="/orgs/$org/projects/$project/imports/$jobId"
        params={{ org, project, jobId }}
        title={losses.first_reason}
      >
        {describeLosses(losses)}
      </Link>
      {canEdit(dataset.role) && (
        <button type="button" aria-label="Dismiss" title="Dismiss" onClick={() => dismissal.mutate(true)}>
          <Icon name="close" small />
        </button>
      )}
    </span>
  )
}
