import { sql } from 'kysely'
import { snakeCased } from '../../db/camel-case.ts'
import { type Database, inTransaction } from '../../db/database.ts'

export interface Payload extends Record<string, unknown> {
  grantId?: string
  userCode?: string
  uid?: string
}

export async function upsertPayload(
  db: Database,
  model: string,
  id: string,
  payload: Payload,
  expiresAt: Date | undefined,
): Promise<void> {
  const values = {
    payload: JSON.stringify(payload),
    grant_id: payload.grantId ?? null,
    user_code: payload.userCode ?? null,
    uid: payload.uid ?? null,
    expires_at: expiresAt ?? null,
  }
  await db
    .insertInto('oidc_payloads')
    .values({ model, id, ...values })
    .onConflict((conflict) => conflict.columns(['model', 'id']).doUpdateSet(values))
    .execute()
}

export async function findPayload(
  db: Database,
  model: string,
  by: { id: string } | { userCode: string } | { uid: string },
): Promise<{ id: string; payload: Payload } | undefined> {
  const [column, value] = Object.entries(snakeCased(by))[0] as ['id' | 'user_code' | 'uid', string]
  const row = await db
    .selectFrom('oidc_payloads')
    .select(['id', 'payload'])
    .where('model', '=', model)
    .where(column, '=', value)
    .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', sql<Date>`now()`)]))
    .executeTakeFirst()
  return row
}

interface PayloadRange {
  sealed: boolean
  limit: number
  after?: { model: string; id: string } | undefined
}

/** Of these models, in the order of their ids; held until the transaction ends. */
export const listPayloads = async (
  db: Database,
  models: readonly string[],
  { sealed, limit, after }: PayloadRange,
): Promise<{ model: string; id: string; payload: Payload }[]> => {
  const { rows } = await sql<{ model: string; id: string; payload: Payload }>`
    select model, id, payload from oidc_payloads
    where model = any(${[...models]}) and (payload ? 'sealed') = ${sealed}
      and (model, id) > (${after?.model ?? ''}, ${after?.id ?? ''})
    order by model, id limit ${limit} for update`.execute(db)
  return rows
}

export const replacePayload = async (
  db: Database,
  { model, id }: { model: string; id: string },
  newId: string,
  payload: Payload,
): Promise<void> => {
  await db
    .updateTable('oidc_payloads')
    .set({ id: newId, payload: JSON.stringify(payload) })
    .where('model', '=', model)
    .where('id', '=', id)
    .execute()
}

/** Everything of sign-ins under way and of sessions, for a database whose key is lost. */
export const deleteAllPayloads = async (db: Database): Promise<void> => {
  await db.deleteFrom('oidc_payloads').execute()
}

/** Marks a payload as used. False when it was used already, or is gone: of two at once exactly one gets true. */
export async function consumePayload(db: Database, model: string, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('oidc_payloads')
    .set({ payload: sql<string>`payload || jsonb_build_object('consumed', floor(extract(epoch from now())))` })
    .where('model', '=', model)
    .where('id', '=', id)
    .where(sql<boolean>`not payload ? 'consumed'`)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function deletePayload(db: Database, model: string, id: string): Promise<void> {
  await db.deleteFrom('oidc_payloads').where('model', '=', model).where('id', '=', id).execute()
}

export async function deletePayloadsOfGrant(db: Database, model: string, grantId: string): Promise<void> {
  await db.deleteFrom('oidc_payloads').where('model', '=', model).where('grant_id', '=', grantId).execute()
}

/** A grant and all that was issued under it; with it the browser's sign-in, where the grant was to end with that. */
export async function deleteGrant(db: Database, grantId: string): Promise<void> {
  await sql`
    with browser as (
      select distinct payload->>'sessionUid' as uid from oidc_payloads
      where grant_id = ${grantId} and payload->'expiresWithSession' = 'true'
    )
    delete from oidc_payloads
    where grant_id = ${grantId}
      or (model = 'Grant' and id = ${grantId})
      or (model = 'Session' and uid in (select uid from browser))
  `.execute(db)
}

/**
 * Ends a person's sessions, and their codes and grants with them, whose tokens are refused by name: those of this very second look as if they
 * had been signed after it. `keepUid` names the browser sign-in that stays, because
 * the password was just given there: its tokens are refused once, and its refresh token gets new ones.
 */
export const endSessions = (db: Database, userId: string, keepUid = ''): Promise<void> =>
  inTransaction(db, async (trx) => {
    await sql`update users set sessions_valid_after = now() where id = ${userId}`.execute(trx)
    await sql`
      with kept as (
        select authorized.value->>'grantId' as grant_id
        from oidc_payloads, jsonb_each(coalesce(payload->'authorizations', '{}')) authorized
        where model = 'Session' and uid = ${keepUid} and not authorized.value ? 'persistsLogout'
      ), renewed as (
        update oidc_payloads
        set payload = payload || jsonb_build_object(
          case model when 'Session' then 'loginTs' else 'authTime' end, floor(extract(epoch from now())))
        where payload->>'accountId' = ${userId}
          and ((model = 'Session' and uid = ${keepUid})
            or (model = 'RefreshToken' and grant_id in (select grant_id from kept)))
      ), gone as (
        delete from oidc_payloads
        where payload->>'accountId' = ${userId}
          and not (model = 'Session' and coalesce(uid, '') = ${keepUid})
          and not exists (
            select from kept where kept.grant_id = case when model = 'Grant' then id else oidc_payloads.grant_id end)
        returning model, id
      )
      insert into revoked_sessions (session_id, expires_at)
      select id, now() + interval '2 hours' from gone where model = 'Grant'
      on conflict (session_id) do nothing
    `.execute(trx)
    await trx.deleteFrom('one_time_codes').where('user_id', '=', userId).execute()
  })
