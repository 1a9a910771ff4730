import { type Selectable, sql } from 'kysely'
import { type CamelCased, camelCased } from '../../db/camel-case.ts'
import type { Database, Transaction } from '../../db/database.ts'
import type { OrganizationTables } from '../tables.ts'

export type Invite = CamelCased<
  Omit<Selectable<OrganizationTables['invites']>, 'secret_sha256' | 'mail_secret_sha256'>
> & {
  projectSlug: string | null
}

/** An invite as the holder of one of its links finds it. */
export interface FoundInvite extends Invite {
  orgSlug: string
  /** The link is the one that was mailed: whoever holds it reads that mailbox. */
  isFromMail: boolean
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
  invite: Pick<Invite, 'id' | 'orgId' | 'email' | 'orgRole' | 'projectId' | 'projectRole' | 'invitedBy'> & {
    secretSha256: Buffer
    mailSecretSha256: Buffer
    expiresInDays: number
  },
): Promise<Invite> {
  const { id, email, expiresInDays } = invite
  await db
    .insertInto('invites')
    .values({
      id,
      email,
      org_id: invite.orgId,
      org_role: invite.orgRole,
      project_id: invite.projectId,
      project_role: invite.projectRole,
      invited_by: invite.invitedBy,
      secret_sha256: invite.secretSha256,
      mail_secret_sha256: invite.mailSecretSha256,
      expires_at: sql<Date>`now() + ${expiresInDays} * interval '1 day'`,
    })
    .execute()
  return invites(db).where('invite.id', '=', id).executeTakeFirstOrThrow().then(camelCased)
}

export const listInvites = (
  db: Database,
  orgId: string,
  limit: number,
  beforeId: string | undefined,
): Promise<Invite[]> =>
  invites(db)
    .where('invite.org_id', '=', orgId)
    .$if(beforeId !== undefined, (query) => query.where('invite.id', '<', beforeId ?? ''))
    .orderBy('invite.id', 'desc')
    .limit(limit)
    .execute()
    .then((rows) => rows.map(camelCased))

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

export async function revokeInvite(db: Database, orgId: string, id: string): Promise<Invite | undefined> {
  await db
    .updateTable('invites')
    .set({ revoked_at: sql<Date>`coalesce(revoked_at, now())` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('accepted_at', 'is', null)
    .execute()
  return invites(db).where('invite.org_id', '=', orgId).where('invite.id', '=', id).executeTakeFirst().then(camelCased)
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

export const findInviteBySecret = (db: Database, digest: Buffer): Promise<FoundInvite | undefined> =>
  invites(db)
    .innerJoin('organizations as org', 'org.id', 'invite.org_id')
    .select([
      'org.slug as org_slug',
      sql<boolean>`invite.mail_secret_sha256 is not distinct from ${digest}`.as('is_from_mail'),
    ])
    .where((row) => row.or([row('invite.secret_sha256', '=', digest), row('invite.mail_secret_sha256', '=', digest)]))
    .forUpdate('invite')
    .executeTakeFirst()
    .then(camelCased)

export const markAccepted = async (db: Database, id: string): Promise<void> => {
  await db.updateTable('invites').set({ accepted_at: sql<Date>`now()` }).where('id', '=', id).execute()
}

/** Another link for the mailbox, in the place of the one that was mailed; answers whether there is such an invite, still open. */
export async function replaceMailSecret(
  db: Database,
  { orgId, email, mailSecretSha256 }: { orgId: string; email: string; mailSecretSha256: Buffer },
): Promise<string | undefined> {
  const changed = await db
    .updateTable('invites')
    .set({ mail_secret_sha256: mailSecretSha256 })
    .where('org_id', '=', orgId)
    .where('email', '=', email)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning('id')
    .executeTakeFirst()
  return changed?.id
}

/** Who has an account under the address of an invite. */
export const findInvited = (trx: Transaction, email: string): Promise<{ id: string } | undefined> =>
  trx.selectFrom('users').select('id').where('email', '=', email.toLowerCase()).executeTakeFirst()
