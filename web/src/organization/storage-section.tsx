import { useQueries, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { projectDatasetsQuery } from '../data/project.ts'
import { formatBytes, formatCount, formatPercent } from '../parts/formats.ts'
import { Failure, Skeleton } from '../parts/states.tsx'
import { usageQuery } from '../session/usage.ts'
import { useMe } from '../session/workspace.ts'

const routeApi = getRouteApi('/orgs/$org/storage')

export function StorageSection() {
  const { org } = routeApi.useParams()
  const usage = useQuery(usageQuery(org))
  if (usage.error)
    return <Failure error={usage.error} what="The storage did not load" onRetry={() => void usage.refetch()} />
  if (!usage.data) return <Skeleton rows={3} />
  const { storage_bytes: used, object_count: objects, quota_bytes: quota } = usage.data
  const isFull = quota !== null && used >= quota
  return (
    <div style={{ maxWidth: 620 }}>
      <h2 style={{ fontSize: 15 }}>Storage and limits</h2>
      <p className="mt-3" style={{ fontSize: 18, lineHeight: '24px', fontWeight: 600 }}>
        {formatBytes(used)}
        <span className="dim">{quota === null ? ' stored, no limit set' : ` of ${formatBytes(quota)}`}</span>
      </p>
      {quota !== null && (
        <>
          <div
            className="meter mt-2"
            style={{ height: 6 }}
            role="meter"
            aria-label={`Storage of ${org}`}
            aria-valuemin={0}
            aria-valuemax={quota}
            aria-valuenow={used}
            aria-valuetext={`${formatBytes(used)} of ${formatBytes(quota)}`}
          >
            <span style={{ width: `${Math.min(100, (used / quota) * 100)}%` }} />
          </div>
          <p className="sm mid mt-1">
            {formatPercent(used / quota)} used, {formatBytes(Math.max(0, quota - used))} left
          </p>
        </>
      )}
      {isFull && (
        <div className="say mt-3" role="alert">
          <b>It is full: imports, uploads and exports are refused.</b>
          <p className="mid">Delete a dataset or a version that is no longer needed, or ask the operator for more.</p>
        </div>
      )}
      <p className="mid mt-3">
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
    <section className="mt-6">
      <h2>Largest datasets</h2>
      <table className="t mt-1">
        <thead>
          <tr>
            <th style={{ paddingLeft: 0 }}>Dataset</th>
            <th>
              <span className="vh">Share</span>
            </th>
            <th className="r">Size</th>
          </tr>
        </thead>
        <tbody>
          {largest.map((dataset) => (
            <tr key={dataset.id}>
              <td className="clip" style={{ paddingLeft: 0, maxWidth: 240 }}>
                <Link to="/datasets/$datasetId" params={{ datasetId: dataset.id }}>
                  <b>{dataset.title}</b>
                </Link>{' '}
                <span className="dim">{dataset.deletion_at ? 'deleted' : dataset.project_slug}</span>
              </td>
              <td style={{ width: 120 }}>
                <span className="meter block">
                  <span style={{ width: `${(dataset.size_bytes / most) * 100}%` }} />
                </span>
              </td>
              <td className="r">{formatBytes(dataset.size_bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
