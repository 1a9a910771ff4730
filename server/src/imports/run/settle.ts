import { recordAudit } from '../../audit/service.ts'
import type { Transaction } from '../../db/database.ts'
import type { Job } from '../../jobs/job.ts'
import { dropBlobs } from '../../storage/blobs.ts'
import { sourceOwner } from '../owners.ts'
import * as repository from '../repository.ts'
import { tellOfFailure } from './tell-starter.ts'

/** In the transaction in which an import ends as failed or canceled. */
export async function settleImport(trx: Transaction, job: Job): Promise<void> {
  await repository.forgetToken(trx, job.id)
  await dropBlobs(trx, sourceOwner(job.id, job.orgId))
  if (job.state !== 'failed') return
  await recordAudit(trx, 'program', {
    action: 'import.fail',
    resource: { kind: 'import', id: job.id },
    orgId: job.orgId,
    detail: { error_code: job.errorCode },
  })
  const row = await repository.findImportById(trx, job.id)
  if (row) await tellOfFailure(trx, row, job)
}
