import { Readable } from 'node:stream'
import { notFound, ServiceError } from '../../errors.ts'
import { answerRange } from './ranges.ts'
import type { ServedStorage } from './served-storage.ts'

export interface SignedRequest {
  method: string
  /** As it stands in the request line. */
  url: string
  headers: Record<string, string | string[] | undefined>
  body?: AsyncIterable<Uint8Array>
  signal?: AbortSignal
}

export interface SignedAnswer {
  status: number
  headers: Record<string, string>
  body?: Readable
}

/** Objects come from strangers: whatever one holds, a browser must not run it as a page of ours, and no link of it may leak. */
const safetyHeaders = {
  'cache-control': 'private, no-store',
  'content-security-policy': "default-src 'none'; sandbox",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** All an HTTP route needs to serve a signed URL of the API. Refusals are thrown: 403, 404, 412, 422. */
export const serveSignedObject = (storage: ServedStorage, request: SignedRequest): Promise<SignedAnswer> =>
  request.method === 'PUT' ? receiveObject(storage, request) : sendObject(storage, request)

const sendObject = async (storage: ServedStorage, request: SignedRequest): Promise<SignedAnswer> => {
  const { key, contentType, disposition } = storage.openSignedObject(request.method, request.url)
  const head = await storage.findObject(key)
  if (!head) throw notFound()
  const answer = answerRange(
    {
      range: single(request.headers.range),
      'if-range': single(request.headers['if-range']),
      'if-none-match': single(request.headers['if-none-match']),
      'if-modified-since': single(request.headers['if-modified-since']),
    },
    head,
  )
  if (answer.status === 416)
    throw new ServiceError(
      'range_not_satisfiable',
      `The object has ${head.sizeBytes} bytes; request a range within them.`,
      {
        headers: { 'content-range': `bytes */${head.sizeBytes}` },
      },
    )
  const headers = {
    ...safetyHeaders,
    ...answer.headers,
    'content-type': contentType ?? 'application/octet-stream',
    ...(disposition === undefined ? {} : { 'content-disposition': disposition }),
  }
  if (request.method === 'HEAD' || answer.start === answer.end) return { status: answer.status, headers }
  const { body, head: opened } = await storage.getObject(key, {
    range: { start: answer.start, end: answer.end },
    ...(request.signal ? { signal: request.signal } : {}),
  })
  if (opened.etag !== head.etag) {
    body.destroy()
    throw new ServiceError('not_ready', 'The object was just replaced. Try again.', { retryAfterSeconds: 1 })
  }
  return { status: answer.status, headers, body }
}

const receiveObject = async (storage: ServedStorage, request: SignedRequest): Promise<SignedAnswer> => {
  const { key, contentType, sizeBytes } = storage.openSignedObject(request.method, request.url)
  if (contentType !== undefined && single(request.headers['content-type']) !== contentType) {
    throw new ServiceError('signature_invalid', `This link takes content of the type ${contentType} only.`)
  }
  if (sizeBytes !== undefined && single(request.headers['content-length']) !== String(sizeBytes)) {
    throw new ServiceError('signature_invalid', `This link takes exactly ${sizeBytes} bytes.`)
  }
  const written = await storage.putObject(key, request.body ?? Readable.from([]), {
    ifAbsent: true,
    ...(request.signal ? { signal: request.signal } : {}),
  })
  return { status: 200, headers: { etag: written.etag, 'content-length': '0' } }
}

const single = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value)
