import { Readable, type Writable } from 'node:stream'
import { Type } from 'typebox'
import { ServiceError } from '../errors.ts'
import { Reply } from '../http/route.ts'
import { attachmentDisposition } from '../storage/serving/disposition.ts'
import { answerRange, type ConditionalHeaders } from '../storage/serving/ranges.ts'
import { sendTar, type Tar, type TarSource } from '../storage/serving/tar.ts'

/** What a request for a tar may say of the part that it wants. */
export const tarHeaders = Type.Object({
  range: Type.Optional(Type.String()),
  'if-range': Type.Optional(Type.String()),
  'if-none-match': Type.Optional(Type.String()),
})

interface TarRequest {
  headers: ConditionalHeaders
  isHead: boolean
  signal: AbortSignal
}

/** A tar that is made while it is sent, whole or by Range; `name` is what it is saved as. */
export function answerTar(
  { headers, isHead, signal }: TarRequest,
  storage: TarSource,
  tar: Tar & { etag: string; name: string },
) {
  const answer = answerRange(headers, { sizeBytes: tar.sizeBytes, etag: tar.etag, lastModified: new Date(0) })
  if (answer.status === 416)
    throw new ServiceError(
      'range_not_satisfiable',
      `The tar has ${tar.sizeBytes} bytes; request a range within them.`,
      { headers: { 'content-range': `bytes */${tar.sizeBytes}` } },
    )
  const { 'last-modified': _, ...ranges } = answer.headers
  const sent = {
    ...ranges,
    'cache-control': 'private, no-cache',
    'content-type': 'application/x-tar',
    'content-disposition': attachmentDisposition(tar.name),
  }
  if (answer.status === 304) return new Reply(undefined, { status: 304, headers: sent })
  const body = (target: Writable) => sendTar(target, storage, tar, answer, signal)
  return new Reply(isHead ? Readable.from([]) : body, { status: answer.status, headers: sent })
}
