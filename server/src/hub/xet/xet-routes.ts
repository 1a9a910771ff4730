import { createKeyedLimiter, createLimiter } from '@nmp/formats/limiter'
import { inTransaction } from '../../db/database.ts'
import { notFound, ServiceError, unauthenticated } from '../../errors.ts'
import type { ReceivedBody } from '../../http/bodies/received-body.ts'
import { inSlices } from '../../slices.ts'
import { findBlob, findSoundBlob, publishBlobs, stageBlob } from '../../storage/blobs.ts'
import { gatherParts } from '../../storage/part-stream.ts'
import { addWithinQuota, quotaOf } from '../../storage/quota.ts'
import type { BlobOwner } from '../../storage/repository.ts'
import type { HubAnswer } from '../hub-answer.ts'
import { linkSeconds } from '../hub-links.ts'
import { type HubRequest, type HubRoute, pushRoute } from '../hub-request.ts'
import { stageChecked } from '../lfs/lfs-links.ts'
import { requireQuota } from '../push/push-quota.ts'
import {
  findPush as findPushById,
  findPushedObject,
  keepPushedObject,
  noteTransfer,
  type Push,
} from '../push/pushes.ts'
import { findPush } from '../push/write-routes.ts'
import { dropBody, inTurns, streamBody, uploading, withBody } from '../request-body.ts'
import {
  type ChunkPlace,
  chunkHeaderBytes,
  createXorbScan,
  decodeChunk,
  largestShardBytes,
  largestXorbBytes,
  readShard,
  type ShardFile,
} from './xet-format.ts'

const store = '^/xet/(?<push>psh_[0-9a-f]{32})'

/** The smallest store that hf_xet can push to. Reads never use it: files are served as plain bytes. */
export const xetRoutes: readonly HubRoute[] = [
  pushRoute(
    'hub.giveXetToken',
    'GET',
    /^\/api\/datasets\/(?<org>[^/]+)\/(?<name>[^/]+)\/xet-write-token\/(?<revision>[^/]+)$/,
    giveToken,
  ),
  {
    id: 'hub.putXorb',
    method: 'POST',
    address: new RegExp(`${store}/v1/xorbs/default/(?<hash>[0-9a-f]{64})$`),
    credentials: 'signed',
    handle: takeXorb,
  },
  {
    id: 'hub.putShard',
    method: 'POST',
    address: new RegExp(`${store}/v1/shards$`),
    credentials: 'signed',
    handle: takeShard,
  },
]

/** A scope per push: what one has sent cannot be named by another, and a new push never counts on xorbs that were dropped. */
const xorbOwner = (push: Push): BlobOwner => ({ kind: 'xet', id: push.id, orgId: push.orgId })

async function giveToken(call: HubRequest): Promise<HubAnswer> {
  const push = await findPush(call)
  await noteTransfer(call.context.db, push.id)
  const exp = Math.floor(Date.now() / 1000) + linkSeconds
  const accessToken = `${exp}.${await call.links.sign(`xet ${push.id}`, exp)}`
  const casUrl = `${call.context.publicUrl}/hf/xet/${push.id}`
  const headers = {
    'x-xet-access-token': accessToken,
    'x-xet-token-expiration': String(exp),
    'x-xet-cas-url': casUrl,
  }
  return { json: { accessToken, exp, casUrl }, headers }
}

async function openStore({ context, params, request, links }: HubRequest): Promise<Push> {
  const bearer = /^Bearer +(\d+)\.([\w-]+)$/i.exec(request.headers.authorization ?? '')
  if (!bearer) throw unauthenticated()
  await links.check(`xet ${params.push}`, Number(bearer[1]), bearer[2] ?? '')
  const push = await findPushById(context.db, params.push ?? '')
  if (push?.state !== 'open') throw notFound()
  return push
}

/** By person, as `uploading`: who has many organizations keeps nobody else from pushing. */
const assembling = createKeyedLimiter(2)
const inMemory = createLimiter(8)
/** A shard of the largest size is a million ranges, some hundred megabytes: those that hf_xet makes have a thousandth of it. */
const largeShardBytes = 4 * 1024 * 1024
const largeInMemory = createLimiter(1)

