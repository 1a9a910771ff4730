import { recordAudit } from '../audit/service.ts'
import type { Transaction } from '../db/database.ts'
import type { Job } from '../jobs/job.ts'
import { notify } from '../notifications/service.ts'
import { dropBlobs } from '../storage/blobs.ts'
import { sourceOwner } from './owners.ts'
import * as repository from './repository.ts'

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
  await tellStarter(trx, job)
}

async function tellStarter(trx: Transaction, job: Job): Promise<void> {
  const row = await repository.findImportById(trx, job.id)
  if (!row?.createdBy) return
  await notify(trx, {
    kind: 'import_fail',
    userIds: [row.createdBy],
    orgId: job.orgId,
    projectId: row.projectId,
    resourceKind: 'import',
    resourceId: job.id,
    title: `The import of ${row.shownTitle} into ${row.orgSlug}/${row.projectSlug} failed.`,
    path: `/orgs/${row.orgSlug}/projects/${row.projectSlug}/imports/${job.id}`,
    lines: [job.errorMessage ?? ''],
  })
}
