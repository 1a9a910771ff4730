import { sql } from 'kysely'
import type { Database, Transaction } from '../db/database.ts'
import type { NotificationKind, NotificationSeverity, NotificationSwitches } from './kinds.ts'

export interface Recipient {
  id: string
  email: string
  preferences: Record<string, NotificationSwitches>
}

/** Accounts that are about to be deleted are told nothing. */
export const listRecipients = async (db: Database, userIds: readonly string[]): Promise<Recipient[]> => {
  const { rows } = await sql<Recipient>`
    select id, email, notification_preferences as preferences from users
    where id = any(${userIds}::text[]) and deletion_requested_at is null order by id`.execute(db)
  return rows
}

export interface NewNotification {
  id: string
  userId: string
  kind: NotificationKind
  severity: NotificationSeverity
  orgId: string | null
  projectId: string | null
  resourceKind: string
  resourceId: string
  title: string
  detail: string | null
  path: string
}

export const insertNotification = async (trx: Transaction, one: NewNotification): Promise<void> => {
  await sql`
    insert into notifications (id, user_id, kind, severity, org_id, project_id, resource_kind, resource_id, title,
      detail, path)
    values (${one.id}, ${one.userId}, ${one.kind}, ${one.severity}, ${one.orgId}, ${one.projectId}, ${one.resourceKind},
      ${one.resourceId}, ${one.title}, ${one.detail}, ${one.path})`.execute(trx)
}

export interface NotificationRow {
  id: string
  kind: NotificationKind
  severity: NotificationSeverity
  orgSlug: string | null
  projectSlug: string | null
  resourceKind: string
  resourceId: string
  title: string
  detail: string | null
  path: string
  createdAt: Date
  readAt: Date | null
}

const selectRows = sql<NotificationRow>`
  select n.id, n.kind, n.severity, o.slug as "orgSlug", p.slug as "projectSlug", n.resource_kind as "resourceKind",
    n.resource_id as "resourceId", n.title, n.detail, n.path, n.created_at as "createdAt", n.read_at as "readAt"
  from notifications n left join organizations o on o.id = n.org_id left join projects p on p.id = n.project_id`

/** Whose list it is, as they have signed in. */
export interface Reader {
  userId: string
  hasSecondProof: boolean
}

/** Theirs, but for those of organizations that are closed to them until they sign in with a second proof. */
const isOpenTo = ({ userId, hasSecondProof }: Reader) => sql`
  n.user_id = ${userId} and (${hasSecondProof} or not exists (
    select from organizations closed where closed.id = n.org_id and closed.require_two_step))`

export const listNotifications = async (
  db: Database,
  reader: Reader,
  { limit, beforeId, onlyUnread }: { limit: number; beforeId: string | undefined; onlyUnread: boolean },
): Promise<NotificationRow[]> => {
  const { rows } = await sql<NotificationRow>`
    ${selectRows} where ${isOpenTo(reader)} ${beforeId === undefined ? sql`` : sql`and n.id < ${beforeId}`}
    ${onlyUnread ? sql`and n.read_at is null` : sql``} order by n.id desc limit ${limit}`.execute(db)
  return rows
}

export const findNotification = async (
  db: Database,
  reader: Reader,
  id: string,
): Promise<NotificationRow | undefined> => {
  const { rows } = await sql<NotificationRow>`${selectRows} where ${isOpenTo(reader)} and n.id = ${id}`.execute(db)
  return rows[0]
}

export const listNotificationIdsSince = async (
  db: Database,
  userId: string,
  since: Date,
  limit: number,
): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select id from notifications where user_id = ${userId} and created_at > ${since} order by id limit ${limit}`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

export const countUnread = async (db: Database, reader: Reader): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from notifications n where ${isOpenTo(reader)} and read_at is null`.execute(db)
  return rows[0]?.count ?? 0
}

