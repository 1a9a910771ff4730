import { notFound, ServiceError } from '../errors.ts'
import { stageBlob } from '../storage/blobs.ts'
import type { HubAnswer } from './hub-answer.ts'
import { linkSeconds } from './hub-links.ts'
import type { HubRequest, HubRoute } from './hub-request.ts'
import { requireQuota } from './push-quota.ts'
import { findPush as findPushById, findPushedObject, keepPushedObject, type Push } from './pushes.ts'
import { readJson } from './request-body.ts'
import { findPush } from './write-routes.ts'

const object = '^/lfs/(?<push>psh_[0-9a-f]{32})/(?<oid>[0-9a-f]{64})'
const mostObjects = 1000
const lfsType = { 'content-type': 'application/vnd.git-lfs+json' }

export const lfsRoutes: readonly HubRoute[] = [
  {
    method: 'POST',
    address: /^\/datasets\/(?<org>[^/]+)\/(?<name>[^/]+)\.git\/info\/lfs\/objects\/batch$/,
    writes: true,
    handle: planTransfers,
  },
  { method: 'PUT', address: new RegExp(`${object}$`), handle: takeObject },
  { method: 'POST', address: new RegExp(`${object}/verify$`), handle: verifyObject },
]

interface WantedObject {
  oid: string
  size: number
}

/** A link for every object that is not here yet. They carry their right in themselves: the clients send no credential with them. */
async function planTransfers(call: HubRequest): Promise<HubAnswer> {
  const { context, request } = call
  const push = await findPush(call)
  const body = await readJson(request)
  if (body.operation !== 'upload' || !Array.isArray(body.objects) || body.objects.length > mostObjects)
    throw new ServiceError('malformed_request', `Send an upload of at most ${mostObjects} objects.`)
  const objects: object[] = []
  for (const { oid, size } of body.objects as WantedObject[]) {
    if (!/^[0-9a-f]{64}$/.test(String(oid)) || !Number.isSafeInteger(size) || size < 0)
      throw new ServiceError('malformed_request', 'An object has no sha256 or no size.')
    const isHere = await findPushedObject(context.db, push, oid)
    if (!isHere) await requireQuota(context, push.org_id, size)
    objects.push({
      oid,
      size,
      authenticated: true,
      ...(isHere ? {} : { actions: await describeActions(call, push, { oid, size }) }),
    })
  }
  return { json: { transfer: 'basic', objects }, headers: lfsType }
}

async function describeActions(
  { context, links }: HubRequest,
  push: Push,
  { oid, size }: WantedObject,
): Promise<object> {
  const expires = Math.floor(Date.now() / 1000) + linkSeconds
  const signature = await links.sign(`lfs ${push.id} ${oid} ${size}`, expires)
  const href = `${context.publicUrl}/hf/lfs/${push.id}/${oid}`
  const query = `?size=${size}&expires=${expires}&signature=${signature}`
  return { upload: { href: href + query, header: {} }, verify: { href: `${href}/verify${query}`, header: {} } }
}

async function openLink({
  context,
  params,
  url,
  links,
}: HubRequest): Promise<{ push: Push; oid: string; sizeBytes: number }> {
  const given = (name: string) => url.searchParams.get(name) ?? ''
  const { push: id = '', oid = '' } = params
  await links.check(`lfs ${id} ${oid} ${given('size')}`, Number(given('expires')), given('signature'))
  const push = await findPushById(context.db, id)
  if (push?.state !== 'open') throw notFound()
  return { push, oid, sizeBytes: Number(given('size')) }
}

async function takeObject(call: HubRequest): Promise<HubAnswer> {
  const { context, request, signal } = call
  const { push, oid, sizeBytes } = await openLink(call)
  if (await findPushedObject(context.db, push, oid)) {
    request.resume()
    return { json: {}, headers: { etag: `"${oid}"` } }
  }
  await requireQuota(context, push.org_id, sizeBytes)
  const expected = { expectedSha256: oid, expectedSizeBytes: sizeBytes, signal }
  const blob = await stageBlob(
    context.storage,
    { id: push.id, epoch: 0 },
    boundBytes(request, sizeBytes),
    expected,
  ).catch((error) => {
    const isWrong = error instanceof ServiceError && error.code === 'not_ready'
    throw isWrong ? new ServiceError('malformed_request', error.message) : error
  })
  await keepPushedObject(context.db, push, blob)
  return { json: {}, headers: { etag: `"${oid}"` } }
}

/** No more is written than was announced. */
async function* boundBytes(body: AsyncIterable<Uint8Array>, mostBytes: number): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0
  for await (const piece of body) {
    sizeBytes += piece.byteLength
    if (sizeBytes > mostBytes)
      throw new ServiceError('body_too_large', `More than the ${mostBytes} bytes announced arrived.`)
    yield piece
  }
}

async function verifyObject(call: HubRequest): Promise<HubAnswer> {
  const { push, oid } = await openLink(call)
  if (!(await findPushedObject(call.context.db, push, oid))) throw notFound()
  return { json: {} }
}