async function takeXorb(call: HubRequest): Promise<HubAnswer> {
  const push = await openStore(call)
  try {
    return { json: { was_inserted: await uploading.run(push.createdBy ?? push.orgId, () => storeXorb(call, push)) } }
  } catch (error) {
    await dropBody(call.request, 2 * largestXorbBytes).catch(() => {})
    throw error
  }
}

/** Goes to the store while it is checked; one that is damaged never gets a name there. False: it is there already. */
async function storeXorb({ context, request, params, signal }: HubRequest, push: Push): Promise<boolean> {
  signal.throwIfAborted()
  const owner = xorbOwner(push)
  const hash = params.hash ?? ''
  if (await findSoundBlob(context.db, owner, hash)) {
    request.resume()
    return false
  }
  // Without an announced size both are asked when the bytes are here.
  const announcedBytes = Number(request.headers['content-length'] ?? 0)
  if (announcedBytes > largestXorbBytes)
    throw new ServiceError('body_too_large', `A xorb has at most ${largestXorbBytes} bytes.`)
  await requireQuota(context, push.orgId, announcedBytes)
  const body = checkXorb(inTurns(streamBody(request, largestXorbBytes)))
  const blob = await stageBlob(context.storage, { id: push.id, epoch: 0 }, body, { signal })
  await inTransaction(context.db, async (trx) => {
    await noteTransfer(trx, push.id)
    if (await findBlob(trx, owner, hash)) return
    const quota = quotaOf(context.config, push.orgId, 'push')
    await addWithinQuota(trx, quota, () => publishBlobs(trx, owner, [{ logicalPath: hash, ...blob }]))
  })
  return true
}

/** The same pieces; fails where they are no xorb. */
async function* checkXorb(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const scan = createXorbScan({ isOnlyCheck: true })
  for await (const piece of body) {
    scan.take(piece)
    yield piece
  }
  scan.finish()
}

async function takeShard(call: HubRequest): Promise<HubAnswer> {
  const push = await openStore(call)
  await withBody(call, largestShardBytes, (body) => {
    const { run } = body.sizeBytes > largeShardBytes ? largeInMemory : inMemory
    return assembling.run(push.createdBy ?? push.orgId, () => run(() => assembleFiles(call, push, body)))
  })
  return { json: { result: 1 } }
}

/** Every file of the shard is put together from its chunks, checked against its sha256, and kept as a plain object. */
async function assembleFiles(call: HubRequest, push: Push, body: ReceivedBody): Promise<void> {
  const { context, signal } = call
  signal.throwIfAborted()
  const files = await readShard(await body.read())
  await refuseBomb(call, push, files)
  const xorbs = createXorbs(call, push)
  for (const file of files) {
    signal.throwIfAborted()
    if (await findPushedObject(context.db, push, file.sha256)) continue
    const sizeBytes = file.terms.reduce((sum, { rawBytes }) => sum + rawBytes, 0)
    await requireQuota(context, push.orgId, sizeBytes)
    const expected = { expectedSha256: file.sha256, expectedSizeBytes: sizeBytes, signal }
    const blob = await stageChecked(context, push, rebuildFile(call, xorbs, file), expected)
    await keepPushedObject(context, push, blob)
  }
}

/** As for archives: chunks that are named again and again make gigabytes of kilobytes; data of robots does not come near it. */
const maxRatio = 100
const ratioFromBytes = 256 * 1024 * 1024

/** Before a byte is written: what a shard puts together is bounded by the xorbs that were sent for it. */
async function refuseBomb({ context, signal }: HubRequest, push: Push, files: readonly ShardFile[]): Promise<void> {
  const named = new Set<string>()
  let rawBytes = 0
  for await (const some of inSlices(files))
    for (const { terms } of some)
      for await (const slice of inSlices(terms))
        for (const term of slice) {
          rawBytes += term.rawBytes
          named.add(term.xorb)
        }
  if (rawBytes <= ratioFromBytes) return
  let sentBytes = 0
  for (const xorb of named) {
    signal.throwIfAborted()
    const blob = await findBlob(context.db, xorbOwner(push), xorb)
    // The first that is missing ends it: a shard can name a million.
    if (!blob) throw xorbMissing(xorb)
    sentBytes += blob.sizeBytes
  }
  if (rawBytes <= sentBytes * maxRatio) return
  throw new ServiceError(
    'archive_too_large',
    `The shard makes ${rawBytes} bytes of the ${sentBytes} that were sent, more than ${maxRatio} times as many. ` +
      'Push these files without Xet (HF_HUB_DISABLE_XET=1).',
  )
}