/** All of them when none is named. */
export const markRead = async (db: Database, reader: Reader, ids: readonly string[] | undefined): Promise<number> => {
  const marked = await sql`
    update notifications n set read_at = now() where ${isOpenTo(reader)} and read_at is null
    ${ids === undefined ? sql`` : sql`and id = any(${ids}::text[])`}`.execute(db)
  return Number(marked.numAffectedRows ?? 0n)
}

export const deleteOldNotifications = async (db: Database, days: number): Promise<number> => {
  const deleted = await sql`
    delete from notifications where created_at < now() - make_interval(days => ${days}::integer)`.execute(db)
  await sql`delete from digests_sent where monday < now() - interval '30 days'`.execute(db)
  await sql`delete from mails where failed_at < now() - interval '30 days'`.execute(db)
  return Number(deleted.numAffectedRows ?? 0n)
}

export interface NewMail {
  id: string
  to: string
  subject: string
  body: string
}

/** Of a mail that somebody causes: by whom, in whose name, to whom. */
export interface CausedMail {
  senderId: string | null
  orgId: string | null
  receiverSha256: Buffer
}

type CauseCounts = Record<'sender' | 'org' | 'receiver', { count: number; seconds: number }>

/** One transaction at a time for each sender, organization and receiver, always in one order. */
export const lockCauses = async (trx: Transaction, { senderId, orgId, receiverSha256 }: CausedMail): Promise<void> => {
  const names = [senderId, orgId, receiverSha256.toString('hex')].filter((name) => name !== null)
  for (const name of names.sort())
    await sql`select pg_advisory_xact_lock(hashtextextended('mails ' || ${name}, 0))`.execute(trx)
}

/** How many there were in the last hour, and in how many seconds the oldest of them no longer counts. */
export const countCauses = async (trx: Transaction, cause: CausedMail): Promise<CauseCounts> => {
  const { senderId, orgId, receiverSha256 } = cause
  const count = async (condition: ReturnType<typeof sql>) => {
    const { rows } = await sql<{ count: number; seconds: number }>`
      select count(*)::integer as count,
        coalesce(ceil(extract(epoch from min(created_at) + interval '1 hour' - now())), 0)::integer as seconds
      from caused_mails where created_at > now() - interval '1 hour' and ${condition}`.execute(trx)
    return rows[0] ?? { count: 0, seconds: 0 }
  }
  return {
    sender: await count(sql`sender_id = ${senderId}`),
    org: await count(sql`org_id = ${orgId}`),
    receiver: await count(sql`receiver_sha256 = ${receiverSha256}`),
  }
}

export const insertCause = async (trx: Transaction, cause: CausedMail): Promise<void> => {
  const { senderId, orgId, receiverSha256 } = cause
  await sql`delete from caused_mails where created_at < now() - interval '2 hours'`.execute(trx)
  await sql`insert into caused_mails (sender_id, org_id, receiver_sha256)
    values (${senderId}, ${orgId}, ${receiverSha256})`.execute(trx)
}

export const insertMail = async (trx: Transaction, mail: NewMail): Promise<void> => {
  await sql`
    insert into mails (id, to_email, subject, body, due_at)
    values (${mail.id}, ${mail.to}, ${mail.subject}, ${mail.body}, now())`.execute(trx)
}

export interface WaitingMail {
  id: string
  to: string
  subject: string
  body: string
  attemptCount: number
}

/**
 * Takes mails that are due. A sender that dies keeps them for the time of its claim, and then another sends them, perhaps a second
 * time.
 */
export const claimMails = async (db: Database, limit: number, claimSeconds: number): Promise<WaitingMail[]> => {
  const { rows } = await sql<WaitingMail>`
    with due as materialized (
      select id from mails
      where due_at <= now() and failed_at is null and (claimed_until is null or claimed_until < now())
      order by due_at limit ${limit} for update skip locked
    )
    update mails set claimed_until = now() + make_interval(secs => ${claimSeconds}::float8), attempt_count = attempt_count + 1
    where id in (select id from due)
    returning id, to_email as "to", subject, body, attempt_count as "attemptCount"`.execute(db)
  return rows.sort((one, other) => (one.id < other.id ? -1 : 1))
}

