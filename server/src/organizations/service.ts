import type { AccessRule, Grants, OrgGrant } from '../access/access.ts'
import type { Caller, Principal } from '../access/principal.ts'
import { holdsOrgRole, holdsProjectRole, type OrgRole } from '../access/roles.ts'
import { type Actor, recordAudit } from '../audit/service.ts'
import { cursorsOf } from '../cursor.ts'
import { type Database, inTransaction, type Transaction } from '../db/database.ts'
import { insufficientRole, notFound, ServiceError, twoStepRequired } from '../errors.ts'
import { createId } from '../ids.ts'
import { lockUsage } from '../storage/quota.ts'
import { findProjectGrant } from './projects/service.ts'
import * as repository from './repository.ts'

export type Organization = repository.Organization

/** How long a deletion can be taken back. */
export const deletionGraceDays = 7

/** What a caller may do at the resources a path names. Outside their organizations everything is a 404, as if absent. */
export async function authorize(
  db: Database,
  principal: Principal,
  rule: AccessRule,
  params: Record<string, string>,
): Promise<Partial<Grants['project']>> {
  if (rule.kind === 'anyone' || rule.kind === 'user') return {}
  const membership = await repository.findOrgMembership(db, params.org_slug ?? '', principal.userId)
  if (!membership) throw notFound()
  const { requireTwoStep, ...org } = membership
  if (requireTwoStep && !principal.hasSecondProof) throw twoStepRequired(org.slug, principal.kind)
  if (rule.kind === 'org') {
    if (!holdsOrgRole(org.role, rule.role)) throw insufficientRole(`${rule.role} of the organization`)
    return { org }
  }
  const project = await findProjectGrant(db, org, principal.userId, params.project_slug ?? '')
  if (!project) throw notFound()
  if (!holdsProjectRole(project.role, rule.role)) throw insufficientRole(`${rule.role} of the project`)
  return { org, project }
}

interface NewOrganization {
  slug: string
  name: string
  adminUserId?: string
  /** How many a person may have made, this one included. */
  mostOfPerson?: number
}

export const createOrg = (
  db: Database,
  actor: Actor,
  { slug, name, adminUserId, mostOfPerson }: NewOrganization,
): Promise<Organization> =>
  inTransaction(db, async (trx) => {
    const createdBy = typeof actor === 'string' ? null : actor.userId
    if (createdBy !== null && mostOfPerson !== undefined) await requireFewerOrgs(trx, createdBy, mostOfPerson)
    const org = await repository.insertOrg(trx, { id: createId('org'), slug, name, createdBy })
    if (!org)
      throw new ServiceError('slug_taken', `An organization called ${slug} already exists. Choose another slug.`)
    if (adminUserId) await repository.putOrgMember(trx, org.id, adminUserId, 'admin')
    await recordAudit(trx, actor, {
      action: 'org.create',
      resource: { kind: 'org', id: org.id },
      orgId: org.id,
      detail: { slug },
    })
    return org
  })

async function requireFewerOrgs(trx: Transaction, userId: string, most: number): Promise<void> {
  await lockUsage(trx, userId)
  if ((await repository.countOrgsMadeBy(trx, userId)) < most) return
  throw new ServiceError(
    'organization_limit',
    `A person can make ${most} organizations (NMP_PERSON_ORGS). Delete one that you no longer need, or ask the operator to make this one.`,
  )
}

/** A person's own organization, named after their e-mail; a slug that is taken gets -2, -3, … */
export async function createPersonalOrg(trx: Transaction, user: { id: string; email: string }): Promise<Organization> {
  const name = user.email.split('@')[0] ?? ''
  const base =
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, 90) || 'user'
  for (let count = 1; ; count += 1) {
    const slug = count === 1 ? base : `${base}-${count}`
    const org = await repository.insertOrg(trx, { id: createId('org'), slug, name, createdBy: user.id })
    if (!org) continue
    await repository.putOrgMember(trx, org.id, user.id, 'admin')
    return org
  }
}

export async function listOrgsOf(db: Database, userId: string, limit: number, cursor: string | undefined) {
  const cursors = cursorsOf('organizations', userId)
  const rows = await repository.listOrgsOf(db, userId, limit + 1, cursors.decode(cursor))
  return cursors.cut(rows, limit, (row) => row.slug)
}