const xorbMissing = (hash: string): ServiceError =>
  new ServiceError('malformed_request', `The xorb ${hash} was not uploaded in this push.`)

/** Memory holds one chunk at a time; no more is written than the shard announces. */
async function* rebuildFile(
  { context, signal }: HubRequest,
  xorbs: Xorbs,
  file: ShardFile,
): AsyncGenerator<Uint8Array> {
  for (const { xorb, firstChunk, endChunk, rawBytes } of file.terms) {
    const { storeKey, chunks: all } = await xorbs.find(xorb)
    const chunks = all.slice(firstChunk, endChunk)
    const [first, last] = [chunks[0], chunks.at(-1)]
    if (!first || !last || chunks.length !== endChunk - firstChunk)
      throw new ServiceError('malformed_request', `The xorb ${xorb} has no chunk ${endChunk - 1}.`)
    const sizeBytes = chunks.reduce((sum, chunk) => sum + chunk.rawBytes, 0)
    if (sizeBytes !== rawBytes)
      throw new ServiceError(
        'malformed_request',
        `A range of the xorb ${xorb} has ${sizeBytes} bytes instead of ${rawBytes}.`,
      )
    const range = { start: first.start, end: last.start + last.compressedBytes }
    const { body } = await context.storage.getObject(storeKey, { range, signal })
    // Each with the header of the next, which was read already.
    const parts = gatherParts(body, (number) => (chunks[number - 1]?.compressedBytes ?? 0) + chunkHeaderBytes)
    let index = 0
    for await (const part of parts) yield decodeChunk(part, chunks[index++] as ChunkPlace)
  }
}

/** As many as 256 xorbs have that hf_xet makes: about 12 MB. */
const mostKnownChunks = 256 * 1024
/** Of all xorbs together: files go from one to the next, and few go back to one that is forgotten. */
const mostReadsOfEach = 3
const freeReads = 16

interface Xorbs {
  find(hash: string): Promise<StoredXorb>
}

interface StoredXorb {
  storeKey: string
  chunks: readonly ChunkPlace[]
}

/** The xorbs of a push and where their chunks lie; those used last are remembered. */
function createXorbs({ context, signal }: HubRequest, push: Push): Xorbs {
  const known = new Map<string, StoredXorb>()
  const seen = new Set<string>()
  let knownChunks = 0
  let readCount = 0
  const forget = (hash: string): void => {
    knownChunks -= known.get(hash)?.chunks.length ?? 0
    known.delete(hash)
  }
  const read = async (hash: string): Promise<StoredXorb> => {
    const blob = await findBlob(context.db, xorbOwner(push), hash)
    if (!blob) throw xorbMissing(hash)
    seen.add(hash)
    // Each is read whole to find its chunks: a shard of kilobytes could have it read for days.
    if (++readCount > freeReads + mostReadsOfEach * seen.size)
      throw new ServiceError(
        'malformed_request',
        'The shard goes back and forth between too many xorbs. Push these files without Xet (HF_HUB_DISABLE_XET=1).',
      )
    const { body } = await context.storage.getObject(blob.storeKey, { signal })
    const scan = createXorbScan()
    for await (const piece of body) scan.take(piece)
    return { storeKey: blob.storeKey, chunks: scan.finish() }
  }
  return {
    async find(hash) {
      const found = known.get(hash) ?? (await read(hash))
      forget(hash)
      for (const oldest of known.keys()) {
        if (knownChunks + found.chunks.length <= mostKnownChunks) break
        forget(oldest)
      }
      known.set(hash, found)
      knownChunks += found.chunks.length
      return found
    },
  }
}
