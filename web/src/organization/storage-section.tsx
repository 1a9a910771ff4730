import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { usageQuery } from '../app/usage.ts'
import { formatBytes, formatCount, formatPercent } from '../parts/formats.ts'

const routeApi = getRouteApi('/orgs/$org/storage')

export function StorageSection() {
  const { org } = routeApi.useParams()
  const usage = useQuery(usageQuery(org))
  if (!usage.data) return null
  const { storage_bytes: used, object_count: objects, quota_bytes: quota } = usage.data
  return (
    <div style={{ maxWidth: 560 }}>
      <h2 style={{ fontSize: 15 }}>Storage and limits</h2>
      <p className="mt-3" style={{ fontSize: 18, lineHeight: '24px', fontWeight: 600 }}>
        {formatBytes(used)}
        {quota ? (
          <span className="dim"> of {formatBytes(quota)}</span>
        ) : (
          <span className="dim"> stored, no bound set</span>
        )}
      </p>
      {quota ? (
        <>
          <div className="meter mt-2" style={{ height: 6 }}>
            <span style={{ width: `${Math.min(100, (used / quota) * 100)}%` }} />
          </div>
          <p className="sm mid mt-1">
            {formatPercent(used / quota)} used, {formatBytes(Math.max(0, quota - used))} left
          </p>
        </>
      ) : null}
      <p className="mid mt-3">
        {formatCount(objects)} objects. Contents that several datasets or versions share count once. Deleted datasets
        count until their time to be restored is over.
      </p>
    </div>
  )
}
