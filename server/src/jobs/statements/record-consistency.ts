import { sql } from 'kysely'
import type { Transaction } from '../../db/database.ts'
import type { ConsistencyStatus } from '../tables.ts'

interface Verdict {
  /** Undefined: the check could not look, and the status stays as it was. */
  status: ConsistencyStatus | undefined
  error: string | null
}

/** What a look at the stored result of a succeeded job found. False when the job is no longer what was looked at. */
export const recordConsistency = async (
  trx: Transaction,
  { id, resultDigest }: { id: string; resultDigest: string },
  { status, error }: Verdict,
): Promise<boolean> => {
  const said = status ?? null
  const { numAffectedRows } = await sql`
    update jobs set consistency_status = coalesce(${said}::text, consistency_status),
      consistency_checked_at = case when ${said}::text is null then consistency_checked_at else now() end,
      consistency_error = ${error}::text, updated_at = now()
    where id = ${id} and state = 'succeeded' and result_digest = ${resultDigest}`.execute(trx)
  return numAffectedRows === 1n
}

/** In the transaction that makes the job succeed: its result was read back before it, which was the first look. */
export const recordReadBack = async (trx: Transaction, id: string, message: string): Promise<void> => {
  await sql`
    update jobs set progress_phase = 'publish', progress_message = ${message},
      consistency_status = 'ok', consistency_checked_at = now(), consistency_error = null
    where id = ${id}`.execute(trx)
}
