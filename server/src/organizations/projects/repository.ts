import { type Selectable, sql } from 'kysely'
import type { OrgRole, ProjectRole } from '../../access/roles.ts'
import { type CamelCased, camelCased } from '../../db/camel-case.ts'
import type { Database } from '../../db/database.ts'
import type { OrganizationTables } from '../tables.ts'

export type Project = CamelCased<Selectable<OrganizationTables['projects']>>

export const insertProject = (
  db: Database,
  { id, orgId, slug, name }: Pick<Project, 'id' | 'orgId' | 'slug' | 'name'>,
): Promise<Project | undefined> =>
  db
    .insertInto('projects')
    .values({ id, org_id: orgId, slug, name })
    .onConflict((conflict) => conflict.columns(['org_id', 'slug']).doNothing())
    .returningAll()
    .executeTakeFirst()
    .then(camelCased)

export const updateProject = (
  db: Database,
  id: string,
  change: { name?: string; status?: 'active' | 'archived' },
): Promise<Project> =>
  db
    .updateTable('projects')
    .set({ ...change, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
    .then(camelCased)

/** Projects as one person sees them: their role (every project's admin where they administer the organization) and last visit. */
const seenBy = (db: Database, userId: string) =>
  db
    .selectFrom('projects as project')
    .innerJoin('organizations as org', 'org.id', 'project.org_id')
    .innerJoin('org_members as member', (join) =>
      join.onRef('member.org_id', '=', 'org.id').on('member.user_id', '=', userId),
    )
    .leftJoin('project_members as held', (join) =>
      join.onRef('held.project_id', '=', 'project.id').on('held.user_id', '=', userId),
    )
    .leftJoin('project_visits as visit', (join) =>
      join.onRef('visit.project_id', '=', 'project.id').on('visit.user_id', '=', userId),
    )
    .where((row) => row.or([row('member.role', '=', 'admin'), row('held.role', 'is not', null)]))
    .selectAll('project')
    .select(['org.slug as org_slug', 'visit.last_opened_at'])
    .select(sql<ProjectRole>`case when member.role = 'admin' then 'admin' else held.role end`.as('role'))

export type SeenProject = Project & { orgSlug: string; role: ProjectRole; lastOpenedAt: Date | null }

export const listProjects = (
  db: Database,
  orgId: string,
  userId: string,
  limit: number,
  afterSlug: string | undefined,
): Promise<SeenProject[]> =>
  seenBy(db, userId)
    .where('project.org_id', '=', orgId)
    .$if(afterSlug !== undefined, (query) => query.where('project.slug', '>', afterSlug ?? ''))
    .orderBy('project.slug')
    .limit(limit)
    .execute()
    .then((rows) => rows.map(camelCased))

export const getSeenProject = (db: Database, projectId: string, userId: string): Promise<SeenProject> =>
  seenBy(db, userId).where('project.id', '=', projectId).executeTakeFirstOrThrow().then(camelCased)

export const listAllProjectsOf = (db: Database, userId: string): Promise<SeenProject[]> =>
  seenBy(db, userId)
    .orderBy('org.slug')
    .orderBy('project.slug')
    .execute()
    .then((rows) => rows.map(camelCased))

export const findProject = (db: Database, orgId: string, slug: string): Promise<Project | undefined> =>
  db
    .selectFrom('projects')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('slug', '=', slug)
    .executeTakeFirst()
    .then(camelCased)

export const findProjectRole = async (
  db: Database,
  org: { id: string; role: OrgRole },
  userId: string,
  slug: string,
): Promise<(Pick<Project, 'id' | 'slug' | 'status'> & { role: ProjectRole | null }) | undefined> =>
  db
    .selectFrom('projects as project')
    .leftJoin('project_members as held', (join) =>
      join.onRef('held.project_id', '=', 'project.id').on('held.user_id', '=', userId),
    )
    .select(['project.id', 'project.slug', 'project.status', 'held.role'])
    .where('project.org_id', '=', org.id)
    .where('project.slug', '=', slug)
    .executeTakeFirst()

/** Remembered at most once a minute, so that opening a page is not a write each time. */
export const touchVisit = async (db: Database, projectId: string, userId: string): Promise<void> => {
  await db
    .insertInto('project_visits')
    .values({ project_id: projectId, user_id: userId })
    .onConflict((conflict) =>
      conflict
        .columns(['project_id', 'user_id'])
        .doUpdateSet({ last_opened_at: sql<Date>`now()` })
        .where('project_visits.last_opened_at', '<', sql<Date>`now() - interval '1 minute'`),
    )
    .execute()
}
