import { useQueries, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { projectDatasetsQuery } from '../data/project.ts'
import { formatBytes, formatCount, formatPercent } from '../parts/formats.ts'
import { Failure, Skeleton } from '../parts/states.tsx'
import { usageQuery } from '../session/usage.ts'
import { useMe } from '../session/workspace.ts'

const routeApi = getRouteApi('/signed-in/orgs/$org/storage')

export function StorageSection() {
  const { org } = routeApi.useParams()
  const usage = useQuery(usageQuery(org))
  if (usage.error)
    return <Failure error={usage.error} what="The storage did not load" onRetry={() => void usage.refetch()} />
  if (!usage.data) return <Skeleton rows={3} />
  const { storage_bytes: used, object_count: objects, quota_bytes: quota } = usage.data
  const isFull = quota !== null && used >= quota
  return (
    <div className="max-width-620">
      <h2 className="title">Storage and limits</h2>
      <p className="above-12 figure">
        {formatBytes(used)}
        <span className="dim">{quota === null ? ' stored, no limit set' : ` of ${formatBytes(quota)}`}</span>
      </p>
      {quota !== null && (
        <>
          <div
            className="meter above-8 height-6"
            role="meter"
            aria-label={`Storage of ${org}`}
            aria-valuemin={0}
            aria-valuemax={quota}
            aria-valuenow={used}
            aria-valuetext={`${formatBytes(used)} of ${formatBytes(quota)}`}
          >
            <span style={{ width: `${Math.min(100, (used / quota) * 100)}%` }} />
          </div>
          <p className="small mid above-4">
            {formatPercent(used / quota)} used, {formatBytes(Math.max(0, quota - used))} left
          </p>
        </>
      )}
      {isFull && (
        <div className="callout above-12" role="alert">
          <b>It is full: imports, uploads and exports are refused.</b>
          <p className="mid">Delete a dataset or a version that is no longer needed, or ask the operator for more.</p>
        </div>
      )}
      <p className="mid above-12">
        {formatCount(objects)} objects. Contents that several datasets or versions share count once. Deleted datasets
        count until their time to be restored is over.
      </p>
      <Largest org={org} />
    </div>
  )
}

/** Where the bytes are: what to look at when they run out. */
function Largest({ org }: { org: string }) {
  const me = useMe()
  const projects = me.data?.projects.filter(({ org_slug }) => org_slug === org) ?? []
  const lists = useQueries({ queries: projects.map(({ project_slug }) => projectDatasetsQuery(org, project_slug)) })
  const largest = lists
    .flatMap(({ data }) => data?.items ?? [])
    .sort((one, other) => other.size_bytes - one.size_bytes)
    .slice(0, 10)
  const most = largest[0]?.size_bytes ?? 1
  if (largest.length === 0) return null
  return (
    <section className="above-24">
      <h2>Largest datasets</h2>
      <table className="table above-4">
        <thead>
          <tr>
            <th className="flush-left">Dataset</th>
            <th>
              <span className="visually-hidden">Share</span>
            </th>
            <th className="align-right">Size</th>
          </tr>
        </thead>
        <tbody>
          {largest.map((dataset) => (
            <tr key={dataset.id}>
              <td className="clip flush-left max-width-240">
                <Link to="/datasets/$datasetId" params={{ datasetId: dataset.id }}>
                  <b>{dataset.title}</b>
                </Link>{' '}
                <span className="dim">{dataset.deletion_at ? 'deleted' : dataset.project_slug}</span>
              </td>
              <td className="width-120">
                <span className="meter block">
                  <span style={{ width: `${(dataset.size_bytes / most) * 100}%` }} />
                </span>
              </td>
              <td className="align-right">{formatBytes(dataset.size_bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