export const claimMail = async (db: Database, id: string, claimSeconds: number): Promise<WaitingMail | undefined> => {
  const { rows } = await sql<WaitingMail>`
    update mails set claimed_until = now() + make_interval(secs => ${claimSeconds}::float8), attempt_count = attempt_count + 1
    where id = ${id} and failed_at is null and (claimed_until is null or claimed_until < now())
    returning id, to_email as "to", subject, body, attempt_count as "attemptCount"`.execute(db)
  return rows[0]
}

export const deleteMails = async (db: Database, ids: readonly string[]): Promise<void> => {
  await sql`delete from mails where id = any(${ids}::text[])`.execute(db)
}

/** Later again, or never: then its words go, and only that it failed stays on record for a while. */
export const postponeMails = async (
  db: Database,
  ids: readonly string[],
  { waitSeconds, isLast, error }: { waitSeconds: number; isLast: boolean; error: string },
): Promise<void> => {
  await sql`
    update mails set claimed_until = null, last_error = ${error},
      due_at = now() + make_interval(secs => ${waitSeconds}::float8),
      failed_at = case when ${isLast} then now() end, body = case when ${isLast} then '' else body end
    where id = any(${ids}::text[])`.execute(db)
}

export const listTimezones = async (db: Database): Promise<string[]> => {
  const { rows } = await sql<{ timezone: string }>`select distinct timezone from users`.execute(db)
  return rows.map(({ timezone }) => timezone)
}

export interface DigestCount {
  orgSlug: string
  projectSlug: string
  importedCount: number
  exportedCount: number
  failedCount: number
}

/** People of a time zone who were not yet written to about the week that ended on this Monday. */
export const listDigestReaders = async (
  db: Database,
  timezone: string,
  monday: string,
  limit: number,
): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select id from users where timezone = ${timezone} and deletion_requested_at is null
      and created_at < ${monday}::date
      and not exists (select 1 from digests_sent where user_id = users.id and monday = ${monday}::date)
    order by id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** True for the one process that writes this person's digest. */
export const recordDigest = async (trx: Transaction, userId: string, monday: string): Promise<boolean> => {
  const inserted = await sql`
    insert into digests_sent (user_id, monday) values (${userId}, ${monday}::date) on conflict do nothing`.execute(trx)
  return inserted.numAffectedRows === 1n
}

/** What ended in the week before a Monday, in the projects a person can see. */
export const countWeek = async (db: Database, userId: string, until: Date): Promise<DigestCount[]> => {
  const { rows } = await sql<DigestCount>`
    with seen as (
      select p.id, p.slug as project_slug, o.slug as org_slug from projects p
        join organizations o on o.id = p.org_id
        join org_members m on m.org_id = o.id and m.user_id = ${userId}
        left join project_members r on r.project_id = p.id and r.user_id = ${userId}
      where m.role = 'admin' or r.role is not null
    ), ended as (
      select imports.project_id, 'import' as kind,
        coalesce(imports.title, imports.dataset_slug) as title, jobs.state from imports join jobs using (id)
      where jobs.finished_at > ${until}::timestamptz - interval '7 days' and jobs.finished_at <= ${until}
      union all
      select versions.project_id, 'export', versions.name, jobs.state
      from exports join jobs using (id) join versions on versions.id = exports.version_id
      where jobs.finished_at > ${until}::timestamptz - interval '7 days' and jobs.finished_at <= ${until}
    )
    select org_slug as "orgSlug", project_slug as "projectSlug",
      count(*) filter (where kind = 'import' and state = 'succeeded') as "importedCount",
      count(*) filter (where kind = 'export' and state = 'succeeded') as "exportedCount",
      count(*) filter (where state = 'failed') as "failedCount"
    from ended join seen on seen.id = ended.project_id
    where state in ('succeeded', 'failed')
    group by 1, 2 order by 1, 2 limit 100`.execute(db)
  return rows
}
