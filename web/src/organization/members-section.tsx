import type { OrgMember } from '@nmp/sdk/generated/records'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { orgMembersQuery } from '../data/organization.ts'
import { refresh } from '../data/refresh.ts'
import { Button } from '../parts/controls.tsx'
import { ConfirmLoss } from '../parts/dialog.tsx'
import { MembersTable } from '../parts/members-table.tsx'
import { Failure, Skeleton } from '../parts/states.tsx'
import { showToast } from '../parts/toasts.tsx'
import { useChange } from '../parts/use-change.ts'
import { client } from '../session/client.ts'
import { useMe } from '../session/workspace.ts'
import { Invites } from './invites.tsx'

const routeApi = getRouteApi('/signed-in/orgs/$org/members')
const orgRoles = ['member', 'admin'] as const

interface RoleGiven {
  member: OrgMember
  role: OrgMember['role']
  isUndo?: boolean
}

export function MembersSection() {
  const { org } = routeApi.useParams()
  const me = useMe()
  const isAdmin = me.data?.org_admin_slugs.includes(org) ?? false
  const members = useQuery(orgMembersQuery(org))
  const [leaving, setLeaving] = useState<OrgMember>()
  const change = useChange(
    ({ member, role }: RoleGiven) =>
      client.projects.changeMember({ org_slug: org, user_id: member.user_id, body: { role } }),
    {
      onDone: async (_, { member, role, isUndo }) => {
        if (!isUndo)
          showToast(`${member.email} is ${role} of ${org} now`, () =>
            change.mutate({ member, role: member.role, isUndo: true }),
          )
        await refresh.orgMembers(org)
      },
    },
  )
  return (
    <>
      <h2 className="title">Members</h2>
      {members.error && <Failure error={members.error} what="The members did not load" />}
      {members.isPending && <Skeleton height={36} rows={3} />}
      {members.data && (
        <MembersTable
          members={members.data}
          roles={orgRoles}
          canChange={isAdmin}
          onRole={(member, role) => change.mutate({ member, role })}
          renderEnd={(member) =>
            isAdmin &&
            member.user_id !== me.data?.id && (
              <Button small look="ghost" aria-label={`Remove ${member.email}`} onClick={() => setLeaving(member)}>
                Remove
              </Button>
            )
          }
        />
      )}
      {isAdmin && <Invites org={org} />}
      <ConfirmLoss
        key={leaving?.user_id}
        title={`Remove ${leaving?.display_name || leaving?.email} from ${org}?`}
        word={leaving?.email ?? ''}
        verb="Remove"
        open={leaving !== undefined}
        onClose={() => setLeaving(undefined)}
        onConfirm={async () => {
          if (!leaving) return
          await client.projects.removeMember({ org_slug: org, user_id: leaving.user_id })
          void refresh.orgMembers(org)
          showToast(`${leaving.email} is no longer a member`)
        }}
      >
        They lose all roles in its projects at once. What they imported stays. They need a new invite to come back.
      </ConfirmLoss>
    </>
  )
}
