import { Readable } from 'node:stream'
import { BoundedMap } from '@nmp/formats/bounded-map'
import { inTransaction } from '../db/database.ts'
import { notFound, ServiceError, unauthenticated } from '../errors.ts'
import { findBlob, openBlob, publishBlobs, stageBlob } from '../storage/blobs.ts'
import { addWithinQuota, quotaOf } from '../storage/quota.ts'
import type { BlobOwner } from '../storage/repository.ts'
import type { ReadOptions } from '../storage/storage.ts'
import type { HubAnswer } from './hub-answer.ts'
import { linkSeconds } from './hub-links.ts'
import type { HubRequest, HubRoute } from './hub-request.ts'
import { stageChecked } from './lfs-links.ts'
import { requireQuota } from './push-quota.ts'
import { findPush as findPushById, findPushedObject, keepPushedObject, noteTransfer, type Push } from './pushes.ts'
import { readBody } from './request-body.ts'
import { findPush } from './write-routes.ts'
import {
  type ChunkPlace,
  decodeChunk,
  indexXorb,
  largestShardBytes,
  largestXorbBytes,
  readShard,
  type ShardFile,
} from './xet-format.ts'

const store = '^/xet/(?<push>psh_[0-9a-f]{32})'

/** The smallest store that hf_xet can push to. Reads never use it: files are served as plain bytes. */
export const xetRoutes: readonly HubRoute[] = [
  {
    method: 'GET',
    address: /^\/api\/datasets\/(?<org>[^/]+)\/(?<name>[^/]+)\/xet-write-token\/(?<revision>[^/]+)$/,
    writes: true,
    handle: giveToken,
  },
  { method: 'POST', address: new RegExp(`${store}/v1/xorbs/default/(?<hash>[0-9a-f]{64})$`), handle: takeXorb },
  { method: 'POST', address: new RegExp(`${store}/v1/shards$`), handle: takeShard },
]

/** A scope per push: what one has sent cannot be named by another, and a new push never counts on xorbs that were dropped. */
const xorbOwner = (push: Push): BlobOwner => ({ kind: 'xet', id: push.id, orgId: push.org_id })

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

async function takeXorb(call: HubRequest): Promise<HubAnswer> {
  const { context, request, params, signal } = call
  const push = await openStore(call)
  const owner = xorbOwner(push)
  const hash = params.hash ?? ''
  if (await findBlob(context.db, owner, hash)) {
    request.resume()
    return { json: { was_inserted: false } }
  }
  const xorb = await readBody(request, largestXorbBytes)
  indexXorb(xorb)
  await requireQuota(context, push.org_id, xorb.byteLength)
  const blob = await stageBlob(context.storage, { id: push.id, epoch: 0 }, Readable.from([xorb]), { signal })
  await inTransaction(context.db, async (trx) => {
    await noteTransfer(trx, push.id)
    if (await findBlob(trx, owner, hash)) return
    const quota = quotaOf(context.config, push.org_id, 'push')
    await addWithinQuota(trx, quota, () => publishBlobs(trx, owner, [{ logicalPath: hash, ...blob }]))
  })
  return { json: { was_inserted: true } }
}

/** Every file of the shard is put together from its chunks, checked against its sha256, and kept as a plain object. */
async function takeShard(call: HubRequest): Promise<HubAnswer> {
  const { context, request, signal } = call
  const push = await openStore(call)
  const files = readShard(await readBody(request, largestShardBytes))
  const xorbs = createXorbIndex(call, push)
  for (const file of files) {
    if (await findPushedObject(context.db, push, file.sha256)) continue
    const sizeBytes = file.terms.reduce((sum, { rawBytes }) => sum + rawBytes, 0)
    await requireQuota(context, push.org_id, sizeBytes)
    const expected = { expectedSha256: file.sha256, expectedSizeBytes: sizeBytes, signal }
    const blob = await stageChecked(context, push, rebuildFile(call, push, xorbs, file), expected)
    await keepPushedObject(context, push, blob)
  }
  return { json: { result: 1 } }
}

/** Memory holds one range of a xorb at a time; no more is written than the shard announces. */
async function* rebuildFile(
  call: HubRequest,
  push: Push,
  xorbs: XorbIndex,
  file: ShardFile,
): AsyncGenerator<Uint8Array> {
  for (const { xorb, firstChunk, endChunk, rawBytes } of file.terms) {
    const chunks = (await xorbs.index(xorb)).slice(firstChunk, endChunk)
    if (chunks.length !== endChunk - firstChunk)
      throw new ServiceError('malformed_request', `The xorb ${xorb} has no chunk ${endChunk - 1}.`)
    const sizeBytes = chunks.reduce((sum, chunk) => sum + chunk.rawBytes, 0)
    if (sizeBytes !== rawBytes)
      throw new ServiceError(
        'malformed_request',
        `A range of the xorb ${xorb} has ${sizeBytes} bytes instead of ${rawBytes}.`,
      )
    for (const group of groupChunks(chunks)) {
      const [first, last] = [group[0] as ChunkPlace, group.at(-1) as ChunkPlace]
      const range = { start: first.start, end: last.start + last.compressedBytes }
      const bytes = await readXorb(call, push, xorb, { range, signal: call.signal })
      for (const chunk of group) yield decodeChunk(bytes, chunk, first.start)
    }
  }
}

const mostHeldBytes = 8 * 1024 * 1024

/** Neighbours that are read at once. */
function* groupChunks(chunks: readonly ChunkPlace[]): Generator<ChunkPlace[]> {
  let group: ChunkPlace[] = []
  let heldBytes = 0
  for (const chunk of chunks) {
    group.push(chunk)
    heldBytes += chunk.compressedBytes
    if (heldBytes < mostHeldBytes) continue
    yield group
    group = []
    heldBytes = 0
  }
  if (group.length > 0) yield group
}

const mostIndexed = 256

interface XorbIndex {
  index(xorb: string): Promise<readonly ChunkPlace[]>
}

/** Where the chunks of the xorbs of a push lie; each xorb is read for it once. */
function createXorbIndex(call: HubRequest, push: Push): XorbIndex {
  const known = new BoundedMap<string, readonly ChunkPlace[]>(mostIndexed)
  return {
    async index(xorb) {
      const found = known.get(xorb) ?? indexXorb(await readXorb(call, push, xorb))
      known.set(xorb, found)
      return found
    },
  }
}

async function readXorb(
  { context }: HubRequest,
  push: Push,
  hash: string,
  options: ReadOptions = {},
): Promise<Uint8Array> {
  const owner = xorbOwner(push)
  if (!(await findBlob(context.db, owner, hash)))
    throw new ServiceError('malformed_request', `The xorb ${hash} was not uploaded in this push.`)
  const { body } = await openBlob(context.db, context.storage, owner, hash, options)
  return Buffer.concat(await body.toArray())
}
