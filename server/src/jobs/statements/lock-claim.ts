import { sql } from 'kysely'
import type { Transaction } from '../../db/database.ts'
import { type Claim, holdsClaim } from '../job.ts'

/**
 * For what a run writes to other tables before it finishes: true when the claim still holds, and then nobody can take
 * it before the transaction ends. On false the caller writes nothing.
 */
export const lockClaim = async (trx: Transaction, claim: Claim): Promise<boolean> =>
  (await sql`select 1 from jobs where ${holdsClaim(claim)} for update`.execute(trx)).rows.length === 1
