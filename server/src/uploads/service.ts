import type { Readable } from 'node:stream'
import { orgMember, projectEditor } from '../access/access.ts'
import type { Caller, Principal } from '../access/principal.ts'
import { recordAudit } from '../audit/service.ts'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import { type Database, inTransaction, type Transaction } from '../db/database.ts'
import { invalidValue, notFound, ServiceError } from '../errors.ts'
import { authorize } from '../organizations/service.ts'
import { publishBlobs } from '../storage/blobs.ts'
import { newBlobKey } from '../storage/keys.ts'
import { untilAborted } from '../storage/part-stream.ts'
import { findCreator, personQuotaOf, quotaOf, refuseOver, requireRoom, sumPersonUsage } from '../storage/quota.ts'
import { maxPartCount } from '../storage/storage.ts'
import { ContentWriter, hashObject, multipartOf } from './content-writer.ts'
import * as repository from './repository.ts'
import { openChecksum } from './request-checksum.ts'
import type { RunningHashes } from './running-hashes.ts'
import { lockedError, lockSeconds } from './upload-lock.ts'
import { findPathFault } from './upload-path.ts'
import { getUploadRequest } from './upload-request.ts'

export type Upload = repository.UploadRow

/** Unfinished after its last byte, finished after the last job that names it: what is kept and for how long. */
export const keptHours = 24
const mostOpenUploads = 2_000
const partSizeBytes = 8 * 1024 * 1024
const metadataPlace = ['header', 'upload-metadata']

interface UploadAnnouncement {
  id: string
  sizeBytes: number
  metadata: Record<string, string | null>
}

/** Checks what was announced and takes it down. No byte is stored yet. */
export async function createUpload(
  { db, config }: Context,
  caller: Caller,
  { id, sizeBytes, metadata }: UploadAnnouncement,
): Promise<void> {
  const { lockToken } = getUploadRequest()
  const { path, expectedSha256 } = readMetadata(metadata)
  const { orgId, projectId } = await findPlace(db, caller, metadata)
  await inTransaction(db, async (trx) => {
    await checkQuota(trx, config, { userId: caller.userId, orgId, sizeBytes })
    await repository.insertUpload(trx, {
      id,
      userId: caller.userId,
      orgId,
      projectId,
      path,
      metadata,
      sizeBytes,
      expectedSha256,
      storeKey: newBlobKey(id, 0),
      partSizeBytes: Math.max(partSizeBytes, Math.ceil(sizeBytes / (maxPartCount - 1))),
      lockToken,
      lockSeconds,
    })
    await recordAudit(trx, caller, {
      action: 'upload.create',
      resource: { kind: 'upload', id },
      ...(orgId ? { orgId } : {}),
      detail: { path, size_bytes: sizeBytes },
    })
  })
}

function readMetadata(metadata: Record<string, string | null>): { path: string; expectedSha256: string | null } {
  const path = metadata.filename
  if (typeof path !== 'string')
    throw invalidValue(metadataPlace, 'send the relative path of the file as `filename`', null)
  const fault = findPathFault(path)
  if (fault)
    throw invalidValue(metadataPlace, `filename is not usable as a relative path: ${fault}`, path.slice(0, 200))
  const nul = Object.entries(metadata).find(([key, value]) => `${key}${value ?? ''}`.includes('\0'))
  if (nul) throw invalidValue(metadataPlace, 'NUL characters are not allowed', nul[0].slice(0, 200))
  const expectedSha256 = metadata.sha256 ?? null
  if (expectedSha256 !== null && !/^[0-9a-f]{64}$/.test(expectedSha256))
    throw invalidValue(metadataPlace, 'sha256 has 64 lower-case hexadecimal digits', expectedSha256.slice(0, 200))
  return { path, expectedSha256 }
}

/** The organization that the bytes count for, where one is named. */
async function findPlace(
  db: Database,
  principal: Principal,
  { org_slug, project_slug }: Record<string, string | null>,
): Promise<{ orgId: string | null; projectId: string | null }> {
  if (!org_slug) {
    if (project_slug) throw invalidValue(metadataPlace, 'project_slug needs an org_slug', project_slug.slice(0, 200))
    return { orgId: null, projectId: null }
  }
  const rule = project_slug ? projectEditor : orgMember
  const grants = await authorize(db, principal, rule, { org_slug, ...(project_slug ? { project_slug } : {}) })
  return { orgId: grants.org?.id ?? null, projectId: grants.project?.id ?? null }
}

