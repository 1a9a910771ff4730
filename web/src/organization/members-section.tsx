import type { OrgMember } from '@nmp/sdk/generated/records'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { Button, Field } from '../parts/controls.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { ConfirmLoss } from '../parts/dialog.tsx'
import { RoleSelect } from '../parts/people.tsx'
import { Select } from '../parts/select.tsx'
import { Failure, Skeleton } from '../parts/states.tsx'
import { TableScroll } from '../parts/table-scroll.tsx'
import { Time } from '../parts/time.tsx'
import { showFault, showToast } from '../parts/toasts.tsx'
import { client } from '../session/client.ts'
import { useMe } from '../session/workspace.ts'

const routeApi = getRouteApi('/orgs/$org/members')
const orgRoles = ['member', 'admin'] as const
const projectRoles = ['viewer', 'editor', 'admin'] as const

export function MembersSection() {
  const { org } = routeApi.useParams()
  const me = useMe()
  const cache = useQueryClient()
  const isAdmin = me.data?.org_admin_slugs.includes(org) ?? false
  const members = useQuery({
    queryKey: ['org-members', org],
    queryFn: async ({ signal }) => (await client.projects.listMembers({ org_slug: org }, { signal })).items,
  })
  const [leaving, setLeaving] = useState<OrgMember>()
  const done = () => void cache.invalidateQueries({ queryKey: ['org-members', org] })
  const fail = (error: Error) => showFault(error.message)
  const change = (member: OrgMember, role: OrgMember['role']) =>
    client.projects.changeMember({ org_slug: org, user_id: member.user_id, body: { role } }).then(done)
  return (
    <>
      <h2 style={{ fontSize: 15 }}>Members</h2>
      {members.error && <Failure error={members.error} what="The members did not load" />}
      {members.isPending && <Skeleton height={36} rows={3} />}
      {members.data && (
        <TableScroll label="Members">
          <table className="t stack mt-1">
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
                      roles={orgRoles}
                      disabled={!isAdmin}
                      onChange={(role) => {
                        change(member, role).then(
                          () =>
                            showToast(
                              `${member.email} is ${role} of ${org} now`,
                              () => void change(member, member.role).catch(fail),
                            ),
                          fail,
                        )
                      }}
                    />
                  </td>
                  <td className="mid">
                    <Time at={member.created_at} />
                  </td>
                  <td className="r">
                    {isAdmin && member.user_id !== me.data?.id && (
                      <Button
                        small
                        look="ghost"
                        aria-label={`Remove ${member.email}`}
                        onClick={() => setLeaving(member)}
                      >
                        Remove
                      </Button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableScroll>
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
          done()
          showToast(`${leaving.email} is no longer a member`)
        }}
      >
        They lose all roles in its projects at once. What they imported stays. They need a new invite to come back.
      </ConfirmLoss>
    </>
  )
}

function Invites({ org }: { org: string }) {
  const me = useMe()
  const cache = useQueryClient()
  const [email, setEmail] = useState('')
  const [orgRole, setOrgRole] = useState<(typeof orgRoles)[number]>('member')
  const { project: wanted } = routeApi.useSearch()
  const [project, setProject] = useState(wanted ?? '')
  const [projectRole, setProjectRole] = useState<(typeof projectRoles)[number]>('editor')
  const [fault, setFault] = useState<string>()
  const [made, setMade] = useState<{ email: string; url: string; isMailed: boolean }>()
  const invites = useQuery({
    queryKey: ['invites', org],
    queryFn: async ({ signal }) => (await client.projects.listInvites({ org_slug: org }, { signal })).items,
  })
  const done = () => void cache.invalidateQueries({ queryKey: ['invites', org] })
  const open = invites.data?.filter(({ accepted_at, revoked_at }) => !accepted_at && !revoked_at) ?? []
  const projects = me.data?.projects.filter(({ org_slug }) => org_slug === org) ?? []
  return (
    <section className="mt-8">
      <h2>Invite</h2>
      <form
        className="row mt-2 flex-wrap items-start"
        onSubmit={(event) => {
          event.preventDefault()
          setFault(undefined)
          client.projects
            .createInvite({
              org_slug: org,
              body: {
                email: email.trim(),
                org_role: orgRole,
                ...(project ? { project_slug: project, project_role: projectRole } : {}),
              },
            })
            .then(
              ({ item, accept_url, mail_sent }) => {
                setMade({ email: item.email, url: accept_url, isMailed: mail_sent })
                setEmail('')
                done()
              },
              (error: Error) => setFault(error.message),
            )
        }}
      >
        <Field
          label="E-mail"
          placeholder="E-mail"
          type="email"
          style={{ width: 260, maxWidth: '100%' }}
          value={email}
          fault={fault}
          onChange={(event) => setEmail(event.target.value)}
        />
        <RoleSelect
          label="Role in the organization"
          value={orgRole}
          roles={orgRoles}
          onChange={(role: (typeof orgRoles)[number]) => setOrgRole(role)}
        />
        <Select
          label="Project"
          className="w-36"
          value={project}
          onChange={setProject}
          options={[
            { value: '', label: 'no project yet' },
            ...projects.map(({ project_slug }) => ({ value: project_slug, label: project_slug })),
          ]}
        />
        {project && (
          <RoleSelect
            label="Role in the project"
            value={projectRole}
            roles={projectRoles}
            onChange={(role: (typeof projectRoles)[number]) => setProjectRole(role)}
          />
        )}
        <Button type="submit" look="primary" disabled={!email.includes('@')}>
          Invite
        </Button>
      </form>
      {made && (
        <div className="made" role="status">
          <p>
            <b>{made.email}</b> is invited for 7 days.{' '}
            {made.isMailed
              ? 'The link was sent by mail; it is also shown here, once:'
              : 'No mail was sent. Send this link yourself; it is shown only once.'}
          </p>
          <div className="secret">
            <code>{made.url}</code>
            <CopyButton look="primary" text={made.url}>
              Copy
            </CopyButton>
          </div>
        </div>
      )}
      {open.length > 0 && (
        <table className="t stack mt-4">
          <thead>
            <tr>
              <th>Invited</th>
              <th>As</th>
              <th>Expires</th>
              <th>
                <span className="vh">Revoke</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {open.map((invite) => (
              <tr key={invite.id}>
                <td>{invite.email}</td>
                <td className="mid">
                  {invite.org_role}
                  {invite.project_slug && `, ${invite.project_role} of ${invite.project_slug}`}
                </td>
                <td className="mid">
                  <Time at={invite.expires_at} />
                </td>
                <td className="r">
                  <Button
                    small
                    look="ghost"
                    aria-label={`Revoke the invite of ${invite.email}`}
                    onClick={() =>
                      void client.projects
                        .revokeInvite({ org_slug: org, invite_id: invite.id })
                        .then(done, (error: Error) => showFault(error.message))
                    }
                  >
                    Revoke
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
