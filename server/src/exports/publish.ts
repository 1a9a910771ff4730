import { recordAudit } from '../audit/service.ts'
import type { Transaction } from '../db/database.ts'
import { notify } from '../notifications/service.ts'
import { viewerRoute } from '../versions/record.ts'
import { lockVersion, updateArtifact, updateStatus, type Version } from '../versions/service.ts'
import * as repository from './repository.ts'

/** In the transaction in which the job succeeds: the artifact is ready and the version materialized, and people are told. */
export async function publishExport(
  trx: Transaction,
  row: repository.ExportRow,
  version: Version,
  { checksum, sizeBytes }: { checksum: string; sizeBytes: number },
): Promise<void> {
  await lockVersion(trx, version.id)
  await repository.recordResult(trx, row.id, checksum, sizeBytes)
  const ready = { status: 'ready', checksum_sha256: checksum, size_bytes: sizeBytes, error_message: null } as const
  await updateArtifact(trx, version.id, 'lerobot', ready, row.id)
  await updateStatus(trx, version.id, 'materialized')
  await recordAudit(trx, 'program', {
    action: 'export.publish',
    resource: { kind: 'export', id: row.id },
    orgId: row.org_id,
    detail: { version_id: version.id, checksum_sha256: checksum, size_bytes: sizeBytes },
  })
  const userIds = [...new Set([row.requested_by, version.created_by])].filter((id) => id !== null)
  const subject = { orgId: row.org_id, projectId: row.project_id, resourceKind: 'version', resourceId: version.id }
  const known = version.name === version.slug ? version.slug : `${version.name} (${version.slug})`
  const name = `${known}, version ${version.version},`
  const path = viewerRoute(version)
  await notify(trx, { kind: 'transform_done', userIds, ...subject, title: `${name} is materialized.`, path })
  await notify(trx, { kind: 'export_ready', userIds, ...subject, title: `${name} is ready to download.`, path })
}
