import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Manifest } from '../data/dataset.ts'
import { describeLosses } from '../data/losses.ts'
import { changeDataset } from '../data/project.ts'
import { Icon } from '../parts/icon.tsx'
import { showFault, showToast } from '../parts/toasts.tsx'
import { canEdit } from '../session/workspace.ts'

/** What the import of this revision lost, until somebody says that it was seen. */
export function LossMark({ dataset }: { dataset: Manifest }) {
  const cache = useQueryClient()
  const { org_slug: org, project_slug: project, slug, import_losses: losses, import_id: jobId } = dataset
  if (!losses || !jobId) return null
  const dismiss = async (isDismissed: boolean) => {
    await changeDataset(org, project, slug, { losses_dismissed: isDismissed })
    await cache.invalidateQueries({ queryKey: ['dataset', dataset.id] })
  }
  const fail = (error: Error) => showFault(error.message)
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
        <button
          type="button"
          aria-label="Dismiss"
          title="Dismiss"
          onClick={() =>
            void dismiss(true).then(
              () => showToast('Dismissed; the import keeps its report', () => void dismiss(false).catch(fail)),
              fail,
            )
          }
        >
          <Icon name="close" small />
        </button>
      )}
    </span>
  )
}
