import { getRouteApi, Outlet } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useManifest } from '../data/dataset.ts'
import { Failure, Skeleton } from '../parts/states.tsx'
import { DatasetFrame } from './dataset-frame.tsx'
import { DatasetSide } from './dataset-side.tsx'
import './dataset-page.css'

const routeApi = getRouteApi('/datasets/$datasetId')

export function DatasetPage() {
  const { datasetId } = routeApi.useParams()
  const manifest = useManifest(datasetId)
  const title = manifest.data?.title
  useEffect(() => {
    document.title = title ? `${title} · nmp` : 'nmp'
  }, [title])
  if (!manifest.data)
    return (
      <div className="page">
        {manifest.error ? (
          <Failure error={manifest.error} what="The dataset did not load" onRetry={() => void manifest.refetch()} />
        ) : (
          <Skeleton rows={10} />
        )}
      </div>
    )
  return (
    <DatasetFrame dataset={manifest.data}>
      <div className="dataset-body">
        <DatasetSide dataset={manifest.data} />
        <div className="dataset-main">
          <Outlet />
        </div>
      </div>
    </DatasetFrame>
  )
}
