import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { client } from '../app/client.ts'
import { showFault, showToast } from '../app/toasts.tsx'
import { useMe } from '../app/workspace.ts'
import { RoleSelect } from '../organization/people.tsx'
import { Button } from '../parts/controls.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'

const routeApi = getRouteApi('/orgs/$org/projects/$project/members')
const roles = ['viewer', 'editor', 'admin'] as const

export function ProjectMembersPage() {
  const { org, project } = routeApi.useParams()
  const me = useMe()
  const cache = useQueryClient()
  const place = { org_slug: org, project_slug: project }
  const members = useQuery({
    queryKey: ['project-members', org, project],
    queryFn: async ({ signal }) => (await client.projects.listProjectMembers(place, { signal })).items,
  })
  const people = useQuery({
    queryKey: ['org-members', org],
    queryFn: async ({ signal }) => (await client.projects.listMembers({ org_slug: org }, { signal })).items,
  })
  const [added, setAdded] = useState('')
  useEffect(() => {
    document.title = `Members of ${project} · nmp`
  }, [project])
  const isAdmin =
    me.data?.projects.some((one) => one.org_slug === org && one.project_slug === project && one.role === 'admin') ??
    false
  const others = people.data?.filter(({ user_id }) => !members.data?.some((member) => member.user_id === user_id)) ?? []
  const done = () => void cache.invalidateQueries({ queryKey: ['project-members', org, project] })
  const fail = (error: Error) => showFault(error.message)
  const put = (userId: string, role: (typeof roles)[number]) =>
    client.projects.putProjectMember({ ...place, user_id: userId, body: { role } })
  return (
    <div className="page doc">
      <div className="row mb-1">
        <h1>Members of {project}</h1>
      </div>
      <p className="mid mb-3">
        Viewers read; editors import, flag, derive and export; admins manage members and publish. Admins of {org} are
        admins here and are listed in{' '}
        <Link className="lk" to="/orgs/$org/members" params={{ org }}>
          {org}
        </Link>
        .
      </p>
      {members.error && <Failure error={members.error} what="The members did not load" />}
      {members.isPending && <Skeleton height={36} rows={3} />}
      {members.data?.length === 0 && (
        <Empty title="Nobody has a role of their own here">Only the admins of {org} see this project.</Empty>
      )}
      {members.data && members.data.length > 0 && (
        <table className="t stack">
          <thead>
            <tr>
              <th>Person</th>
              <th>E-mail</th>
              <th>Role</th>
              <th>Since</th>
              <th>
                <span className="vh">Remove</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {members.data.map((member) => (
              <tr key={member.user_id}>
                <td>
                  <b>{member.display_name || member.email.split('@')[0]}</b>
                </td>
                <td className="mid">{member.email}</td>
                <td>
                  <RoleSelect
                    label={`Role of ${member.email}`}
                    value={member.role}
                    roles={roles}
                    disabled={!isAdmin}
                    onChange={(role) => {
                      put(member.user_id, role).then(() => {
                        done()
                        showToast(
                          `${member.email} is ${role} now`,
                          () => void put(member.user_id, member.role).then(done),
                        )
                      }, fail)
                    }}
                  />
                </td>
                <td className="mid">
                  <Time at={member.created_at} />
                </td>
                <td className="r">
                  {(isAdmin || member.user_id === me.data?.id) && (
                    <Button
                      small
                      look="ghost"
                      className="c-flag"
                      onClick={() => {
                        client.projects.removeProjectMember({ ...place, user_id: member.user_id }).then(() => {
                          done()
                          showToast(
                            `${member.email} has no role here any more`,
                            () => void put(member.user_id, member.role).then(done),
                          )
                        }, fail)
                      }}
                    >
                      {member.user_id === me.data?.id ? 'Leave' : 'Remove'}
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {isAdmin && others.length > 0 && (
        <form
          className="row mt-4"
          onSubmit={(event) => {
            event.preventDefault()
            const id = added || others[0]?.user_id
            if (id) put(id, 'editor').then(done, fail)
          }}
        >
          <span className="field" style={{ width: 260 }}>
            <select
              aria-label="Member of the organization"
              value={added}
              onChange={(event) => setAdded(event.target.value)}
            >
              {others.map(({ user_id, email }) => (
                <option key={user_id} value={user_id}>
                  {email}
                </option>
              ))}
            </select>
          </span>
          <Button type="submit">Add as editor</Button>
        </form>
      )}
    </div>
  )
}
