import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Button } from '../parts/controls.tsx'
import { Icon } from '../parts/icon.tsx'
import { RoleSelect } from '../parts/people.tsx'
import { Select } from '../parts/select.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { showFault, showToast } from '../parts/toasts.tsx'
import { client } from '../session/client.ts'
import { useMe } from '../session/workspace.ts'

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
  const [addedRole, setAddedRole] = useState<(typeof roles)[number]>('editor')
  useEffect(() => {
    document.title = `Members of ${project} · nmp`
  }, [project])
  const isAdmin =
    me.data?.projects.some((one) => one.org_slug === org && one.project_slug === project && one.role === 'admin') ??
    false
  const isOrgAdmin = me.data?.org_admin_slugs.includes(org) ?? false
  // Admins of the organization have every role already.
  const others =
    people.data?.filter(
      ({ user_id, role }) => role !== 'admin' && !members.data?.some((member) => member.user_id === user_id),
    ) ?? []
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
        Viewers read; editors import, flag, derive and export; admins manage members and publish. Who is admin of the{' '}
        <Link className="lk" to="/orgs/$org/members" params={{ org }}>
          organization {org}
        </Link>{' '}
        is admin here too, without being listed.
      </p>
      {members.error && <Failure error={members.error} what="The members did not load" />}
      {members.isPending && <Skeleton height={36} rows={3} />}
      {members.data?.length === 0 && (
        <Empty title="Nobody has a role in this project yet">Only admins of the organization see this project.</Empty>
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
                            `${member.email} no longer has a role here`,
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
          className="row mt-4 flex-wrap"
          onSubmit={(event) => {
            event.preventDefault()
            const id = others.find(({ user_id }) => user_id === added)?.user_id ?? others[0]?.user_id
            if (id) put(id, addedRole).then(done, fail)
          }}
        >
          <Select
            label="Member of the organization"
            className="w-65"
            value={added}
            onChange={setAdded}
            options={others.map(({ user_id, email }) => ({ value: user_id, label: email }))}
          />
          <RoleSelect
            label="Role in the project"
            value={addedRole}
            roles={roles}
            onChange={(role: (typeof roles)[number]) => setAddedRole(role)}
          />
          <Button type="submit">Add</Button>
        </form>
      )}
      {isOrgAdmin && (
        <p className="mt-4">
          <Link className="btn" to="/orgs/$org/members" params={{ org }} search={{ project }}>
            <Icon name="plus" small />
            Invite somebody new
          </Link>
        </p>
      )}
    </div>
  )
}
