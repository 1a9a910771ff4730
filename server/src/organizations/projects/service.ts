import type { OrgGrant, ProjectGrant } from '../../access/access.ts'
import type { Caller } from '../../access/principal.ts'
import { type Actor, recordAudit } from '../../audit/service.ts'
import { cursorsOf, type ListRequest, readList } from '../../cursor.ts'
import { type Database, inTransaction } from '../../db/database.ts'
import { ServiceError } from '../../errors.ts'
import { createId } from '../../ids.ts'
import * as repository from './repository.ts'

export type SeenProject = repository.SeenProject

/** The role a member of the organization holds in one of its projects; without one the project is not there for them. */
export async function findProjectGrant(
  db: Database,
  org: OrgGrant,
  userId: string,
  slug: string,
): Promise<ProjectGrant | undefined> {
  const project = await repository.findProjectRole(db, org, userId, slug)
  const role = org.role === 'admin' ? 'admin' : project?.role
  return project && role ? { ...project, role } : undefined
}

export async function listProjects(db: Database, org: OrgGrant, userId: string, request: ListRequest) {
  const read = (limit: number, after: string | undefined) => repository.listProjects(db, org.id, userId, limit, after)
  return readList(cursorsOf('projects', org.id), request, read, (row) => row.slug)
}

export const listAllProjectsOf = (db: Database, userId: string): Promise<repository.SeenProject[]> =>
  repository.listAllProjectsOf(db, userId)

export const findProject = (db: Database, orgId: string, slug: string): Promise<repository.Project | undefined> =>
  repository.findProject(db, orgId, slug)

export async function openProject(db: Database, projectId: string, userId: string): Promise<SeenProject> {
  await repository.touchVisit(db, projectId, userId)
  return repository.getSeenProject(db, projectId, userId)
}

export const createProject = (
  db: Database,
  actor: Actor,
  { orgId, slug, name }: { orgId: string; slug: string; name: string },
): Promise<repository.Project> =>
  inTransaction(db, async (trx) => {
    const project = await repository.insertProject(trx, { id: createId('prj'), orgId, slug, name })
    if (!project)
      throw new ServiceError(
        'slug_taken',
        `The organization already has a project called ${slug}. Choose another slug.`,
      )
    await recordAudit(trx, actor, {
      action: 'project.create',
      resource: { kind: 'project', id: project.id },
      orgId,
      detail: { slug },
    })
    return project
  })

/** An archived project stays readable. */
export const changeProject = (
  db: Database,
  caller: Caller,
  project: ProjectGrant,
  orgId: string,
  change: { name?: string; status?: 'active' | 'archived' },
): Promise<SeenProject> =>
  inTransaction(db, async (trx) => {
    await repository.updateProject(trx, project.id, change)
    await recordAudit(trx, caller, {
      action: 'project.change',
      resource: { kind: 'project', id: project.id },
      orgId,
      detail: change,
    })
    return repository.getSeenProject(trx, project.id, caller.userId)
  })
