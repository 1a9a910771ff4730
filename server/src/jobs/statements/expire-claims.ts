import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'

/**
 * Ends the leases of a worker that is known to be gone, as time would have: the next sweep ends its attempts. The attempts count, so a
 * job that takes its worker with it is not tried for ever.
 */
export const expireClaims = async (db: Database, workerName: string): Promise<number> => {
  const { numAffectedRows } = await sql`
    update jobs set claim_expires_at = now(), updated_at = now()
    where state = 'running' and claimed_by = ${workerName} and claim_expires_at > now()`.execute(db)
  return Number(numAffectedRows ?? 0)
}
