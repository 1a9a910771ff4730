import type { OrgGrant, ProjectGrant } from '../access/access.ts'
import type { Caller } from '../access/principal.ts'
import { type Actor, recordAudit } from '../audit/service.ts'
import type { Context } from '../context.ts'
import { cursorsOf } from '../cursor.ts'
import { type Database, inTransaction, type Transaction } from '../db/database.ts'
import { describeError, invalidValue, notFound, ServiceError } from '../errors.ts'
import { requestCancel } from '../jobs/statements/cancel-job.ts'
import type { JobState } from '../jobs/tables.ts'
import { keepBlobs, publishBlobs } from '../storage/blobs.ts'
import { claimUploads, copyUploadClaims } from '../uploads/service.ts'
import { openCopyAgain, queueCopy } from './copies/copies.ts'
import { sourceOwner } from './owners.ts'
import { type CreatedImport, importJobKind, type NewImport, queueImport, refuseArchived } from './queue-import.ts'
import * as repository from './repository.ts'
import { type CreateImportBody, changeFingerprint, computeFingerprint, type ImportOptions } from './request.ts'
import { settleImport } from './run/settle.ts'
import { sealerOf } from './sealed-token.ts'
import { requireAllowedAddress } from './sources/source-door.ts'

export type Import = repository.ImportRow
export { importJobKind }

/** Queues an import, or finds the one that the idempotency key was used for. */
export async function createImport(
  context: Context,
  caller: Caller,
  org: OrgGrant,
  project: ProjectGrant,
  body: CreateImportBody,
): Promise<CreatedImport> {
  if (body.source_uri) checkSourceUri(context, body.source_uri)
  const input: NewImport = {
    orgId: org.id,
    projectId: project.id,
    slug: body.dataset_slug,
    title: body.title ?? null,
    sourceKind: body.source_kind,
    sourceUri: body.source_uri ?? null,
    hfRepoId: body.hf_repo_id ?? null,
    hfRevision: body.hf_revision ?? null,
    sealHfToken: sealerOf(context, body.hf_token),
    uploadIds: body.upload_ids ?? [],
    options: body.options ?? {},
    idempotencyKey: body.idempotency_key ?? null,
    fingerprint: computeFingerprint(body),
    createdBy: caller.userId,
  }
  return inTransaction(context.db, (trx) =>
    queueImport(trx, caller, input, async (id) => {
      await claimUploads(trx, caller, input.uploadIds ?? [], id)
      refuseArchived(project)
    }),
  )
}

/** What can be refused by the address alone is a fault of the request; the rest is found out when it is connected to. */
function checkSourceUri({ config }: Context, uri: string): void {
  try {
    requireAllowedAddress(uri, config.NMP_SOURCE_ALLOW)
  } catch (error) {
    throw invalidValue(['body', 'source_uri'], describeError(error), uri)
  }
}

/**
 * Queues an import of contents that are stored already, as the hub door and the demo make them. The import holds them until it
 * is over, and the revision after that.
 */
export async function createImportFromBlobs(
  trx: Transaction,
  input: {
    orgId: string
    projectId: string
    slug: string
    title: string | null
    sourceKind: 'lerobot' | 'hdf5'
    files: readonly { path: string; sha256: string; sizeBytes: number }[]
    createdBy: string | null
    idempotencyKey: string | null
    options?: ImportOptions
  },
  actor: Actor = 'program',
): Promise<CreatedImport> {
  const { files, slug, title, sourceKind } = input
  const body: CreateImportBody = { source_kind: sourceKind, dataset_slug: slug, title: title ?? slug }
  const meaning = { ...body, files: files.map(({ path, sha256 }) => [path, sha256]), options: input.options ?? {} }
  const fingerprint = computeFingerprint(meaning)
  return queueImport(trx, actor, { ...input, fingerprint }, async (id) => {
    const entries = files.map(({ path, ...file }) => ({ ...file, logicalPath: path }))
    await publishBlobs(trx, sourceOwner(id, input.orgId), entries)
    const kept = await keepBlobs(
      trx,
      files.map(({ sha256 }) => sha256),
    )
    const rows = files.flatMap(({ path, sha256 }) => {
      const blob = kept.get(sha256)
      return blob ? [{ path, sha256, sizeBytes: blob.sizeBytes, storeKey: blob.storeKey }] : []
    })
    await repository.insertImportFiles(trx, id, rows)
  })
}

export async function getImport(db: Database, projectId: string, id: string): Promise<Import> {
  const row = await repository.findImport(db, projectId, id)
  if (!row) throw notFound()
  return row
}

export const findImportById = (db: Database, id: string): Promise<repository.ImportRow | undefined> =>
  repository.findImportById(db, id)

export async function listImports(
  db: Database,
  projectId: string,
  { status, q, limit, cursor }: { status?: JobState; q?: string; limit: number; cursor?: string },
) {
  const cursors = cursorsOf('imports', projectId)
  const filter = { status, q, limit: limit + 1, beforeId: cursors.decode(cursor) }
  return cursors.cut(await repository.listImports(db, projectId, filter), limit, (row) => row.id)
}

