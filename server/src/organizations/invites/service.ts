import { createHash, randomBytes } from 'node:crypto'
import type { OrgGrant } from '../../access/access.ts'
import { isFirstAccount } from '../../access/first-account.ts'
import type { Caller, Principal } from '../../access/principal.ts'
import { isEmailProven, proveEmail } from '../../access/proven-email.ts'
import { holdsProjectRole, type OrgRole, type ProjectRole } from '../../access/roles.ts'
import { recordAudit } from '../../audit/service.ts'
import type { Context } from '../../context.ts'
import { cursorsOf } from '../../cursor.ts'
import { type Database, inTransaction, type Transaction } from '../../db/database.ts'
import { invalidValue, notFound, ServiceError } from '../../errors.ts'
import { createId } from '../../ids.ts'
import { countCausedMail } from '../../notifications/mail-limits.ts'
import { sendMailNow } from '../../notifications/mail-sender.ts'
import { linkMark, notify, queueMail } from '../../notifications/service.ts'
import { findGivenRole, putProjectMember } from '../members/service.ts'
import { findProject } from '../projects/service.ts'
import { addOrgMember, findOrgRole } from '../service.ts'
import * as repository from './repository.ts'

export type Invite = repository.Invite
export type FoundInvite = repository.FoundInvite

export interface InviteRequest {
  email: string
  orgRole: OrgRole
  projectSlug: string | undefined
  projectRole: ProjectRole | undefined
}

const lifeDays = 7
const mostOpenInvites = 500
const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest()

const createSecret = (): string => randomBytes(24).toString('base64url')
const pathOf = (secret: string): string => `/invite?token=${secret}`

/**
 * Makes the invite and mails a link with which the person can make their account. The link that is answered cannot: it lets somebody in
 * who is signed in as that person.
 */
export async function createInvite(
  context: Context,
  caller: Caller,
  org: OrgGrant,
  request: InviteRequest,
): Promise<{ invite: Invite; acceptUrl: string; accountUrl: string | null; mailSent: boolean }> {
  const [secret, mailSecret] = [createSecret(), createSecret()]
  const { invite, mailIds } = await inTransaction(context.db, async (trx) => {
    const project = await findInvitedProject(trx, org, request)
    await repository.lockInvitesTo(trx, org.id, request.email)
    await repository.revokeOpenInvitesTo(trx, org.id, request.email)
    if ((await repository.countOpenInvites(trx, org.id)) >= mostOpenInvites)
      throw new ServiceError('conflict', `${mostOpenInvites} invites are open. Revoke some first.`)
    await countCausedMail(trx, context.config, { senderId: caller.userId, orgId: org.id, to: request.email })
    const row = await repository.insertInvite(trx, {
      id: createId('inv'),
      orgId: org.id,
      email: request.email,
      orgRole: request.orgRole,
      projectId: project?.id ?? null,
      projectRole: project ? (request.projectRole ?? 'viewer') : null,
      invitedBy: caller.userId,
      secretSha256: digestOf(secret),
      mailSecretSha256: digestOf(mailSecret),
      expiresInDays: lifeDays,
    })
    await recordAudit(trx, caller, {
      action: 'invite.create',
      resource: { kind: 'invite', id: row.id },
      orgId: org.id,
      detail: { email: request.email, org_role: request.orgRole },
    })
    return { invite: row, mailIds: await announceInvite(trx, caller, org, row, { secret, mailSecret }) }
  })
  const mailId = mailIds[0]
  const isWritten = mailId !== undefined && (await sendMailNow(context, mailId))
  // Without a mail server it is a file, which reaches nobody.
  const hasMail = context.config.NMP_SMTP_URL !== undefined
  return {
    invite,
    acceptUrl: context.publicUrl + pathOf(secret),
    // Who runs the program could read the mail's file as well.
    accountUrl: !hasMail && isFirstAccount(context.config, caller) ? context.publicUrl + pathOf(mailSecret) : null,
    mailSent: isWritten && hasMail,
  }
}

async function findInvitedProject(db: Database, org: OrgGrant, { projectSlug }: InviteRequest) {
  if (projectSlug === undefined) return undefined
  const project = await findProject(db, org.id, projectSlug)
  if (!project) throw invalidValue(['body', 'project_slug'], 'name a project of the organization', projectSlug)
  return project
}

