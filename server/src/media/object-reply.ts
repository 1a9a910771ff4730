import { Readable } from 'node:stream'
import type { Context } from '../context.ts'
import { notFound, ServiceError } from '../errors.ts'
import { Reply } from '../http/route.ts'
import type { Blob } from '../storage/repository.ts'
import { answerRange, type ConditionalHeaders } from '../storage/serving/ranges.ts'
import { isServed } from '../storage/serving/served-storage.ts'

export interface MediaRequest {
  headers: ConditionalHeaders
  isHead: boolean
  signal: AbortSignal
}

export interface Presentation {
  contentType: string
  disposition?: string
  /** How long the browser that asked may keep it. What a URL names never changes, but the right to it ends with the URL. */
  maxAgeSeconds: number
}

const redirectSeconds = 60

/** What strangers uploaded: a browser must not run it as a page of ours, but may show a picture or a video in a tab. */
const safetyHeaders = {
  'content-security-policy': "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox",
}

const cacheHeader = (maxAgeSeconds: number): string =>
  `private, max-age=${Math.max(0, Math.floor(maxAgeSeconds))}, immutable`

/** A stored object, whole or a range of it; where clients reach the bucket themselves, the way to it. */
export async function replyWithObject(
  { storage }: Pick<Context, 'storage'>,
  request: MediaRequest,
  blob: Blob,
  { contentType, disposition, maxAgeSeconds }: Presentation,
): Promise<Reply<Readable | undefined>> {
  if (!isServed(storage)) {
    const { url } = await storage.signGet(blob.storeKey, {
      expiresInSeconds: redirectSeconds,
      contentType,
      ...(disposition === undefined ? {} : { disposition }),
    })
    return new Reply(undefined, { status: 302, headers: { location: url, 'cache-control': 'private, no-store' } })
  }
  const head = await storage.findObject(blob.storeKey)
  if (!head) throw notFound()
  const representation = { sizeBytes: head.sizeBytes, etag: `"${blob.sha256}"`, lastModified: head.lastModified }
  const answer = answerRange(request.headers, representation)
  const headers = {
    ...safetyHeaders,
    ...answer.headers,
    'cache-control': cacheHeader(maxAgeSeconds),
    'content-type': contentType,
    ...(disposition === undefined ? {} : { 'content-disposition': disposition }),
  }
  if (answer.status === 304) return new Reply(undefined, { status: 304, headers })
  if (answer.status === 416)
    throw new ServiceError(
      'range_not_satisfiable',
      `The object has ${head.sizeBytes} bytes; request a range within them.`,
      {
        headers: { 'content-range': `bytes */${head.sizeBytes}` },
      },
    )
  const { status, start, end } = answer
  if (request.isHead || start === end) return new Reply(Readable.from([]), { status, headers })
  const { body } = await storage.getObject(blob.storeKey, { range: { start, end }, signal: request.signal })
  return new Reply(body, { status, headers })
}

/** A picture in memory. */
export function replyWithBytes(
  request: MediaRequest,
  { bytes, etag }: { bytes: Uint8Array; etag: string },
  { contentType, maxAgeSeconds }: Presentation,
): Reply<Readable | undefined> {
  // Pictures have no date: `If-Modified-Since` alone never holds.
  const answer = answerRange(
    { ...request.headers, 'if-modified-since': undefined },
    { sizeBytes: bytes.byteLength, etag, lastModified: new Date(0) },
  )
  const { 'last-modified': _, ...ranges } = answer.headers
  const headers = {
    ...safetyHeaders,
    ...ranges,
    'cache-control': cacheHeader(maxAgeSeconds),
    'content-type': contentType,
  }
  if (answer.status === 304) return new Reply(undefined, { status: 304, headers })
  if (answer.status === 416)
    throw new ServiceError(
      'range_not_satisfiable',
      `The picture has ${bytes.byteLength} bytes; request a range within them.`,
      {
        headers: { 'content-range': `bytes */${bytes.byteLength}` },
      },
    )
  const { status, start, end } = answer
  return new Reply(Readable.from(request.isHead ? [] : [bytes.subarray(start, end)]), { status, headers })
}
