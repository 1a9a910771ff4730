import type { AuditEvent } from '@nmp/sdk/generated/records'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { orgMembersQuery } from '../data/organization.ts'
import { Button } from '../parts/controls.tsx'
import { Failure, Skeleton } from '../parts/states.tsx'
import { TableScroll } from '../parts/table-scroll.tsx'
import { Time } from '../parts/time.tsx'
import { client } from '../session/client.ts'

const routeApi = getRouteApi('/signed-in/orgs/$org/audit')

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
  const members = useQuery(orgMembersQuery(org))
  const items = events.data?.pages.flatMap((page) => page.items) ?? []
  const nameActor = ({ actor_user_id, actor_kind }: AuditEvent) =>
    members.data?.find(({ user_id }) => user_id === actor_user_id)?.email ?? actor_user_id ?? actor_kind
  return (
    <>
      <div className="row wrap">
        <h2 className="title">Audit</h2>
        <span className="dim">who did what, newest first; entries are never removed</span>
      </div>
      {events.error && (
        <Failure error={events.error} what="The audit did not load" onRetry={() => void events.refetch()} />
      )}
      {events.isPending && <Skeleton height={36} />}
      {items.length > 0 && (
        <TableScroll label="Audit events">
          <table className="table stack above-4">
            <thead>
              <tr>
                <th>What</th>
                <th>When</th>
                <th>Who</th>
                <th>On</th>
                <th>Request</th>
              </tr>
            </thead>
            <tbody>
              {items.map((event) => (
                <tr key={event.id}>
                  <td>
                    <b>{event.action.replaceAll('.', ' ').replaceAll('_', ' ')}</b>
                  </td>
                  <td className="mid">
                    <Time at={event.at} />
                  </td>
                  <td className="mid">{nameActor(event)}</td>
                  <td className="mono mid" data-label="on">
                    {event.resource_id}
                  </td>
                  <td className="mono dim" data-label="request">
                    {event.request_id}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableScroll>
      )}
      {events.hasNextPage && (
        <Button className="above-12" disabled={events.isFetchingNextPage} onClick={() => void events.fetchNextPage()}>
          Older
        </Button>
      )}
    </>
  )
}