async function checkQuota(
  trx: Transaction,
  config: Config,
  { userId, orgId, sizeBytes }: { userId: string; orgId: string | null; sizeBytes: number },
): Promise<void> {
  const mine = await repository.sumOpenUploads(trx, { userId })
  if (mine.count >= mostOpenUploads)
    throw new ServiceError(
      'quota_exceeded',
      `${mostOpenUploads} of your uploads are unfinished. Finish or delete (DELETE) some before you start more.`,
    )
  if (config.NMP_ORG_QUOTA_BYTES === 0 && personQuotaOf(config) === 0) return
  if (orgId) {
    const creatorId = await findCreator(trx, orgId)
    const ofPerson = creatorId === undefined ? undefined : await repository.sumOpenUploads(trx, { creatorId })
    const ofOrg = await repository.sumOpenUploads(trx, { orgId })
    const pending = { orgBytes: ofOrg.sizeBytes, personBytes: ofPerson?.sizeBytes ?? 0 }
    return requireRoom(trx, quotaOf(config, orgId, 'upload'), sizeBytes, pending)
  }
  const usedBytes = (await repository.sumPersonalUploads(trx, userId)) + mine.sizeBytes
  refuseOver(
    { quotaBytes: config.NMP_ORG_QUOTA_BYTES, addition: 'upload' },
    { whose: 'Your uploads outside an organization have', usedBytes, neededBytes: sizeBytes },
  )
  refuseOver(
    { quotaBytes: personQuotaOf(config), addition: 'upload', setting: 'NMP_PERSON_QUOTA_BYTES' },
    {
      whose: 'Your organizations and uploads have',
      usedBytes: usedBytes + (await sumPersonUsage(trx, userId)),
      neededBytes: sizeBytes,
    },
  )
}

/** One's own upload; another person's is not there. */
export async function getOwnUpload(db: Database, principal: Principal, id: string): Promise<Upload> {
  const upload = await repository.findUpload(db, id)
  if (!upload || upload.userId !== principal.userId) throw notFound()
  return upload
}

/**
 * Takes the bytes of one request and answers how far the upload has come. When the connection breaks, what arrived is kept, unless the
 * request carried a checksum, which cannot be held against a part.
 */
export async function writeUpload(
  context: Context,
  hashes: RunningHashes,
  caller: Caller,
  id: string,
  body: Readable,
): Promise<number> {
  const { db, storage } = context
  const { lockToken, checksum: announced, stopping } = getUploadRequest()
  const upload = await getOwnUpload(db, caller, id)
  if (upload.finishedAt) return upload.sizeBytes
  if (await isWhole(context, upload)) {
    body.resume()
    return finishUpload(context, hashes, caller, upload, await hashObject(storage, upload.storeKey))
  }
  const checksum = announced === undefined ? undefined : openChecksum(announced)
  const isProvisional = checksum !== undefined
  const writer = await ContentWriter.open({ db, storage, hashes, upload, lockToken, isProvisional })
  try {
    try {
      for await (const chunk of untilStopped(body, stopping.signal)) {
        checksum?.update(chunk)
        await writer.take(chunk)
      }
    } catch (error) {
      if (!isProvisional && !(error instanceof ServiceError)) await writer.flush().catch(() => undefined)
      throw error
    }
    checksum?.verify()
    if (writer.offsetBytes === upload.sizeBytes)
      return await finishUpload(context, hashes, caller, upload, await writer.finish())
    await writer.flush()
    return writer.offsetBytes
  } finally {
    writer.close()
  }
}

