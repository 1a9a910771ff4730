import { inTransaction } from '../db/database.ts'
import type { JobRun } from '../jobs/handler.ts'
import { lockClaim } from '../jobs/statements/lock-claim.ts'
import { updateArtifact } from '../versions/service.ts'
import { type Export, lockQueued } from './repository.ts'

/** The artifact says that somebody works on it; a worker that lost its lease says nothing. */
export const markRunning = (
  { db, claim }: JobRun,
  target: { versionId: string; key: string; exportId: string },
): Promise<void> =>
  inTransaction(db, async (trx) => {
    if (await lockClaim(trx, claim))
      await updateArtifact(trx, target.versionId, target.key, { status: 'running' }, target.exportId)
  })

/** The same of those that are written with it, but for those that were canceled. */
export const markFollowersRunning = ({ db, claim }: JobRun, followers: readonly Export[]): Promise<void> =>
  inTransaction(db, async (trx) => {
    if (!(await lockClaim(trx, claim))) return
    for (const { id, versionId, artifactKey } of followers)
      if (await lockQueued(trx, id)) await updateArtifact(trx, versionId, artifactKey, { status: 'running' }, id)
  })
