import type { Transaction } from '../db/database.ts'
import type { Job } from '../jobs/job.ts'
import { dropBlobs } from '../storage/blobs.ts'
import { sourceOwner } from './owners.ts'
import * as repository from './repository.ts'

/** In the transaction in which an import ends as failed or canceled. */
export async function settleImport(trx: Transaction, job: Job): Promise<void> {
  await repository.forgetToken(trx, job.id)
  await dropBlobs(trx, sourceOwner(job.id, job.orgId))
}
