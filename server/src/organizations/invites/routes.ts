import { Type } from 'typebox'
import { orgAdmin, signedIn } from '../../access/access.ts'
import { orgRoles, projectRoles } from '../../access/roles.ts'
import { defineRoute } from '../../http/route.ts'
import { email, item, nullable, oneOf, orgParams, page, pageQuery, timestamp } from '../../http/schemas.ts'
import { acceptInvite, createInvite, type Invite, listInvites, revokeInvite } from './service.ts'

const inviteRecord = Type.Object(
  {
    id: Type.String(),
    org_slug: Type.String(),
    email: Type.String(),
    org_role: oneOf(orgRoles),
    project_slug: nullable(Type.String()),
    project_role: nullable(oneOf(projectRoles)),
    invited_by: nullable(Type.String()),
    created_at: timestamp,
    expires_at: timestamp,
    accepted_at: nullable(timestamp),
    revoked_at: nullable(timestamp),
  },
  { $id: 'Invite' },
)

const presentInvite = (invite: Invite, orgSlug: string) => ({
  id: invite.id,
  org_slug: orgSlug,
  email: invite.email,
  org_role: invite.orgRole,
  project_slug: invite.projectSlug,
  project_role: invite.projectRole,
  invited_by: invite.invitedBy,
  created_at: invite.createdAt.toISOString(),
  expires_at: invite.expiresAt.toISOString(),
  accepted_at: invite.acceptedAt?.toISOString() ?? null,
  revoked_at: invite.revokedAt?.toISOString() ?? null,
})

export const inviteRoutes = [
  defineRoute({
    id: 'createInvite',
    method: 'POST',
    path: '/api/v1/orgs/{org_slug}/invites',
    tag: 'Projects',
    summary: 'Invite a person to the organization, and to a project of it',
    description:
      'A link with which the person can make their account is sent to their mailbox alone. `accept_url` works for somebody who has an account of that e-mail, has proven it and is signed in; it is not shown again. Both are valid for 7 days and work once. `account_url` is the mailed link, for the first account of a program that has no mail server, and null otherwise.',
    credentials: 'session',
    access: orgAdmin,
    params: orgParams,
    body: Type.Object({
      email,
      org_role: Type.Optional(oneOf(orgRoles)),
      project_slug: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
      project_role: Type.Optional(oneOf(projectRoles)),
    }),
    response: Type.Object({
      item: inviteRecord,
      accept_url: Type.String(),
      account_url: nullable(Type.String()),
      mail_sent: Type.Boolean(),
    }),
    status: 201,
    errors: ['conflict', 'too_many_requests'],
    async handle(context, { org, caller, body }) {
      const { invite, acceptUrl, accountUrl, mailSent } = await createInvite(context, caller, org, {
        email: body.email.toLowerCase(),
        orgRole: body.org_role ?? 'member',
        projectSlug: body.project_slug,
        projectRole: body.project_role,
      })
      return {
        item: presentInvite(invite, org.slug),
        accept_url: acceptUrl,
        account_url: accountUrl,
        mail_sent: mailSent,
      }
    },
  }),
  defineRoute({
    id: 'listInvites',
    method: 'GET',
    path: '/api/v1/orgs/{org_slug}/invites',
    tag: 'Projects',
    summary: 'List invites, newest first',
    description: 'Open, accepted, revoked and expired invites.',
    credentials: 'session',
    access: orgAdmin,
    params: orgParams,
    query: pageQuery,
    response: page(inviteRecord),
    async handle({ db }, { org, query }) {
      const { rows, nextCursor } = await listInvites(db, org.id, query.limit, query.cursor)
      return { items: rows.map((row) => presentInvite(row, org.slug)), next_cursor: nextCursor }
    },
  }),
  defineRoute({
    id: 'revokeInvite',
    method: 'DELETE',
    path: '/api/v1/orgs/{org_slug}/invites/{invite_id}',
    tag: 'Projects',
    summary: 'Revoke an invite',
    description: 'Its link stops working immediately.',
    credentials: 'session',
    access: orgAdmin,
    params: Type.Object({ org_slug: Type.String(), invite_id: Type.String() }),
    response: item(inviteRecord),
    errors: ['invite_not_usable'],
    async handle({ db }, { org, caller, params }) {
      return { item: presentInvite(await revokeInvite(db, caller, org, params.invite_id), org.slug) }
    },
  }),
  defineRoute({
    id: 'acceptInvite',
    method: 'POST',
    path: '/api/v1/invites/accept',
    tag: 'Projects',
    summary: 'Accept an invite, as the person it was made for',
    description: 'The signed-in account must have the e-mail address that was invited, and have proven it.',
    credentials: 'session',
    access: signedIn,
    body: Type.Object({ token: Type.String({ minLength: 1, maxLength: 200 }) }),
    response: item(inviteRecord),
    errors: ['not_found', 'invite_not_usable', 'email_not_proven'],
    async handle({ db }, { caller, body }) {
      const invite = await acceptInvite(db, caller, body.token)
      return { item: presentInvite(invite, invite.orgSlug) }
    },
  }),
]
