import { notFound, ServiceError } from '../../errors.ts'
import type { HubAnswer } from '../hub-answer.ts'
import { linkSeconds } from '../hub-links.ts'
import { type HubRequest, type HubRoute, pushRoute } from '../hub-request.ts'
import { requireQuota } from '../push/push-quota.ts'
import { findPushedObject, keepPushedObject, noteTransfer, type Push } from '../push/pushes.ts'
import { findPush } from '../push/write-routes.ts'
import { inTurns, readJson, uploading } from '../request-body.ts'
import { boundBytes, openLink, stageChecked } from './lfs-links.ts'
import { completeObject, countParts, describeParts, multipartFromBytes, takePart } from './lfs-parts.ts'

const object = '^/lfs/(?<push>psh_[0-9a-f]{32})/(?<oid>[0-9a-f]{64})'
const mostObjects = 1000
/** A link is some 200 bytes: six terabytes of files in an answer, which is in memory. */
const mostPartsAtOnce = 100_000
const batchBounds = { mostBytes: 512 * 1024, mostValues: 10 * mostObjects }
const lfsType = { 'content-type': 'application/vnd.git-lfs+json' }

const signed = (id: string, method: HubRoute['method'], address: string, handle: HubRoute['handle']): HubRoute => ({
  id,
  method,
  address: new RegExp(address),
  credentials: 'signed',
  handle,
})

export const lfsRoutes: readonly HubRoute[] = [
  pushRoute(
    'hub.planTransfers',
    'POST',
    /^\/datasets\/(?<org>[^/]+)\/(?<name>[^/]+)\.git\/info\/lfs\/objects\/batch$/,
    planTransfers,
  ),
  signed('hub.putObject', 'PUT', `${object}$`, takeObject),
  signed('hub.verifyObject', 'POST', `${object}/verify$`, verifyObject),
  signed('hub.putPart', 'PUT', `${object}/parts/(?<part>\\d{1,5})$`, takePart),
  signed('hub.completeObject', 'POST', `${object}/complete$`, completeObject),
]

interface WantedObject {
  oid: string
  size: number
}

/** A link for every object that is not here yet. They carry their right in themselves: the clients send no credential with them. */
async function planTransfers(call: HubRequest): Promise<HubAnswer> {
  const { context } = call
  const body = await readJson(call, batchBounds)
  const push = await findPush(call, readBranch(body.ref))
  if (body.operation !== 'upload' || !Array.isArray(body.objects) || body.objects.length > mostObjects)
    throw new ServiceError('malformed_request', `Send an upload of at most ${mostObjects} objects.`)
  const takesParts = Array.isArray(body.transfers) && body.transfers.includes('multipart')
  const wanted = readObjects(body.objects, takesParts)
  const objects: object[] = []
  let announcedBytes = 0
  for (const { oid, size } of wanted) {
    const isHere = await findPushedObject(context.db, push, oid)
    if (!isHere) announcedBytes += size
    if (!isHere) await requireQuota(context, push.orgId, size, announcedBytes)
    objects.push({
      oid,
      size,
      authenticated: true,
      ...(isHere ? {} : { actions: await describeActions(call, push, { oid, size }, takesParts) }),
    })
  }
  if (announcedBytes > 0) await noteTransfer(context.db, push.id)
  return { json: { transfer: 'basic', objects }, headers: lfsType }
}

function readObjects(objects: readonly unknown[], takesParts: boolean): WantedObject[] {
  const wanted = objects.map((object): WantedObject => {
    const { oid = '', size = -1 } = (object ?? {}) as Partial<WantedObject>
    if (!/^[0-9a-f]{64}$/.test(String(oid)) || !Number.isSafeInteger(size) || size < 0)
      throw new ServiceError('malformed_request', 'An object has no sha256 or no size.')
    return { oid, size }
  })
  const partCount = wanted.reduce((sum, { size }) => sum + (takesParts ? countParts(size) : 1), 0)
  if (partCount > mostPartsAtOnce)
    throw new ServiceError('malformed_request', `Ask for fewer objects at a time: ${mostPartsAtOnce} parts at most.`)
  return wanted
}

async function describeActions(
  { context, links }: HubRequest,
  push: Push,
  { oid, size }: WantedObject,
  takesParts: boolean,
): Promise<object> {
  const expires = Math.floor(Date.now() / 1000) + linkSeconds
  const signature = await links.sign(`lfs ${push.id} ${oid} ${size}`, expires)
  const href = `${context.publicUrl}/hf/lfs/${push.id}/${oid}`
  const query = `?size=${size}&expires=${expires}&signature=${signature}`
  const verify = { href: `${href}/verify${query}`, header: {} }
  if (!takesParts || size < multipartFromBytes) return { upload: { href: href + query, header: {} }, verify }
  const header = await describeParts(links, push, { oid, size, href, expires })
  return { upload: { href: `${href}/complete${query}`, header }, verify }
}

/** `{"name": "main"}`, or none. */
const readBranch = (ref: unknown): string | undefined => {
  const name = typeof ref === 'object' && ref !== null ? (ref as { name?: unknown }).name : undefined
  return typeof name === 'string' ? name : undefined
}

async function takeObject(call: HubRequest): Promise<HubAnswer> {
  const { context, request, signal } = call
  const { push, oid, sizeBytes } = await openLink(call)
  if (await findPushedObject(context.db, push, oid)) {
    request.resume()
    return { json: {}, headers: { etag: `"${oid}"` } }
  }
  await requireQuota(context, push.orgId, sizeBytes)
  const expected = { expectedSha256: oid, expectedSizeBytes: sizeBytes, signal }
  const blob = await uploading.run(push.createdBy ?? push.orgId, () =>
    stageChecked(context, push, boundBytes(inTurns(request), sizeBytes), expected),
  )
  await keepPushedObject(context, push, blob)
  return { json: {}, headers: { etag: `"${oid}"` } }
}

async function verifyObject(call: HubRequest): Promise<HubAnswer> {
  const { push, oid } = await openLink(call)
  if (!(await findPushedObject(call.context.db, push, oid))) throw notFound()
  return { json: {} }
}
