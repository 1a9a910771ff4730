import { recordAudit } from '../audit/service.ts'
import type { Transaction } from '../db/database.ts'
import type { Job } from '../jobs/job.ts'
import { requestCancel } from '../jobs/statements/cancel-job.ts'
import { findJob } from '../jobs/statements/find-job.ts'
import { wakeJob } from '../jobs/statements/wake-job.ts'
import { dropBlobs } from '../storage/blobs.ts'
import { lockVersion, updateArtifact, updateStatus } from '../versions/service.ts'
import * as repository from './repository.ts'
import { stagedOwner } from './shards.ts'
import { wakeWaiting } from './waiting-copies.ts'

/** An export that failed or was canceled, by whomever: its parts stop, its version says so, what was staged goes. */
export async function settleExport(trx: Transaction, job: Job): Promise<void> {
  const row = await repository.findExport(trx, job.id)
  await dropBlobs(trx, stagedOwner(job.id, job.orgId))
  if (!row) return
  await repository.lockExport(trx, job.id)
  for (const id of await repository.listOpenShards(trx, job.id)) await requestCancel(trx, id)
  const isFailed = job.state === 'failed'
  const change = { status: isFailed ? 'failed' : 'planned', errorMessage: isFailed ? job.errorMessage : null } as const
  if (isFailed)
    await recordAudit(trx, 'program', {
      action: 'export.fail',
      resource: { kind: 'export', id: job.id },
      orgId: job.orgId,
      detail: { version_id: row.versionId, error_code: job.errorCode },
    })
  const isCurrent = await updateArtifact(trx, row.versionId, row.artifactKey, change, job.id)
  if (isCurrent && row.artifactKey === 'lerobot')
    await updateStatus(trx, row.versionId, isFailed ? 'failed' : 'materialization_required')
  // Who begins to wait right now is seen by this, or sees it.
  await lockVersion(trx, row.versionId)
  await wakeWaiting(trx, row.versionId)
}

/** A part that failed ends the whole: the export is woken and finds out. What a late part staged is nobody's. */
export async function settleShard(trx: Transaction, job: Job): Promise<void> {
  const shard = await repository.findShard(trx, job.id)
  if (!shard || !(await repository.lockExport(trx, shard.exportId))) return
  const parent = await findJob(trx, shard.exportId)
  if (parent?.state === 'queued') await wakeJob(trx, shard.exportId)
  else await dropBlobs(trx, stagedOwner(shard.exportId, job.orgId))
}
