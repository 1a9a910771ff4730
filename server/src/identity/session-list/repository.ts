import { type Selectable, sql } from 'kysely'
import { type CamelCased, camelCased } from '../../db/camel-case.ts'
import type { Database } from '../../db/database.ts'
import type { IdentityTables } from '../tables.ts'

export type ListedSession = CamelCased<Selectable<IdentityTables['sessions']>>

type SeenSession = Omit<ListedSession, 'createdAt' | 'lastSeenAt'>

/** Seen for the first time, or again: then only where from and until when. What it said that it is stays as it was at first. */
export const upsertSession = async (db: Database, seen: SeenSession): Promise<void> => {
  await db
    .insertInto('sessions')
    .values({
      id: seen.id,
      session_id: seen.sessionId,
      user_id: seen.userId,
      kind: seen.kind,
      client_id: seen.clientId,
      browser_uid: seen.browserUid,
      address: seen.address,
      user_agent: seen.userAgent,
      expires_at: seen.expiresAt,
    })
    .onConflict((conflict) =>
      conflict
        .column('session_id')
        .doUpdateSet({ last_seen_at: sql<Date>`now()`, address: seen.address, expires_at: seen.expiresAt }),
    )
    .execute()
}

/** Those that could still be used: of a browser with the console one, which stands for both. */
const selectLive = (db: Database, userId: string) =>
  db
    .selectFrom('sessions as session')
    .selectAll('session')
    .where('session.user_id', '=', userId)
    .where(sql<boolean>`case session.kind
      when 'foreign' then session.expires_at > now()
        and not exists (select from revoked_sessions where revoked_sessions.session_id = session.session_id)
      when 'grant' then exists (
        select from oidc_payloads where model = 'Grant' and oidc_payloads.id = session.session_id
          and (oidc_payloads.expires_at is null or oidc_payloads.expires_at > now()))
      else exists (
        select from oidc_payloads where model = 'Session' and uid = session.session_id
          and payload->>'accountId' = session.user_id and oidc_payloads.expires_at > now())
        and not exists (
          select from sessions as console join oidc_payloads on model = 'Grant' and oidc_payloads.id = console.session_id
          where console.browser_uid = session.session_id and console.kind = 'grant')
      end`)

export const listSessions = (
  db: Database,
  userId: string,
  limit: number,
  beforeId: string | undefined,
): Promise<ListedSession[]> =>
  selectLive(db, userId)
    .$if(beforeId !== undefined, (query) => query.where('session.id', '<', beforeId ?? ''))
    .orderBy('session.id', 'desc')
    .limit(limit)
    .execute()
    .then((rows) => rows.map(camelCased))

export const listAllSessions = (db: Database, userId: string): Promise<ListedSession[]> =>
  selectLive(db, userId)
    .execute()
    .then((rows) => rows.map(camelCased))

export const findSession = (db: Database, userId: string, id: string): Promise<ListedSession | undefined> =>
  selectLive(db, userId).where('session.id', '=', id).executeTakeFirst().then(camelCased)

/** The browser's sign-in itself. */
export const deleteBrowserSession = async (db: Database, userId: string, uid: string): Promise<void> => {
  await db
    .deleteFrom('oidc_payloads')
    .where('model', '=', 'Session')
    .where('uid', '=', uid)
    .where(sql<boolean>`payload->>'accountId' = ${userId}`)
    .execute()
}

export const deleteSessionRow = async (db: Database, id: string): Promise<void> => {
  await db.deleteFrom('sessions').where('id', '=', id).execute()
}
