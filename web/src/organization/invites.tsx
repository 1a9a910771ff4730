import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { invitesQuery } from '../data/organization.ts'
import { refresh } from '../data/refresh.ts'
import { Button, Field } from '../parts/controls.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { RoleSelect } from '../parts/people.tsx'
import { Select } from '../parts/select.tsx'
import { inviteLine } from '../parts/snippets.ts'
import { Time } from '../parts/time.tsx'
import { useChange } from '../parts/use-change.ts'
import { client } from '../session/client.ts'
import { useMe } from '../session/workspace.ts'

const routeApi = getRouteApi('/signed-in/orgs/$org/members')
const orgRoles = ['member', 'admin'] as const
const projectRoles = ['viewer', 'editor', 'admin'] as const

interface MadeInvite {
  email: string
  url: string
  /** Whoever opens the link becomes that person. */
  isOfMailbox: boolean
  isMailed: boolean
}

/** What was made of an invite, and what is still to be done for the person to come in. */
function Made({ invite, org }: { invite: MadeInvite; org: string }) {
  return (
    <div className="made-secret" role="status">
      <p>
        <b>{invite.email}</b> is invited for 7 days. {describeWay(invite)}
      </p>
      <div className="made-secret-value">
        <code>{invite.url}</code>
        <CopyButton look="primary" text={invite.url}>
          Copy
        </CopyButton>
      </div>
      {!invite.isMailed && !invite.isOfMailbox && (
        <p className="mid">
          For a person without an account, whoever runs this nmp prints a link:{' '}
          <code>{inviteLine(org, invite.email)}</code>
        </p>
      )}
    </div>
  )
}

function describeWay({ isOfMailbox, isMailed }: MadeInvite): string {
  if (isOfMailbox)
    return 'No mail server is set up, so hand over this link yourself. Whoever opens it becomes that person: give it to nobody else. It is shown only once.'
  const known = 'A person who has an account can also use this link, signed in:'
  return isMailed
    ? `A link to make an account and join was sent by mail. ${known}`
    : `No mail was sent: no mail server is set up. ${known}`
}

/** Who is asked in: the form, the link that it gives, and the invites that are open. */
export function Invites({ org }: { org: string }) {
  const me = useMe()
  const [email, setEmail] = useState('')
  const [orgRole, setOrgRole] = useState<(typeof orgRoles)[number]>('member')
  const { project: wanted } = routeApi.useSearch()
  const [project, setProject] = useState(wanted ?? '')
  const [projectRole, setProjectRole] = useState<(typeof projectRoles)[number]>('editor')
  const [made, setMade] = useState<MadeInvite>()
  const invites = useQuery(invitesQuery(org))
  const creation = useChange(
    () =>
      client.projects.createInvite({
        org_slug: org,
        body: {
          email: email.trim(),
          org_role: orgRole,
          ...(project ? { project_slug: project, project_role: projectRole } : {}),
        },
      }),
    {
      showsFault: true,
      onDone: ({ item, accept_url, account_url, mail_sent }) => {
        setMade({
          email: item.email,
          url: account_url ?? accept_url,
          isOfMailbox: account_url !== null,
          isMailed: mail_sent,
        })
        setEmail('')
        void refresh.invites(org)
      },
    },
  )
  const revocation = useChange((id: string) => client.projects.revokeInvite({ org_slug: org, invite_id: id }), {
    onDone: () => refresh.invites(org),
  })
  const open = invites.data?.filter(({ accepted_at, revoked_at }) => !accepted_at && !revoked_at) ?? []
  const projects = me.data?.projects.filter(({ org_slug }) => org_slug === org) ?? []
  return (
    <section className="above-32">
      <h2>Invite</h2>
      <form
        className="row above-8 wrap items-start"
        onSubmit={(event) => {
          event.preventDefault()
          creation.mutate()
        }}
      >
        <Field
          label="E-mail"
          placeholder="E-mail"
          type="email"
          className="width-260 max-full-width"
          value={email}
          fault={creation.error?.message}
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
          className="width-144"
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
      {made && <Made invite={made} org={org} />}
      {open.length > 0 && (
        <table className="table stack above-16">
          <thead>
            <tr>
              <th>Invited</th>
              <th>As</th>
              <th>Expires</th>
              <th>
                <span className="visually-hidden">Revoke</span>
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
                <td className="align-right">
                  <Button
                    small
                    look="ghost"
                    aria-label={`Revoke the invite of ${invite.email}`}
                    onClick={() => revocation.mutate(invite.id)}
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
