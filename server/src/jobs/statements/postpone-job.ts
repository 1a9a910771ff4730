import { sql } from 'kysely'
import type { Transaction } from '../../db/database.ts'

/** Lets a job that was just created wait for what `message` names: not due before these hours are over, or before `wakeJob`. */
export const postponeJob = async (
  trx: Transaction,
  id: string,
  { hours, message }: { hours: number; message: string },
): Promise<void> => {
  await sql`
    update jobs set retry_after = now() + make_interval(hours => ${hours}::integer), progress_phase = 'wait',
      progress_message = ${message}
    where id = ${id}`.execute(trx)
}
