import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { type Claim, holdsClaim } from '../job.ts'

export interface Pulse {
  cancelRequested: boolean
  pastDeadline: boolean
}

/**
 * Extends the lease; `undefined` means it is lost. A beat after the expiry but before a sweep is taken: nobody else
 * had the job, and a long import survives an outage of the database.
 */
export const beatHeart = async (db: Database, claim: Claim, leaseSeconds: number): Promise<Pulse | undefined> => {
  const { rows } = await sql<Pulse>`
    update jobs set last_heartbeat_at = now(), claim_expires_at = now() + make_interval(secs => ${leaseSeconds}::float8)
    where ${holdsClaim(claim)}
    returning cancel_requested_at is not null as "cancelRequested", deadline_at < now() as "pastDeadline"`.execute(db)
  return rows[0]
}
