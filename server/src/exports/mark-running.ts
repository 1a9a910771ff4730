import { inTransaction } from '../db/database.ts'
import type { JobRun } from '../jobs/handler.ts'
import { lockClaim } from '../jobs/statements/lock-claim.ts'
import { updateArtifact } from '../versions/service.ts'

/** The artifact says that somebody works on it; a worker that lost its lease says nothing. */
export const markRunning = (
  { db, claim }: JobRun,
  target: { versionId: string; key: string; exportId: string },
): Promise<void> =>
  inTransaction(db, async (trx) => {
    if (await lockClaim(trx, claim))
      await updateArtifact(trx, target.versionId, target.key, { status: 'running' }, target.exportId)
  })
