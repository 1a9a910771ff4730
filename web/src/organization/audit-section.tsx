import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { client } from '../app/client.ts'
import { Button } from '../parts/controls.tsx'
import { Failure, Skeleton } from '../parts/states.tsx'
import { TableScroll } from '../parts/table-scroll.tsx'
import { Time } from '../parts/time.tsx'

const routeApi = getRouteApi('/orgs/$org/audit')

export function AuditSection() {
  const { org } = routeApi.useParams()
  const events = useInfiniteQuery({
    queryKey: ['audit', org],
    queryFn: ({ pageParam, signal }) =>
      client.projects.listAuditEvents(
        { org_slug: org, limit: 100, ...(pageParam ? { cursor: pageParam } : {}) },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  })
  const items = events.data?.pages.flatMap((page) => page.items) ?? []
  return (
    <>
      <div className="row">
        <h2 style={{ fontSize: 15 }}>Audit</h2>
        <span className="dim">who did what, newest first; nothing is ever taken out</span>
      </div>
      {events.error && <Failure error={events.error} what="The audit did not load" />}
      {events.isPending && <Skeleton height={36} />}
      <TableScroll label="Audit events">
        <table className="t mt-1">
          <thead>
            <tr>
              <th>When</th>
              <th>What</th>
              <th>On</th>
              <th>Who</th>
              <th>Request</th>
            </tr>
          </thead>
          <tbody>
            {items.map((event) => (
              <tr key={event.id}>
                <td className="mid">
                  <Time at={event.at} />
                </td>
                <td>
                  <b>{event.action}</b>
                </td>
                <td className="mono mid">{event.resource_id}</td>
                <td className="mono mid">{event.actor_user_id ?? event.actor_kind}</td>
                <td className="mono dim">{event.request_id}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableScroll>
      {events.hasNextPage && (
        <Button className="mt-3" onClick={() => void events.fetchNextPage()}>
          Older
        </Button>
      )}
    </>
  )
}
