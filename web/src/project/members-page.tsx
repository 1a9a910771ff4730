import type { ProjectMember } from '@nmp/sdk/generated/records'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { orgMembersQuery, projectMembersQuery } from '../data/organization.ts'
import { refresh } from '../data/refresh.ts'
import { Button } from '../parts/controls.tsx'
import { Icon } from '../parts/icon.tsx'
import { MembersTable } from '../parts/members-table.tsx'
import { RoleSelect } from '../parts/people.tsx'
import { Select } from '../parts/select.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { showToast } from '../parts/toasts.tsx'
import { useChange } from '../parts/use-change.ts'
import { client } from '../session/client.ts'
import { useMe } from '../session/workspace.ts'

const routeApi = getRouteApi('/signed-in/orgs/$org/projects/$project/members')
const roles = ['viewer', 'editor', 'admin'] as const

interface RoleGiven {
  userId: string
  role: (typeof roles)[number]
  said?: string
  undo?: RoleGiven
}

export function ProjectMembersPage() {
  const { org, project } = routeApi.useParams()
  const me = useMe()
  const place = { org_slug: org, project_slug: project }
  const members = useQuery(projectMembersQuery(org, project))
  const people = useQuery(orgMembersQuery(org))
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
  const done = () => refresh.projectMembers(org, project)
  const put = useChange(
    ({ userId, role }: RoleGiven) => client.projects.putProjectMember({ ...place, user_id: userId, body: { role } }),
    {
      onDone: async (_, { said, undo }) => {
        if (said) showToast(said, undo && (() => put.mutate(undo)))
        await done()
      },
    },
  )
  const removal = useChange(
    ({ user_id }: ProjectMember) => client.projects.removeProjectMember({ ...place, user_id }),
    {
      onDone: async (_, { user_id: userId, email, role }) => {
        showToast(`${email} no longer has a role here`, () => put.mutate({ userId, role }))
        await done()
      },
    },
  )
  return (
    <div className="page narrow-page">
      <div className="row below-4">
        <h1>Members of {project}</h1>
      </div>
      <p className="mid below-12">
        Viewers read; editors import, flag, derive and export; admins manage members and publish. Who is admin of the{' '}
        <Link className="link" to="/orgs/$org/members" params={{ org }}>
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
        <MembersTable
          members={members.data}
          roles={roles}
          canChange={isAdmin}
          onRole={(member, role) =>
            put.mutate({
              userId: member.user_id,
              role,
              said: `${member.email} is ${role} now`,
              undo: { userId: member.user_id, role: member.role },
            })
          }
          renderEnd={(member) =>
            (isAdmin || member.user_id === me.data?.id) && (
              <Button small look="ghost" className="text-flag" onClick={() => removal.mutate(member)}>
                {member.user_id === me.data?.id ? 'Leave' : 'Remove'}
              </Button>
            )
          }
        />
      )}
      {isAdmin && others.length > 0 && (
        <form
          className="row above-16 wrap"
          onSubmit={(event) => {
            event.preventDefault()
            const id = others.find(({ user_id }) => user_id === added)?.user_id ?? others[0]?.user_id
            if (id) put.mutate({ userId: id, role: addedRole })
          }}
        >
          <Select
            label="Member of the organization"
            className="width-260"
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
        <p className="above-16">
          <Link className="button" to="/orgs/$org/members" params={{ org }} search={{ project }}>
            <Icon name="plus" small />
            Invite somebody new
          </Link>
        </p>
      )}
    </div>
  )
}
