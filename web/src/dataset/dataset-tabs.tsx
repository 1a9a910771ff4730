import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Manifest } from '../data/dataset.ts'
import { reviewsQuery } from '../data/episodes/reviews.ts'
import { useFlags } from '../data/flags.ts'
import { isVersionId } from '../data/version-id.ts'
import { datasetVersionsQuery } from '../data/versions.ts'
import { formatCount } from '../parts/formats.ts'
import { useSession } from '../session/sign-in.ts'
import { canEdit } from '../session/workspace.ts'
import './dataset-head.css'

export function DatasetTabs({ dataset }: { dataset: Manifest }) {
  const session = useSession()
  const params = { datasetId: dataset.id }
  const isVersion = isVersionId(dataset.id)
  const flags = useFlags(dataset)
  const versions = useQuery({
    ...datasetVersionsQuery(dataset.org_slug, dataset.project_slug, dataset.id),
    enabled: session === 'signed-in' && dataset.role !== null,
  })
  const reviews = useQuery(reviewsQuery(dataset))
  const active = { exact: true, includeSearch: false } as const
  return (
    <nav className="tabs dataset-tabs" aria-label="Dataset">
      <Link to="/datasets/$datasetId" params={params} activeOptions={active}>
        Episodes<span className="count">{formatCount(dataset.metrics.total_episodes)}</span>
      </Link>
      <Link to="/datasets/$datasetId/frames" params={params} activeOptions={active}>
        Frames
      </Link>
      <Link to="/datasets/$datasetId/statistics" params={params} activeOptions={active}>
        Statistics
      </Link>
      <Link to="/datasets/$datasetId/insights" params={params} activeOptions={active}>
        Insights
      </Link>
      <Link to="/datasets/$datasetId/checks" params={params} activeOptions={active}>
        Checks
      </Link>
      <Link to="/datasets/$datasetId/files" params={params} activeOptions={active}>
        Files
      </Link>
      {dataset.role && (
        <>
          <Link to="/datasets/$datasetId/versions" params={params} activeOptions={active}>
            Versions{versions.data && <span className="count">{versions.data.length}</span>}
          </Link>
          <Link to="/datasets/$datasetId/flags" params={params} activeOptions={active}>
            Flags{flags.data && <span className="count">{flags.data.length}</span>}
          </Link>
          <Link to="/datasets/$datasetId/lineage" params={params} activeOptions={active}>
            Lineage
          </Link>
          <Link to="/datasets/$datasetId/reviews" params={params} activeOptions={active}>
            Reviews{reviews.data && reviews.data.length > 0 && <span className="count">{reviews.data.length}</span>}
          </Link>
        </>
      )}
      {isVersion && (
        <Link to="/datasets/$datasetId/derivation" params={params} activeOptions={active}>
          {dataset.role ? 'Recipe and export' : 'Recipe'}
        </Link>
      )}
      {canEdit(dataset.role) && !isVersion && (
        <Link to="/datasets/$datasetId/manage" params={params} activeOptions={active}>
          Manage
        </Link>
      )}
    </nav>
  )
}
