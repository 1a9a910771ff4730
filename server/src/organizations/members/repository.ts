import type { ProjectRole } from '../../access/roles.ts'
import type { Database } from '../../db/database.ts'

interface ProjectMember {
  id: string
  email: string
  displayName: string
  role: ProjectRole
  createdAt: Date
}

const person = [
  'person.id',
  'person.email',
  'person.display_name as displayName',
  'held.role',
  'held.created_at as createdAt',
] as const

export const listProjectMembers = (
  db: Database,
  projectId: string,
  limit: number,
  afterUserId: string | undefined,
): Promise<ProjectMember[]> =>
  db
    .selectFrom('project_members as held')
    .innerJoin('users as person', 'person.id', 'held.user_id')
    .select(person)
    .where('held.project_id', '=', projectId)
    .$if(afterUserId !== undefined, (query) => query.where('person.id', '>', afterUserId ?? ''))
    .orderBy('person.id')
    .limit(limit)
    .execute()

export const findProjectMember = (
  db: Database,
  projectId: string,
  userId: string,
): Promise<ProjectMember | undefined> =>
  db
    .selectFrom('project_members as held')
    .innerJoin('users as person', 'person.id', 'held.user_id')
    .select(person)
    .where('held.project_id', '=', projectId)
    .where('held.user_id', '=', userId)
    .executeTakeFirst()

export const putProjectMember = async (
  db: Database,
  projectId: string,
  userId: string,
  role: ProjectRole,
): Promise<void> => {
  await db
    .insertInto('project_members')
    .values({ project_id: projectId, user_id: userId, role })
    .onConflict((conflict) => conflict.columns(['project_id', 'user_id']).doUpdateSet({ role }))
    .execute()
}

export const deleteProjectMember = async (db: Database, projectId: string, userId: string): Promise<boolean> => {
  const gone = await db
    .deleteFrom('project_members')
    .where('project_id', '=', projectId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return gone.numDeletedRows > 0n
}
