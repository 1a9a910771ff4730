import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useManifest } from '../../data/dataset.ts'
import { lineageQuery } from '../../data/diff.ts'
import { Empty, Failure, Skeleton } from '../../parts/states.tsx'
import { LineagePicture } from './lineage-picture.tsx'
import '../dataset-frame.css'

const routeApi = getRouteApi('/datasets/$datasetId/lineage')

/** What the dataset or version came from, and what came from it. */
export function LineageTab() {
  const { datasetId } = routeApi.useParams()
  const { data: dataset } = useManifest(datasetId)
  const lineage = useQuery({
    ...lineageQuery(dataset ?? { id: datasetId, org_slug: '', project_slug: '', slug: '' }),
    enabled: dataset !== undefined && dataset.role !== null,
  })
  return (
    <div className="tab-page">
      {dataset?.role === null && (
        <Empty title="For people of the project">What it came from is shown to who has a role in it.</Empty>
      )}
      {lineage.error && (
        <Failure error={lineage.error} what="The lineage did not load" onRetry={() => void lineage.refetch()} />
      )}
      {lineage.isLoading && <Skeleton rows={4} />}
      {lineage.data?.nodes.length === 0 && <Empty title="Nothing is known of where it came from" />}
      {dataset && lineage.data && lineage.data.nodes.length > 0 && (
        <>
          <p className="mid below-12">
            What came first stands left; every arrow leads to what was made from it.
            {lineage.data.truncated && ' There is more than this picture shows.'}
          </p>
          <LineagePicture lineage={lineage.data} ownId={datasetId} ownSlug={dataset.slug} />
        </>
      )}
    </div>
  )
}
