import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'

const mostDevices = 100

interface DeviceStanding {
  isNew: boolean
  /** Of an account made within the hour, which has had no other: nobody need be told. */
  isFirst: boolean
}

/** A browser of this person, seen now. */
export async function noteDevice(db: Database, userId: string, sha256: Buffer): Promise<DeviceStanding> {
  const { rows } = await sql<DeviceStanding>`
    with noted as (
      insert into known_devices (user_id, device_sha256) values (${userId}, ${sha256})
      on conflict (user_id, device_sha256) do update set last_seen_at = now()
      returning xmax = 0 as is_new
    )
    select is_new as "isNew",
      not exists (select from known_devices where user_id = ${userId})
        and exists (select from users where id = ${userId} and created_at > now() - interval '1 hour') as "isFirst"
    from noted`.execute(db)
  const standing = rows[0] ?? { isNew: false, isFirst: false }
  if (standing.isNew)
    await sql`
      delete from known_devices where user_id = ${userId} and device_sha256 not in (
        select device_sha256 from known_devices where user_id = ${userId}
        order by last_seen_at desc limit ${mostDevices})`.execute(db)
  return standing
}
