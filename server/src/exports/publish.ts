import { recordAudit } from '../audit/service.ts'
import type { RevisionSummary } from '../datasets/revision-summary.ts'
import { viewerRoute } from '../datasets/viewer-route.ts'
import { inTransaction, type Transaction } from '../db/database.ts'
import type { JobRun } from '../jobs/handler.ts'
import { lockClaim } from '../jobs/statements/lock-claim.ts'
import { notify } from '../notifications/service.ts'
import {
  lockVersion,
  markMade,
  updateArtifact,
  updateStatus,
  updateSummary,
  type Version,
} from '../versions/service.ts'
import * as repository from './repository.ts'
import type { ExportReport } from './tables.ts'
import { wakeWaiting } from './waiting-copies.ts'

/** The data is made and verified, which an artifact of it is not yet; told once, however often it is packed. */
export const tellMade = ({ db, claim }: JobRun, row: repository.Export, version: Version): Promise<void> =>
  inTransaction(db, async (trx) => {
    if (!(await lockClaim(trx, claim)) || !(await markMade(trx, version.id))) return
    await tell(trx, row, version, { kind: 'transform_done', said: 'is made and verified.' })
  })

/** In the transaction in which the job succeeds: the artifact is ready and the version materialized, and people are told. */
export async function publishExport(
  trx: Transaction,
  row: repository.Export,
  version: Version,
  {
    checksum,
    sizeBytes,
    summary,
    notes,
  }: { checksum: string; sizeBytes: number; summary: RevisionSummary; notes: readonly string[] },
): Promise<void> {
  await lockVersion(trx, version.id)
  const told = await repository.listToldOfReady(trx, version.id, row.artifactKey)
  await repository.recordResult(trx, row.id, { checksum, sizeBytes, report: { losses: [], notes } })
  const ready = { status: 'ready', checksumSha256: checksum, sizeBytes, errorMessage: null } as const
  await updateArtifact(trx, version.id, 'lerobot', ready, row.id)
  await updateStatus(trx, version.id, 'materialized')
  await updateSummary(trx, version.id, summary)
  await wakeWaiting(trx, version.id)
  await recordAudit(trx, 'program', {
    action: 'export.publish',
    resource: { kind: 'export', id: row.id },
    orgId: row.orgId,
    detail: { version_id: version.id, checksum_sha256: checksum, size_bytes: sizeBytes },
  })
  await tell(trx, row, version, { kind: 'export_ready', said: 'is ready to download.', told })
}

/** The same of another target: the version itself was materialized before. */
export async function publishTarget(
  trx: Transaction,
  row: repository.Export,
  version: Version,
  result: { checksum: string; sizeBytes: number; report: ExportReport },
): Promise<void> {
  const { checksum, sizeBytes } = result
  const told = await repository.listToldOfReady(trx, version.id, row.artifactKey)
  await repository.recordResult(trx, row.id, result)
  const ready = { status: 'ready', checksumSha256: checksum, sizeBytes, errorMessage: null } as const
  await updateArtifact(trx, version.id, row.artifactKey, ready, row.id)
  await recordAudit(trx, 'program', {
    action: 'export.publish',
    resource: { kind: 'export', id: row.id },
    orgId: row.orgId,
    detail: {
      version_id: version.id,
      artifact_key: row.artifactKey,
      checksum_sha256: checksum,
      size_bytes: sizeBytes,
    },
  })
  await tell(trx, row, version, { kind: 'export_ready', said: `is ready to download as ${row.artifactKey}.`, told })
}

interface News {
  kind: 'transform_done' | 'export_ready'
  said: string
  /** Whoever heard it of an earlier export of the same artifact. */
  told?: readonly string[]
}

async function tell(
  trx: Transaction,
  row: repository.Export,
  version: Version,
  { kind, said, told = [] }: News,
): Promise<void> {
  const userIds = [...new Set([row.requestedBy, version.createdBy])]
    .filter((id) => id !== null)
    .filter((id) => !told.includes(id))
  const subject = { orgId: row.orgId, projectId: row.projectId, resourceKind: 'version', resourceId: version.id }
  const known = version.name === version.slug ? version.slug : `${version.name} (${version.slug})`
  const title = `${known}, version ${version.version}, ${said}`
  await notify(trx, { kind, userIds, ...subject, title, path: viewerRoute(version) })
}