export const getOrg = (db: Database, id: string): Promise<repository.Organization> => repository.getOrg(db, id)

export const findOrgBySlug = (db: Database, slug: string): Promise<repository.Organization | undefined> =>
  repository.findOrgBySlug(db, slug)

export const listAllOrgsOf = (db: Database, userId: string) => repository.listAllOrgsOf(db, userId)

/** Whether this person is kept from what only members of that organization may see, until they sign in with a second proof. */
export const isHeldBack = async (db: Database, principal: Principal, orgId: string): Promise<boolean> =>
  !principal.hasSecondProof && (await repository.getOrg(db, orgId)).requireTwoStep

/** The name, and whether members need a second proof: only who has one may ask it of the others. */
export const changeOrg = (
  db: Database,
  caller: Caller,
  org: OrgGrant,
  { name, requireTwoStep }: { name?: string; requireTwoStep?: boolean },
) =>
  inTransaction(db, async (trx) => {
    if (requireTwoStep && !caller.hasSecondProof) throw twoStepRequired(org.slug, caller.kind)
    const row = await repository.updateOrg(trx, org.id, {
      ...(name === undefined ? {} : { name }),
      ...(requireTwoStep === undefined ? {} : { requireTwoStep }),
    })
    const entry = { resource: { kind: 'org', id: org.id }, orgId: org.id } as const
    if (name !== undefined) await recordAudit(trx, caller, { ...entry, action: 'org.rename', detail: { name } })
    if (requireTwoStep !== undefined)
      await recordAudit(trx, caller, {
        ...entry,
        action: 'org.require_two_step',
        detail: { require_two_step: requireTwoStep },
      })
    return row
  })

/** Nothing is lost at once: the organization goes on for the grace period, and a restore takes the deletion back. */
export const requestOrgDeletion = (
  db: Database,
  caller: Caller,
  org: OrgGrant,
  confirmSlug: string,
): Promise<Organization> =>
  inTransaction(db, async (trx) => {
    if (confirmSlug !== org.slug)
      throw new ServiceError('confirmation_mismatch', `To delete the organization, send its slug: ${org.slug}.`)
    const row = await repository.setOrgDeletion(trx, org.id, true)
    await recordAudit(trx, caller, {
      action: 'org.delete',
      resource: { kind: 'org', id: org.id },
      orgId: org.id,
    })
    return row
  })

export const restoreOrg = (db: Database, caller: Caller, org: OrgGrant): Promise<Organization> =>
  inTransaction(db, async (trx) => {
    const row = await repository.setOrgDeletion(trx, org.id, false)
    await recordAudit(trx, caller, {
      action: 'org.restore',
      resource: { kind: 'org', id: org.id },
      orgId: org.id,
    })
    return row
  })

/** Before an account goes: organizations of that person alone go with it, others must have another admin. */
export async function requestDeletionOfOrgsOnlyOf(trx: Transaction, caller: Caller): Promise<void> {
  const orgs = await repository.listOrgsOnlyAdministeredBy(trx, caller.userId)
  const shared = orgs.filter((org) => (org.others ?? 0) > 0).map((org) => org.slug)
  if (shared.length > 0)
    throw new ServiceError(
      'last_admin',
      `${shared.join(', ')} would be left without an admin. Make someone else an admin there first.`,
    )
  for (const { id } of orgs) {
    await repository.setOrgDeletion(trx, id, true)
    await recordAudit(trx, caller, { action: 'org.delete', resource: { kind: 'org', id }, orgId: id })
  }
}

export const deleteOrgsPastGrace = (db: Database): Promise<number> =>
  inTransaction(db, async (trx) => {
    const gone = await repository.deleteOrgsPastGrace(trx, deletionGraceDays)
    for (const org of gone)
      await recordAudit(trx, 'program', {
        action: 'org.purge',
        resource: { kind: 'org', id: org.id },
        orgId: org.id,
        detail: { slug: org.slug },
      })
    return gone.length
  })

export const addOrgMember = (db: Database, orgId: string, userId: string, role: OrgRole): Promise<void> =>
  repository.putOrgMember(db, orgId, userId, role)

export const findOrgRole = async (db: Database, orgId: string, userId: string): Promise<OrgRole | undefined> =>
  (await repository.findOrgMember(db, orgId, userId))?.role
