import type { Transaction } from '../db/database.ts'
import { wakeJob } from '../jobs/statements/wake-job.ts'
import { listWaitingCopies } from './repository.ts'

/** Of copies that wait for the files of a version, when those are made, cannot be made, or never will be. Hold the version first. */
export async function wakeCopies(trx: Transaction, versionId: string): Promise<void> {
  for (const id of await listWaitingCopies(trx, versionId)) await wakeJob(trx, id)
}
