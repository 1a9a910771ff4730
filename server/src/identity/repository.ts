import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { prepared } from '../db/prepared.ts'

export interface SessionStanding {
  isRevoked: boolean
  /** Whole seconds, as `iat` counts: sessions signed before are over. 0 for a person not known yet. */
  validAfterSeconds: number
}

/** `-infinity` is the default of the column. */
const validAfterSeconds = sql<number>`greatest(floor(extract(epoch from users.sessions_valid_after)), 0)::float8`

/** What has happened to a session since its token was signed. `local` subjects are user ids, others linked identities. */
export async function findSessionStanding(
  db: Database,
  session: { issuer: string; subject: string; sessionId: string },
): Promise<SessionStanding> {
  const userId =
    session.issuer === 'local'
      ? sql`${session.subject}`
      : sql`(select user_id from identities where issuer = ${session.issuer} and subject = ${session.subject})`
  const { rows } = await sql<{ is_revoked: boolean; valid_after: number | null }>`
    ${prepared(session.issuer === 'local' ? 'local-session' : 'session')} select
      exists (select from revoked_sessions where session_id = ${session.sessionId}) as is_revoked,
      (select ${validAfterSeconds} from users where id = ${userId}) as valid_after
  `.execute(db)
  return { isRevoked: rows[0]?.is_revoked ?? false, validAfterSeconds: rows[0]?.valid_after ?? 0 }
}

export async function insertRevokedSession(db: Database, sessionId: string, expiresAt: Date): Promise<void> {
  await db
    .insertInto('revoked_sessions')
    .values({ session_id: sessionId, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('session_id').doNothing())
    .execute()
}

export interface LocalAccount {
  userId: string
  email: string
  name: string
  passwordHash: string | null
  /** Sign-ins before this second are over. */
  validAfterSeconds: number
}

const selectAccounts = (db: Database) =>
  db
    .selectFrom('local_accounts')
    .innerJoin('users', 'users.id', 'local_accounts.user_id')
    .select(['users.id as userId', 'email', 'display_name as name', 'password_hash as passwordHash'])
    .select(validAfterSeconds.as('validAfterSeconds'))

export const findAccountByEmail = (db: Database, email: string): Promise<LocalAccount | undefined> =>
  selectAccounts(db).where('users.email', '=', email).executeTakeFirst()

export const findAccountById = (db: Database, userId: string): Promise<LocalAccount | undefined> =>
  selectAccounts(db).where('users.id', '=', userId).executeTakeFirst()

/** Makes the account if there is none; a password given replaces the one it has. */
export async function upsertAccount(db: Database, userId: string, passwordHash: string | undefined): Promise<void> {
  await db
    .insertInto('local_accounts')
    .values({ user_id: userId, password_hash: passwordHash ?? null })
    .onConflict((conflict) =>
      passwordHash === undefined
        ? conflict.column('user_id').doNothing()
        : conflict.column('user_id').doUpdateSet({ password_hash: passwordHash, updated_at: sql`now()` }),
    )
    .execute()
}

/** Better parameters for the same password: nothing is changed when the password was, meanwhile. */
export async function replaceHash(db: Database, userId: string, from: string, to: string): Promise<void> {
  await db
    .updateTable('local_accounts')
    .set({ password_hash: to })
    .where('user_id', '=', userId)
    .where('password_hash', '=', from)
    .execute()
}

export type CodePurpose = 'sign_in' | 'password_reset' | 'second_step'

export async function insertCode(
  db: Database,
  code: { sha256: Buffer; purpose: CodePurpose; userId: string; expiresAt: Date },
): Promise<void> {
  await db
    .insertInto('one_time_codes')
    .values({ code_sha256: code.sha256, purpose: code.purpose, user_id: code.userId, expires_at: code.expiresAt })
    .execute()
}

export async function findCode(db: Database, purpose: CodePurpose, sha256: Buffer): Promise<string | undefined> {
  const row = await db
    .selectFrom('one_time_codes')
    .select('user_id')
    .where('code_sha256', '=', sha256)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return row?.user_id
}

/** Of any number of takers at once exactly one gets the user. */
export async function takeCode(db: Database, purpose: CodePurpose, sha256: Buffer): Promise<string | undefined> {
  const row = await db
    .deleteFrom('one_time_codes')
    .where('code_sha256', '=', sha256)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning('user_id')
    .executeTakeFirst()
  return row?.user_id
}

/** Everything of sign-in that has run out, in one go; a row is kept an hour longer, for clocks that differ. */
export async function deleteExpiredSignIns(db: Database): Promise<void> {
  const before = sql<Date>`now() - interval '1 hour'`
  await db.deleteFrom('oidc_payloads').where('expires_at', '<', before).execute()
  await db.deleteFrom('one_time_codes').where('expires_at', '<', before).execute()
  await db.deleteFrom('revoked_sessions').where('expires_at', '<', before).execute()
  await db.deleteFrom('sessions').where('last_seen_at', '<', sql<Date>`now() - interval '90 days'`).execute()
  await db.deleteFrom('known_devices').where('last_seen_at', '<', sql<Date>`now() - interval '400 days'`).execute()
  await db.deleteFrom('spent_challenges').where('expires_at', '<', before).execute()
  await sql`delete from attempt_counts where ends_at <= now()`.execute(db)
}

/** Counts one, unless the window of this key is full: then the seconds until it ends. */
export async function countAttempt(
  db: Database,
  keySha256: Buffer,
  { most, minutes }: { most: number; minutes: number },
): Promise<number | undefined> {
  const window = sql`make_interval(mins => ${minutes}::integer)`
  const counted = await sql`
    insert into attempt_counts as kept (key_sha256, count, ends_at) values (${keySha256}, 1, now() + ${window})
    on conflict (key_sha256) do update set
      count = case when kept.ends_at > now() then kept.count + 1 else 1 end,
      ends_at = case when kept.ends_at > now() then kept.ends_at else now() + ${window} end
    where kept.count < ${most}::integer or kept.ends_at <= now()
    returning 1`.execute(db)
  if (counted.rows.length > 0) return undefined
  const { rows } = await sql<{ seconds: number }>`
    select greatest(1, ceil(extract(epoch from ends_at - now())))::integer as seconds
    from attempt_counts where key_sha256 = ${keySha256}`.execute(db)
  return rows[0]?.seconds ?? 1
}

export async function takeBackAttempt(db: Database, keySha256: Buffer): Promise<void> {
  await sql`update attempt_counts set count = greatest(count - 1, 0) where key_sha256 = ${keySha256}`.execute(db)
}

export async function clearAttempts(db: Database, keySha256: Buffer): Promise<void> {
  await db.deleteFrom('attempt_counts').where('key_sha256', '=', keySha256).execute()
}
