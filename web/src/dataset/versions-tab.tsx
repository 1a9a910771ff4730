import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useManifest } from '../data/dataset.ts'
import { datasetVersionsQuery } from '../data/versions.ts'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { canEdit } from '../session/workspace.ts'
import { VersionCard } from '../version/version-card.tsx'
import { VersionMenu } from '../version/version-menu.tsx'
import { useStartRecipe } from './start-recipe.ts'
import './dataset-frame.css'

const routeApi = getRouteApi('/datasets/$datasetId/versions')

export function VersionsTab() {
  const { datasetId } = routeApi.useParams()
  const { data: dataset } = useManifest(datasetId)
  const { takeSelection } = useStartRecipe(datasetId)
  const versions = useQuery({
    ...datasetVersionsQuery(dataset?.org_slug ?? '', dataset?.project_slug ?? '', datasetId),
    enabled: dataset?.role !== undefined && dataset.role !== null,
  })
  return (
    <div className="tab-page">
      <div className="max-width-640">
        {versions.data?.length === 0 && (
          <Empty
            title="No version yet"
            actions={
              <Link
                className="button primary"
                to="/datasets/$datasetId/recipe"
                params={{ datasetId }}
                onClick={takeSelection}
              >
                Start recipe
              </Link>
            }
          >
            A version is this dataset with a recipe applied: fewer episodes, fewer cameras, a crop, smoother actions.
            The dataset itself is never changed.
          </Empty>
        )}
        {versions.data && versions.data.length > 0 && (
          <div className="row below-12">
            <h2>Versions of this dataset</h2>
            <Link
              className="button end"
              to="/datasets/$datasetId/recipe"
              params={{ datasetId }}
              onClick={takeSelection}
            >
              Start recipe
            </Link>
          </div>
        )}
        {versions.error && (
          <Failure error={versions.error} what="The versions did not load" onRetry={() => void versions.refetch()} />
        )}
        {versions.isLoading && <Skeleton rows={3} />}
        {versions.data?.map((version) => (
          <VersionCard
            key={version.id}
            version={version}
            mayExport={canEdit(dataset?.role)}
            menu={<VersionMenu version={version} isAdmin={dataset?.role === 'admin'} />}
          />
        ))}
      </div>
    </div>
  )
}
