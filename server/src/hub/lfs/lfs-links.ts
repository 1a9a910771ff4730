import type { Context } from '../../context.ts'
import { notFound, ServiceError } from '../../errors.ts'
import { type StageOptions, stageBlob } from '../../storage/blobs.ts'
import type { Blob } from '../../storage/repository.ts'
import type { HubRequest } from '../hub-request.ts'
import { findPush, type Push } from '../push/pushes.ts'

/** What an upload link is for, once its signature holds. */
export async function openLink({
  context,
  params,
  url,
  links,
}: HubRequest): Promise<{ push: Push; oid: string; sizeBytes: number }> {
  const given = (name: string) => url.searchParams.get(name) ?? ''
  const { push: id = '', oid = '' } = params
  await links.check(`lfs ${id} ${oid} ${given('size')}`, Number(given('expires')), given('signature'))
  const push = await findPush(context.db, id)
  if (push?.state !== 'open') throw notFound()
  return { push, oid, sizeBytes: Number(given('size')) }
}

/** As `stageBlob`; bytes that are not those announced are the client's fault. */
export const stageChecked = (
  { storage }: Context,
  push: Push,
  body: AsyncIterable<Uint8Array>,
  options: StageOptions,
): Promise<Blob> =>
  stageBlob(storage, { id: push.id, epoch: 0 }, body, options).catch((error) => {
    const isWrong = error instanceof ServiceError && error.code === 'not_ready'
    throw isWrong ? new ServiceError('malformed_request', error.message) : error
  })

/** No more is written than was announced. */
export async function* boundBytes(body: AsyncIterable<Uint8Array>, mostBytes: number): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0
  for await (const piece of body) {
    sizeBytes += piece.byteLength
    if (sizeBytes > mostBytes)
      throw new ServiceError('body_too_large', `More than the announced ${mostBytes} bytes arrived.`)
    yield piece
  }
}
