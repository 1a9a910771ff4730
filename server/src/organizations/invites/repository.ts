import { type Selectable, sql } from 'kysely'
import type { Database, Transaction } from '../../db/database.ts'
import type { OrganizationTables } from '../tables.ts'

export type InviteRow = Omit<Selectable<OrganizationTables['invites']>, 'secret_sha256'> & {
  project_slug: string | null
}

const columns = [
  'invite.id',
  'invite.org_id',
  'invite.email',
  'invite.org_role',
  'invite.project_id',
  'invite.project_role',
  'invite.invited_by',
  'invite.created_at',
  'invite.expires_at',
  'invite.accepted_at',
  'invite.revoked_at',
  'project.slug as project_slug',
] as const

const invites = (db: Database) =>
  db.selectFrom('invites as invite').leftJoin('projects as project', 'project.id', 'invite.project_id').select(columns)

export async function insertInvite(
  db: Database,
  invite: Pick<InviteRow, 'id' | 'org_id' | 'email' | 'org_role' | 'project_id' | 'project_role' | 'invited_by'> & {
    secret_sha256: Buffer
    expiresInDays: number
  },
): Promise<InviteRow> {
  const { expiresInDays, ...values } = invite
  await db
    .insertInto('invites')
    .values({ ...values, expires_at: sql<Date>`now() + ${expiresInDays} * interval '1 day'` })
    .execute()
  return invites(db).where('invite.id', '=', invite.id).executeTakeFirstOrThrow()
}

export const listInvites = (
  db: Database,
  orgId: string,
  limit: number,
  beforeId: string | undefined,
): Promise<InviteRow[]> =>
  invites(db)
    .where('invite.org_id', '=', orgId)
    .$if(beforeId !== undefined, (query) => query.where('invite.id', '<', beforeId ?? ''))
    .orderBy('invite.id', 'desc')
    .limit(limit)
    .execute()

/** One invite to an address at a time: the younger one takes the place of the older. */
export const lockInvitesTo = async (trx: Transaction, orgId: string, email: string): Promise<void> => {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`invite ${orgId} ${email}`}, 0))`.execute(trx)
}

export const countOpenInvites = async (db: Database, orgId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('invites')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('org_id', '=', orgId)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirstOrThrow()
  return count
}

export async function revokeInvite(db: Database, orgId: string, id: string): Promise<InviteRow | undefined> {
  await db
    .updateTable('invites')
    .set({ revoked_at: sql<Date>`coalesce(revoked_at, now())` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('accepted_at', 'is', null)
    .execute()
  return invites(db).where('invite.org_id', '=', orgId).where('invite.id', '=', id).executeTakeFirst()
}

/** A new invite takes the place of an open one to the same e-mail. */
export const revokeOpenInvitesTo = async (db: Database, orgId: string, email: string): Promise<void> => {
  await db
    .updateTable('invites')
    .set({ revoked_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('email', '=', email)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .execute()
}

export const findInviteBySecret = (db: Database, digest: Buffer) =>
  invites(db)
    .innerJoin('organizations as org', 'org.id', 'invite.org_id')
    .select('org.slug as org_slug')
    .where('invite.secret_sha256', '=', digest)
    .forUpdate('invite')
    .executeTakeFirst()

export const markAccepted = async (db: Database, id: string): Promise<void> => {
  await db.updateTable('invites').set({ accepted_at: sql<Date>`now()` }).where('id', '=', id).execute()
}

/** Who has an account under the address of an invite. */
export const findInvited = (trx: Transaction, email: string): Promise<{ id: string } | undefined> =>
  trx.selectFrom('users').select('id').where('email', '=', email.toLowerCase()).executeTakeFirst()
