import { type Selectable, sql } from 'kysely'
import type { OrgRole } from '../access/roles.ts'
import { type CamelCased, camelCased } from '../db/camel-case.ts'
import type { Database } from '../db/database.ts'
import type { OrganizationTables } from './tables.ts'

export type Organization = CamelCased<Selectable<OrganizationTables['organizations']>>

/** Somebody's organization, and what they are there. */
type Membership = Pick<Organization, 'id' | 'slug' | 'requireTwoStep'> & { role: OrgRole }

interface OrgMember {
  id: string
  email: string
  displayName: string
  role: OrgRole
  createdAt: Date
}

export const insertOrg = (
  db: Database,
  { id, slug, name, createdBy }: Pick<Organization, 'id' | 'slug' | 'name' | 'createdBy'>,
): Promise<Organization | undefined> =>
  db
    .insertInto('organizations')
    .values({ id, slug, name, created_by: createdBy })
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returningAll()
    .executeTakeFirst()
    .then(camelCased)

export const countOrgsMadeBy = async (db: Database, userId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('organizations')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('created_by', '=', userId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export const findOrgBySlug = (db: Database, slug: string): Promise<Organization | undefined> =>
  db.selectFrom('organizations').selectAll().where('slug', '=', slug).executeTakeFirst().then(camelCased)

export const getOrg = (db: Database, id: string): Promise<Organization> =>
  db.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirstOrThrow().then(camelCased)

export const updateOrg = (
  db: Database,
  id: string,
  { name, requireTwoStep }: { name?: string; requireTwoStep?: boolean },
): Promise<Organization> =>
  db
    .updateTable('organizations')
    .set({
      ...(name === undefined ? {} : { name }),
      ...(requireTwoStep === undefined ? {} : { require_two_step: requireTwoStep }),
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
    .then(camelCased)

export const setOrgDeletion = (db: Database, id: string, requested: boolean): Promise<Organization> =>
  db
    .updateTable('organizations')
    .set({
      deletion_requested_at: requested ? sql<Date>`coalesce(deletion_requested_at, now())` : null,
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
    .then(camelCased)

/** Removes what was asked to be removed longer ago than the grace period; the rest of its rows go with it. */
export const deleteOrgsPastGrace = (db: Database, graceDays: number): Promise<Pick<Organization, 'id' | 'slug'>[]> =>
  db
    .deleteFrom('organizations')
    .where('deletion_requested_at', '<', sql<Date>`now() - ${graceDays} * interval '1 day'`)
    .returning(['id', 'slug'])
    .execute()

export const listOrgsOf = (
  db: Database,
  userId: string,
  limit: number,
  afterSlug: string | undefined,
): Promise<(Organization & { role: OrgRole })[]> =>
  db
    .selectFrom('org_members as member')
    .innerJoin('organizations as org', 'org.id', 'member.org_id')
    .selectAll('org')
    .select('member.role')
    .where('member.user_id', '=', userId)
    .$if(afterSlug !== undefined, (query) => query.where('org.slug', '>', afterSlug ?? ''))
    .orderBy('org.slug')
    .limit(limit)
    .execute()
    .then((rows) => rows.map(camelCased))

export const listAllOrgsOf = (db: Database, userId: string): Promise<Membership[]> =>
  db
    .selectFrom('org_members as member')
    .innerJoin('organizations as org', 'org.id', 'member.org_id')
    .select(['org.id', 'org.slug', 'org.require_two_step as requireTwoStep', 'member.role'])
    .where('member.user_id', '=', userId)
    .orderBy('org.slug')
    .limit(1000)
    .execute()

export const findOrgMembership = (db: Database, orgSlug: string, userId: string): Promise<Membership | undefined> =>
  db
    .selectFrom('organizations as org')
    .innerJoin('org_members as member', 'member.org_id', 'org.id')
    .select(['org.id', 'org.slug', 'org.require_two_step as requireTwoStep', 'member.role'])
    .where('org.slug', '=', orgSlug)
    .where('member.user_id', '=', userId)
    .executeTakeFirst()

export const listOrgMembers = (
  db: Database,
  orgId: string,
  limit: number,
  afterUserId: string | undefined,
): Promise<OrgMember[]> =>
  db
    .selectFrom('org_members as member')
    .innerJoin('users as person', 'person.id', 'member.user_id')
    .select([
      'person.id',
      'person.email',
      'person.display_name as displayName',
      'member.role',
      'member.created_at as createdAt',
    ])
    .where('member.org_id', '=', orgId)
    .$if(afterUserId !== undefined, (query) => query.where('person.id', '>', afterUserId ?? ''))
    .orderBy('person.id')
    .limit(limit)
    .execute()

export const findOrgMember = (db: Database, orgId: string, userId: string): Promise<OrgMember | undefined> =>
  db
    .selectFrom('org_members as member')
    .innerJoin('users as person', 'person.id', 'member.user_id')
    .select([
      'person.id',
      'person.email',
      'person.display_name as displayName',
      'member.role',
      'member.created_at as createdAt',
    ])
    .where('member.org_id', '=', orgId)
    .where('member.user_id', '=', userId)
    .executeTakeFirst()

export const putOrgMember = async (db: Database, orgId: string, userId: string, role: OrgRole): Promise<void> => {
  await db
    .insertInto('org_members')
    .values({ org_id: orgId, user_id: userId, role })
    .onConflict((conflict) => conflict.columns(['org_id', 'user_id']).doUpdateSet({ role }))
    .execute()
}

/** With the membership go the person's roles in the projects of the organization. */
export const deleteOrgMember = async (db: Database, orgId: string, userId: string): Promise<void> => {
  await db
    .deleteFrom('project_members')
    .where('user_id', '=', userId)
    .where('project_id', 'in', db.selectFrom('projects').select('id').where('org_id', '=', orgId))
    .execute()
  await db.deleteFrom('org_members').where('org_id', '=', orgId).where('user_id', '=', userId).execute()
}

/** Locks the organization's row, so that two admins who leave at once are looked at one after the other. */
export const lockOrgAdmins = async (db: Database, orgId: string): Promise<string[]> => {
  await db.selectFrom('organizations').select('id').where('id', '=', orgId).forUpdate().execute()
  const admins = await db
    .selectFrom('org_members')
    .select('user_id')
    .where('org_id', '=', orgId)
    .where('role', '=', 'admin')
    .execute()
  return admins.map((admin) => admin.user_id)
}

/** Organizations in which this person is the only admin, and how many other members each has. */
export const listOrgsOnlyAdministeredBy = (
  db: Database,
  userId: string,
): Promise<{ id: string; slug: string; others: number | null }[]> =>
  db
    .selectFrom('org_members as mine')
    .innerJoin('organizations as org', 'org.id', 'mine.org_id')
    .select(['org.id', 'org.slug'])
    .select((row) =>
      row
        .selectFrom('org_members as other')
        .select((count) => count.fn.countAll<number>().as('count'))
        .whereRef('other.org_id', '=', 'org.id')
        .where('other.user_id', '<>', userId)
        .as('others'),
    )
    .where('mine.user_id', '=', userId)
    .where('mine.role', '=', 'admin')
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('org_members as other')
            .select('other.user_id')
            .whereRef('other.org_id', '=', 'org.id')
            .where('other.user_id', '<>', userId)
            .where('other.role', '=', 'admin'),
        ),
      ),
    )
    .execute()
