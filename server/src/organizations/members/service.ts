import type { OrgGrant, ProjectGrant } from '../../access/access.ts'
import type { Caller } from '../../access/principal.ts'
import type { OrgRole, ProjectRole } from '../../access/roles.ts'
import { type Actor, recordAudit } from '../../audit/service.ts'
import { cursorsOf } from '../../cursor.ts'
import { type Database, inTransaction, type Transaction } from '../../db/database.ts'
import { insufficientRole, invalidValue, notFound, ServiceError } from '../../errors.ts'
import * as organizations from '../repository.ts'
import * as repository from './repository.ts'

export interface Member<Role> {
  id: string
  email: string
  displayName: string
  role: Role
  createdAt: Date
}

export async function listOrgMembers(db: Database, orgId: string, limit: number, cursor: string | undefined) {
  const cursors = cursorsOf('members', orgId)
  const rows = await organizations.listOrgMembers(db, orgId, limit + 1, cursors.decode(cursor))
  return cursors.cut(rows, limit, (row) => row.id)
}

export const changeOrgMember = (
  db: Database,
  caller: Caller,
  org: OrgGrant,
  userId: string,
  role: OrgRole,
): Promise<Member<OrgRole>> =>
  inTransaction(db, async (trx) => {
    const member = await organizations.findOrgMember(trx, org.id, userId)
    if (!member) throw notFound()
    if (role !== 'admin') await keepAnAdmin(trx, org, userId)
    await organizations.putOrgMember(trx, org.id, userId, role)
    await recordAudit(trx, caller, {
      action: 'member.change',
      resource: { kind: 'user', id: userId },
      orgId: org.id,
      detail: { role },
    })
    return { ...member, role }
  })

/** An admin removes anybody; everybody may leave. Either way the last admin stays. */
export const removeOrgMember = (
  db: Database,
  caller: Caller,
  org: OrgGrant,
  userId: string,
): Promise<Member<OrgRole>> =>
  inTransaction(db, async (trx) => {
    if (org.role !== 'admin' && userId !== caller.userId) throw insufficientRole('admin of the organization')
    const member = await organizations.findOrgMember(trx, org.id, userId)
    if (!member) throw notFound()
    await keepAnAdmin(trx, org, userId)
    await organizations.deleteOrgMember(trx, org.id, userId)
    await recordAudit(trx, caller, {
      action: userId === caller.userId ? 'member.leave' : 'member.remove',
      resource: { kind: 'user', id: userId },
      orgId: org.id,
    })
    return member
  })

async function keepAnAdmin(trx: Transaction, org: OrgGrant, leavingUserId: string): Promise<void> {
  const admins = await organizations.lockOrgAdmins(trx, org.id)
  if (admins.length === 1 && admins[0] === leavingUserId)
    throw new ServiceError(
      'last_admin',
      `${org.slug} would be left without an admin. Make someone else an admin first.`,
    )
}

export async function listProjectMembers(db: Database, projectId: string, limit: number, cursor: string | undefined) {
  const cursors = cursorsOf('project members', projectId)
  const rows = await repository.listProjectMembers(db, projectId, limit + 1, cursors.decode(cursor))
  return cursors.cut(rows, limit, (row) => row.id)
}

/** The role a person was given in a project, beside what the organization gives them. */
export const findGivenRole = async (
  db: Database,
  projectId: string,
  userId: string,
): Promise<ProjectRole | undefined> => (await repository.findProjectMember(db, projectId, userId))?.role

export const putProjectMember = (
  db: Database,
  actor: Actor,
  scope: { orgId: string; projectId: string },
  userId: string,
  role: ProjectRole,
): Promise<Member<ProjectRole>> =>
  inTransaction(db, async (trx) => {
    if (!(await organizations.findOrgMember(trx, scope.orgId, userId)))
      throw invalidValue(
        ['path', 'user_id'],
        'the person is not a member of the organization; invite them first',
        userId,
      )
    await repository.putProjectMember(trx, scope.projectId, userId, role)
    await recordAudit(trx, actor, {
      action: 'project_member.put',
      resource: { kind: 'project', id: scope.projectId },
      orgId: scope.orgId,
      detail: { user_id: userId, role },
    })
    const member = await repository.findProjectMember(trx, scope.projectId, userId)
    if (!member) throw notFound()
    return member
  })

export const removeProjectMember = (
  db: Database,
  caller: Caller,
  org: OrgGrant,
  project: ProjectGrant,
  userId: string,
): Promise<Member<ProjectRole>> =>
  inTransaction(db, async (trx) => {
    if (project.role !== 'admin' && userId !== caller.userId) throw insufficientRole('admin of the project')
    const member = await repository.findProjectMember(trx, project.id, userId)
    if (!member) throw notFound()
    await repository.deleteProjectMember(trx, project.id, userId)
    await recordAudit(trx, caller, {
      action: 'project_member.remove',
      resource: { kind: 'project', id: project.id },
      orgId: org.id,
      detail: { user_id: userId },
    })
    return member
  })