/** Ends early, and in order, when somebody else wants the upload; the request itself stays open for its answer. */
async function* untilStopped(body: Readable, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* untilAborted<Uint8Array>(body.iterator({ destroyOnReturn: false }), signal)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** A process may have died between completing the object and writing that down. */
async function isWhole({ storage }: Context, upload: Upload): Promise<boolean> {
  if (upload.multipartId === null) return false
  return (await storage.findObject(upload.storeKey))?.sizeBytes === upload.sizeBytes
}

/** The content becomes a blob of the upload, or is refused when it is not what was announced. */
async function finishUpload(
  { db, storage }: Context,
  hashes: RunningHashes,
  caller: Caller,
  upload: Upload,
  sha256: string,
): Promise<number> {
  const request = getUploadRequest()
  const { lockToken } = request
  const { id, sizeBytes, storeKey, path, orgId } = upload
  hashes.forget(id)
  if (upload.expectedSha256 !== null && upload.expectedSha256 !== sha256) {
    await repository.deleteUpload(db, id)
    await storage.deleteObject(storeKey)
    throw new ServiceError(
      'checksum_mismatch',
      `${path} arrived with the sha256 ${sha256}, but ${upload.expectedSha256} was announced. The upload is dropped: start it again.`,
    )
  }
  await storage.healTwin({ sha256, sizeBytes, storeKey })
  const { redundantKeys } = await inTransaction(db, async (trx) => {
    if (!(await repository.finishUpload(trx, id, lockToken, sha256))) throw lockedError()
    await recordAudit(trx, caller, {
      action: 'upload.finish',
      resource: { kind: 'upload', id },
      ...(orgId ? { orgId } : {}),
      detail: { path, size_bytes: sizeBytes, sha256 },
    })
    return publishBlobs(trx, { kind: 'upload', id, ...(orgId ? { orgId } : {}) }, [
      { logicalPath: 'content', sha256, sizeBytes, storeKey },
    ])
  })
  for (const key of [...redundantKeys, ...(upload.tailKey ? [upload.tailKey] : [])]) await storage.deleteObject(key)
  request.storedSha256 = sha256
  return sizeBytes
}

/** The client takes it back, unless an import that is not over needs it. */
export async function removeUpload(context: Context, caller: Caller, id: string): Promise<void> {
  const upload = await getOwnUpload(context.db, caller, id)
  await inTransaction(context.db, async (trx) => {
    if (await repository.isNeeded(trx, id))
      throw new ServiceError(
        'conflict',
        'A running import needs this upload. Cancel the import, or wait until it has ended.',
      )
    await repository.deleteUpload(trx, id)
    await recordAudit(trx, caller, {
      action: 'upload.delete',
      resource: { kind: 'upload', id },
      ...(upload.orgId ? { orgId: upload.orgId } : {}),
    })
  })
  await removeLeftovers(context, upload)
}

async function removeLeftovers(
  { storage }: Context,
  upload: Pick<Upload, 'finishedAt' | 'multipartId' | 'storeKey' | 'partSizeBytes' | 'tailKey'>,
): Promise<void> {
  if (upload.tailKey) await storage.deleteObject(upload.tailKey)
  if (!upload.finishedAt && upload.multipartId) await storage.abortMultipart(multipartOf(upload, upload.multipartId))
}

/** Housekeeping: uploads past their time, a batch after the other. */
export async function deleteExpiredUploads(context: Context): Promise<number> {
  let count = 0
  for (;;) {
    const expired = await repository.deleteExpiredUploads(context.db, keptHours, 200)
    for (const upload of expired) await removeLeftovers(context, upload)
    count += expired.length
    if (expired.length < 200) return count
  }
}

/** Ties finished uploads of the caller to an import, in this order: they stay for as long as it needs them. */
export async function claimUploads(
  trx: Transaction,
  principal: Principal,
  uploadIds: readonly string[],
  importId: string,
): Promise<void> {
  const usable = await repository.lockFinishedUploads(trx, principal.userId, uploadIds)
  for (const [index, id] of uploadIds.entries())
    if (!usable.has(id))
      throw invalidValue(
        ['body', 'upload_ids', index],
        'name a finished upload of yours; unfinished ones can be continued, expired ones must be sent again',
        id,
      )
  await repository.insertClaims(trx, importId, uploadIds)
}

/** One's own, whole; undefined where it is not, or has expired. */
export async function findFinishedUpload(
  db: Database,
  principal: Principal,
  id: string,
): Promise<{ path: string; sizeBytes: number; sha256: string } | undefined> {
  const upload = await repository.findUpload(db, id)
  if (upload?.userId !== principal.userId || upload.sha256 === null) return undefined
  return { path: upload.path, sizeBytes: upload.sizeBytes, sha256: upload.sha256 }
}

/** A retry needs what the import before it needed. Answers how many uploads are still there. */
export const copyUploadClaims = (trx: Transaction, fromImportId: string, toImportId: string): Promise<number> =>
  repository.copyClaims(trx, fromImportId, toImportId)

export const listImportUploads = (db: Database, importId: string): Promise<repository.ClaimedUpload[]> =>
  repository.listClaimedUploads(db, importId)