/** Who has an account is told as they chose; who has none, or has not proven their e-mail, gets the link of the mailbox. */
async function announceInvite(
  trx: Transaction,
  from: Principal,
  org: OrgGrant,
  invite: Invite,
  { secret, mailSecret }: { secret: string; mailSecret: string },
): Promise<string[]> {
  const what = invite.projectSlug ? `the project ${invite.projectSlug} of ${org.slug}` : org.slug
  const title = `${from.email} invites you to ${what} on nmp`
  const line = `Accept within ${lifeDays} days, as ${invite.email}:`
  const person = await repository.findInvited(trx, invite.email)
  if (!person || !(await isEmailProven(trx, person.id)))
    return [
      await queueMail(trx, { to: invite.email, subject: title, body: `${line}\n${linkMark}${pathOf(mailSecret)}` }),
    ]
  return notify(trx, {
    kind: 'team_invite',
    userIds: [person.id],
    orgId: null, // not theirs yet: its slug stands in the title
    resourceKind: 'invite',
    resourceId: invite.id,
    title,
    path: pathOf(secret),
    lines: [line],
  })
}

export async function listInvites(db: Database, orgId: string, limit: number, cursor: string | undefined) {
  const cursors = cursorsOf('invites', orgId)
  const rows = await repository.listInvites(db, orgId, limit + 1, cursors.decode(cursor))
  return cursors.cut(rows, limit, (row) => row.id)
}

export const revokeInvite = (db: Database, caller: Caller, org: OrgGrant, inviteId: string): Promise<Invite> =>
  inTransaction(db, async (trx) => {
    const invite = await repository.revokeInvite(trx, org.id, inviteId)
    if (!invite) throw notFound()
    if (invite.acceptedAt)
      throw new ServiceError('invite_not_usable', 'The invite was accepted. Remove the member instead.')
    await recordAudit(trx, caller, {
      action: 'invite.revoke',
      resource: { kind: 'invite', id: inviteId },
      orgId: org.id,
    })
    return invite
  })

/** What the holder of a link may know before they accept. Undefined when it is used up, revoked or too old. */
export async function findOpenInvite(db: Database, secret: string): Promise<FoundInvite | undefined> {
  const invite = await repository.findInviteBySecret(db, digestOf(secret))
  return invite && isOpen(invite) ? invite : undefined
}

/** For the operator: a new link of the mailbox, in the place of the mailed one. */
export const createMailLink = (db: Database, org: { id: string; slug: string }, email: string): Promise<string> =>
  inTransaction(db, async (trx) => {
    const secret = createSecret()
    const wanted = { orgId: org.id, email: email.toLowerCase(), mailSecretSha256: digestOf(secret) }
    const id = await repository.replaceMailSecret(trx, wanted)
    if (id === undefined) throw new ServiceError('not_found', `${org.slug} has no open invite to ${email}.`)
    await recordAudit(trx, 'operator', { action: 'invite.link', resource: { kind: 'invite', id }, orgId: org.id })
    return pathOf(secret)
  })

/** Joins the organization, as the person the invite was made for. A role that is held already is never lowered. */
export const acceptInvite = (db: Database, caller: Caller, secret: string): Promise<FoundInvite> =>
  inTransaction(db, async (trx) => {
    const invite = await repository.findInviteBySecret(trx, digestOf(secret))
    if (!invite) throw notFound()
    if (!isOpen(invite))
      throw new ServiceError('invite_not_usable', 'The invite was used, revoked or has expired. Ask for a new one.')
    if (invite.email !== caller.email)
      throw new ServiceError(
        'invite_not_usable',
        'The invite is for another e-mail. Sign in as the person it was sent to.',
      )
    if (invite.isFromMail) await proveEmail(trx, caller.userId)
    else if (!(await isEmailProven(trx, caller.userId)))
      throw new ServiceError(
        'email_not_proven',
        'This account has not proven that its e-mail is yours. Open the link in the mail that invites you, or choose a new password by mail; then accept again.',
      )
    const held = await findOrgRole(trx, invite.orgId, caller.userId)
    if (held !== 'admin') await addOrgMember(trx, invite.orgId, caller.userId, invite.orgRole)
    await joinProject(trx, caller, invite)
    await repository.markAccepted(trx, invite.id)
    await recordAudit(trx, caller, {
      action: 'invite.accept',
      resource: { kind: 'invite', id: invite.id },
      orgId: invite.orgId,
    })
    return { ...invite, acceptedAt: new Date() }
  })

async function joinProject(
  trx: Transaction,
  caller: Caller,
  { orgId, projectId, projectRole: role }: Invite,
): Promise<void> {
  if (!projectId || !role) return
  const held = await findGivenRole(trx, projectId, caller.userId)
  if (held && holdsProjectRole(held, role)) return
  await putProjectMember(trx, caller, { orgId, projectId }, caller.userId, role)
}

const isOpen = (invite: Invite): boolean =>
  !invite.acceptedAt && !invite.revokedAt && invite.expiresAt.getTime() > Date.now()
