import type { Context } from '../context.ts'
import { notFound, ServiceError } from '../errors.ts'
import { findBlob, openBlob } from '../storage/blobs.ts'
import { importOwner } from './owners.ts'
import { type ImportReport, reportPath } from './report.ts'
import { getImport } from './service.ts'

const previewSeconds = 15 * 60

export async function readReport(
  { db, storage }: Context,
  orgId: string,
  projectId: string,
  importId: string,
): Promise<ImportReport> {
  const row = await getImport(db, projectId, importId)
  if (!row.has_report) throw new ServiceError('not_found', `The import is ${row.state} and has no report so far.`)
  return loadReport({ db, storage }, orgId, importId)
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
  const asset = row.preview_assets.find(({ path }) => path.endsWith(`/${name}`))
  const blob = asset && (await findBlob(db, importOwner(importId, orgId), `previews/${name}`))
  if (!blob) throw notFound()
  const { url, expiresAt } = await storage.signGet(blob.storeKey, {
    expiresInSeconds: previewSeconds,
    contentType: asset.content_type,
  })
  return { url, expires_at: expiresAt.toISOString() }
}
