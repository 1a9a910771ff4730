import type { Context } from '../../context.ts'
import { inTransaction } from '../../db/database.ts'
import type { JobRun } from '../../jobs/handler.ts'
import { JobStop } from '../../jobs/lease.ts'
import { lockClaim } from '../../jobs/statements/lock-claim.ts'

/** What a run writes before its end: left out, and the run stopped, when the claim is lost. */
export const writeFenced = (
  { db }: Context,
  { claim }: JobRun,
  write: (trx: Parameters<typeof lockClaim>[0]) => Promise<void>,
): Promise<void> =>
  inTransaction(db, async (trx) => {
    if (!(await lockClaim(trx, claim))) throw new JobStop('lost')
    await write(trx)
  })
