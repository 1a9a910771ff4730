import type { Database, Transaction } from '../db/database.ts'
import { wakeJob } from '../jobs/statements/wake-job.ts'
import { listOrphanedCopies, listWaitingCopies, listWaitingTargets } from './repository.ts'

/** Of copies and targets that wait for the files of a version, when those are made, cannot be made, or never will be. Hold the version first. */
export async function wakeWaiting(trx: Transaction, versionId: string): Promise<void> {
  for (const id of await listWaitingTargets(trx, versionId)) await wakeJob(trx, id)
  for (const id of await listWaitingCopies(trx, versionId)) await wakeJob(trx, id)
}

/** Housekeeping: those whose version nobody deleted by itself learn of it here. */
export async function wakeOrphanedCopies(db: Database): Promise<number> {
  const ids = await listOrphanedCopies(db, 1_000)
  for (const id of ids) await wakeJob(db, id)
  return ids.length
}
