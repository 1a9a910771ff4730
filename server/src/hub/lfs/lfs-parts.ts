import { inTransaction } from '../../db/database.ts'
import { notFound, ServiceError } from '../../errors.ts'
import { dropBlobs, findBlob, findSoundBlob, openBlob, publishBlobs } from '../../storage/blobs.ts'
import { addWithinQuota, quotaOf } from '../../storage/quota.ts'
import type { HubAnswer } from '../hub-answer.ts'
import type { HubLinks } from '../hub-links.ts'
import type { HubRequest } from '../hub-request.ts'
import { requireQuota } from '../push/push-quota.ts'
import { findPush, findPushedObject, keepPushedObject, noteTransfer, type Push, partOwner } from '../push/pushes.ts'
import { lockPush } from '../repository.ts'
import { inTurns, readJson, uploading } from '../request-body.ts'
import { boundBytes, openLink, stageChecked } from './lfs-links.ts'

/** Files from this size on come in parts, each of which a client may send again by itself. */
export const multipartFromBytes = 128 * 1024 * 1024
const smallestPartBytes = 64 * 1024 * 1024
const mostParts = 1000
const manifestBounds = { mostBytes: 256 * 1024, mostValues: 8 * mostParts }

const partBytesOf = (sizeBytes: number): number => Math.max(smallestPartBytes, Math.ceil(sizeBytes / mostParts))

export const countParts = (sizeBytes: number): number => Math.ceil(sizeBytes / partBytesOf(sizeBytes))

const subjectOf = (pushId: string, oid: string, sizeBytes: number, part: number): string =>
  `lfs-part ${pushId} ${oid} ${sizeBytes} ${part}`

/** What the clients read a multipart upload from: the size of a part, and a link for each. */
export async function describeParts(
  links: HubLinks,
  push: Push,
  { oid, size, href, expires }: { oid: string; size: number; href: string; expires: number },
): Promise<Record<string, string>> {
  const partBytes = partBytesOf(size)
  const header: Record<string, string> = { chunk_size: String(partBytes) }
  for (let part = 1; part <= countParts(size); part++) {
    const signature = await links.sign(subjectOf(push.id, oid, size, part), expires)
    header[String(part).padStart(5, '0')] =
      `${href}/parts/${part}?size=${size}&expires=${expires}&signature=${signature}`
  }
  return header
}

/** A part that was sent twice is there twice, should it differ: the client names the one it means by its ETag. */
const partPath = (part: number, sha256: string): string => `${part}/${sha256}`

export async function takePart(call: HubRequest): Promise<HubAnswer> {
  const { context, params, url, links, request, signal } = call
  const given = (name: string) => Number(url.searchParams.get(name) ?? Number.NaN)
  const { push: pushId = '', oid = '' } = params
  const [part, sizeBytes] = [Number(params.part), given('size')]
  await links.check(subjectOf(pushId, oid, sizeBytes, part), given('expires'), url.searchParams.get('signature') ?? '')
  const push = await findPush(context.db, pushId)
  if (push?.state !== 'open') throw notFound()
  const partBytes = partBytesOf(sizeBytes)
  const expected = Math.min(partBytes, sizeBytes - (part - 1) * partBytes)
  await requireQuota(context, push.orgId, expected)
  const blob = await uploading.run(push.createdBy ?? push.orgId, () =>
    stageChecked(context, push, boundBytes(inTurns(request), expected), { expectedSizeBytes: expected, signal }),
  )
  const owner = partOwner(push, oid)
  const logicalPath = partPath(part, blob.sha256)
  await inTransaction(context.db, async (trx) => {
    await lockPush(trx, push.id)
    await noteTransfer(trx, push.id)
    if (await findBlob(trx, owner, logicalPath)) return
    const quota = quotaOf(context.config, push.orgId, 'push')
    await addWithinQuota(trx, quota, () => publishBlobs(trx, owner, [{ logicalPath, ...blob }]))
  })
  return { json: {}, headers: { etag: `"${blob.sha256}"` } }
}

/** Puts the parts together and checks the whole. */
export async function completeObject(call: HubRequest): Promise<HubAnswer> {
  const { context, signal } = call
  const { push, oid, sizeBytes } = await openLink(call)
  const count = countParts(sizeBytes)
  const parts = readParts(await readJson(call, manifestBounds), count)
  if (await findPushedObject(context.db, push, oid)) return { json: {} }
  const expected = { expectedSha256: oid, expectedSizeBytes: sizeBytes, signal }
  const blob = await stageChecked(context, push, joinParts(call, push, oid, parts), expected)
  await keepPushedObject(context, push, blob)
  await inTransaction(context.db, (trx) => dropBlobs(trx, partOwner(push, oid)))
  return { json: {} }
}

/** Their hashes, in order. */
function readParts(body: Record<string, unknown>, count: number): string[] {
  const parts = Array.isArray(body.parts) ? (body.parts as ({ partNumber?: unknown; etag?: unknown } | null)[]) : []
  const hashes = parts.map((part, index) =>
    part?.partNumber === index + 1 ? (/^"?([0-9a-f]{64})"?$/.exec(String(part.etag))?.[1] ?? '') : '',
  )
  if (hashes.length !== count || hashes.includes(''))
    throw new ServiceError('malformed_request', `The upload has ${count} parts; list each with its ETag, in order.`)
  return hashes
}

async function* joinParts(
  { context, signal }: HubRequest,
  push: Push,
  oid: string,
  parts: readonly string[],
): AsyncGenerator<Uint8Array> {
  const owner = partOwner(push, oid)
  for (const [index, sha256] of parts.entries()) {
    const path = partPath(index + 1, sha256)
    if (!(await findSoundBlob(context.db, owner, path)))
      throw new ServiceError(
        'malformed_request',
        `Part ${index + 1} of ${parts.length} has not arrived. Send it, then complete again.`,
      )
    const { body } = await openBlob(context.db, context.storage, owner, path, { signal })
    yield* body
  }
}