export async function lookupImport(
  db: Database,
  projectId: string,
  key: string,
  fingerprint: string | null,
): Promise<Import> {
  const row = await repository.findImportByKey(db, projectId, key)
  if (!row) throw notFound()
  if (fingerprint !== null && fingerprint !== row.fingerprint)
    throw new ServiceError(
      'idempotency_key_reuse',
      `The import with the idempotency key ${JSON.stringify(key)} was made from a request with a different fingerprint. Look it up without a fingerprint to see it, or compute the fingerprint of the request that was sent with this key.`,
    )
  return row
}

/** A queued import is canceled at once; a running one stops within a heartbeat and cannot succeed any more. */
export const cancelImport = (
  db: Database,
  caller: Caller,
  org: OrgGrant,
  project: ProjectGrant,
  id: string,
): Promise<Import> =>
  inTransaction(db, async (trx) => {
    await getImport(trx, project.id, id)
    const answer = await requestCancel(trx, id)
    if (!answer) throw notFound()
    if (answer.outcome === 'already_finished')
      throw new ServiceError(
        'import_already_finished',
        `The import has ${answer.job.state} and can no longer be canceled.`,
      )
    if (answer.outcome === 'canceled') await settleImport(trx, answer.job)
    if (answer.outcome !== 'already_canceled')
      await recordAudit(trx, caller, {
        action: 'import.cancel',
        resource: { kind: 'import', id },
        orgId: org.id,
      })
    return getImport(trx, project.id, id)
  })

export const dismissImport = (
  db: Database,
  caller: Caller,
  { org, project }: { org: OrgGrant; project: ProjectGrant },
  id: string,
  isDismissed: boolean,
): Promise<Import> =>
  inTransaction(db, async (trx) => {
    const row = await getImport(trx, project.id, id)
    if (row.finishedAt === null)
      throw new ServiceError(
        'import_not_finished',
        `The import is ${row.state}. Cancel it, or wait until it has ended.`,
      )
    if (row.state !== 'failed')
      throw new ServiceError('conflict', `The import has ${row.state}; only failed imports are dismissed.`)
    if ((row.dismissedAt !== null) === isDismissed) return row
    await repository.dismissImport(trx, id, isDismissed)
    await recordAudit(trx, caller, {
      action: 'import.dismiss',
      resource: { kind: 'import', id },
      orgId: org.id,
      detail: { dismissed: isDismissed },
    })
    return getImport(trx, project.id, id)
  })

async function keepUploads(trx: Transaction, old: Import, newId: string): Promise<void> {
  if (!old.hfRepoId && !old.sourceUri && old.uploadIds.length === 0)
    throw new ServiceError('conflict', 'The import was made from files that are no longer stored.')
  if (old.uploadIds.length === 0) return
  const count = await copyUploadClaims(trx, old.id, newId)
  if (count < old.uploadIds.length)
    throw new ServiceError(
      'conflict',
      `${old.uploadIds.length - count} of ${old.uploadIds.length} uploads of the import have expired. Upload them again and start a new import.`,
    )
}

/** A final import stays as it is; its request is queued again as a new one. The token of its source was not kept. */
export async function retryImport(
  context: Context,
  caller: Caller,
  { org, project }: { org: OrgGrant; project: ProjectGrant },
  id: string,
  change: { hfToken: string | null; options: ImportOptions },
): Promise<Import> {
  const old = await getImport(context.db, project.id, id)
  if (old.finishedAt === null)
    throw new ServiceError('import_not_finished', `The import is ${old.state}. Cancel it, or wait until it has ended.`)
  refuseArchived(project)
  const input: NewImport = {
    orgId: org.id,
    projectId: project.id,
    slug: old.datasetSlug,
    title: old.title,
    sourceKind: old.sourceKind,
    sourceUri: old.hfRepoId ? null : old.sourceUri,
    hfRepoId: old.hfRepoId,
    hfRevision: old.hfRevision,
    sealHfToken: sealerOf(context, change.hfToken),
    uploadIds: old.uploadIds,
    options: { ...old.options, ...change.options },
    idempotencyKey: null,
    fingerprint: changeFingerprint(old.fingerprint, change.options),
    createdBy: caller.userId,
    retryOf: id,
  }
  if (old.versionId) {
    const source = await openCopyAgain(context, caller, old.versionId, change.options)
    return (await queueCopy(context, caller, project, source, input)).row
  }
  return inTransaction(context.db, async (trx) => {
    const { row } = await queueImport(trx, caller, input, (newId) => keepUploads(trx, old, newId))
    return row
  })
}

/** Of a dataset that is renamed: a retry goes where it is now. Not while one runs, which would publish under the old name. */
export async function renameImports(trx: Transaction, projectId: string, from: string, to: string): Promise<void> {
  if (await repository.hasUnfinished(trx, projectId, from))
    throw new ServiceError('conflict', `An import into ${from} has not ended. Wait for it or cancel it, then rename.`)
  await repository.renameImports(trx, projectId, from, to)
}
