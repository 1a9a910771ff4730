import type { Context } from '../../context.ts'
import { notFound, ServiceError } from '../../errors.ts'
import { findBlob, openBlob } from '../../storage/blobs.ts'
import { importOwner } from '../owners.ts'
import { getImport, type Import } from '../service.ts'
import { type ImportReport, reportPath, writeReport } from './report.ts'

const previewSeconds = 15 * 60

export async function readReport(
  { db, storage }: Context,
  orgId: string,
  projectId: string,
  importId: string,
): Promise<ImportReport> {
  const row = await getImport(db, projectId, importId)
  if (!row.hasReport && row.state !== 'failed')
    throw new ServiceError('not_found', `The import is ${row.state} and has no report so far.`)
  const stored = row.hasReport ? await loadReport({ db, storage }, orgId, importId) : describeImport(row)
  return row.state === 'failed' ? nameFailure(stored, row) : stored
}

/** Of an import whose worker could leave no report, because it died, or because the disk was full. */
const describeImport = (row: Import): ImportReport =>
  writeReport({
    importId: row.id,
    sourceKind: row.sourceKind,
    sourceUri: row.sourceUri,
    sourceRevision: row.hfCommit,
    files: [],
    origin: null,
    findings: [],
    episodes: [],
    episodeCount: 0,
    frameCount: 0,
    result: null,
    failure: null,
  })

/** A stored report is of the last attempt that could write one; what ended the import may have come after it. */
const nameFailure = (report: ImportReport, row: Import): ImportReport => {
  const message = row.errorMessage ?? 'The import failed.'
  if (report.error?.message === message) return report
  const error = { code: row.errorCode ?? 'internal_error', message, phase: row.progressPhase }
  return { ...report, outcome: 'failed', summary: message, error }
}

export async function loadReport(
  { db, storage }: Pick<Context, 'db' | 'storage'>,
  orgId: string,
  importId: string,
): Promise<ImportReport> {
  const { body } = await openBlob(db, storage, importOwner(importId, orgId), reportPath)
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

export async function getPreviewUrl(
  { db, storage }: Context,
  orgId: string,
  projectId: string,
  importId: string,
  name: string,
): Promise<{ url: string; expires_at: string }> {
  const row = await getImport(db, projectId, importId)
  const asset = row.previewAssets.find(({ path }) => path.endsWith(`/${name}`))
  const blob = asset && (await findBlob(db, importOwner(importId, orgId), `previews/${name}`))
  if (!blob) throw notFound()
  const { url, expiresAt } = await storage.signGet(blob.storeKey, {
    expiresInSeconds: previewSeconds,
    contentType: asset.content_type,
  })
  return { url, expires_at: expiresAt.toISOString() }
}
