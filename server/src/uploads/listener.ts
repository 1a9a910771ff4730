import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Server } from '@tus/server'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import { type ErrorCode, notFound, ServiceError } from '../errors.ts'
import { type CredentialSource, createCredentialCheck } from '../http/credentials.ts'
import { describeFailure } from '../http/failures.ts'
import type { MountedListener, MountedRequest } from '../http/mount.ts'
import { createId } from '../ids.ts'
import { checksumAlgorithms } from './request-checksum.ts'
import { getOwnUpload } from './service.ts'
import { TusStore } from './tus-store.ts'
import { createUploadLocker } from './upload-lock.ts'
import { getUploadRequest, runUploadRequest, type UploadRequest } from './upload-request.ts'

export const uploadsPath = '/api/v1/uploads'

const address = /^\/api\/v1\/uploads(?:\/(upl_[0-9a-f]{32}))?\/?$/
const methods = { collection: ['POST', 'OPTIONS'], upload: ['HEAD', 'PATCH', 'DELETE', 'OPTIONS'] }

interface DoorOptions extends CredentialSource {
  context: Context
}

/**
 * The upload door: tus 1.0 under /api/v1/uploads. The protocol is the library's; who may, what is kept where, and how a refusal reads are
 * ours, so every refusal has the error body of the API.
 */
export const createUploadListener = ({ context, ...source }: DoorOptions): MountedListener => {
  const checkCredentials = createCredentialCheck(source)
  const tus = createTusServer(context)
  return async (request, response, mounted) => {
    const call: UploadRequest = {
      caller: undefined,
      body: request,
      stopping: new AbortController(),
      checksum: headerOf(request, 'upload-checksum'),
      lockToken: randomUUID(),
      storedSha256: undefined,
      failure: undefined,
    }
    try {
      const { pathname } = new URL(request.url ?? '/', context.publicUrl)
      const place = address.exec(pathname)
      if (!place) throw notFound()
      const isOptions = request.method === 'OPTIONS'
      if (!isOptions) {
        const principal = await checkCredentials(uploadCredentials, { headers: request.headers, ip: mounted.address })
        call.caller = principal && { ...principal, requestId: mounted.requestId }
        checkMethod(request.method ?? '', place[1] ? methods.upload : methods.collection)
        // The library refuses a version that is missing, and takes any that is there.
        const version = headerOf(request, 'tus-resumable')
        if (version !== undefined && version !== '1.0.0') throw refusalOf(412, context.config)
      }
      const answer = await runUploadRequest(call, () =>
        tus.handleWeb(toWebRequest(request, pathname, context.publicUrl)),
      )
      if (answer.status >= 400) throw call.failure ?? refusalOf(answer.status, context.config)
      answer.headers.forEach((value, name) => void response.setHeader(name, value))
      if (isOptions) response.setHeader('Tus-Checksum-Algorithm', checksumAlgorithms.join(','))
      if (call.storedSha256)
        response.setHeader('Upload-Checksum', `sha256 ${Buffer.from(call.storedSha256, 'hex').toString('base64')}`)
      response.writeHead(answer.status)
      response.end()
    } catch (error) {
      sendFailure(context, request, response, mounted, error)
    }
  }
}

const uploadCredentials = { credentials: ['imports:write'] } as const

const createTusServer = (context: Context): Server => {
  const { db, config, publicUrl } = context
  return new Server({
    path: uploadsPath,
    datastore: new TusStore(context),
    locker: createUploadLocker(db),
    // The holder of a lock that somebody waits for keeps what it has and ends at once.
    lockDrainTimeout: 1,
    maxSize: config.NMP_MAX_UPLOAD_BYTES,
    allowedOrigins: (origin) => config.NMP_CORS_ORIGINS.includes(origin),
    exposedHeaders: ['Upload-Expires', 'Upload-Checksum', 'Tus-Checksum-Algorithm', 'X-Request-Id', 'Retry-After'],
    generateUrl: (_request, { id }) => `${publicUrl}${uploadsPath}/${id}`,
    getFileIdFromRequest: (request) => address.exec(new URL(request.url).pathname)?.[1],
    namingFunction: () => createId('upl'),
    onIncomingRequest: async (request, id) => {
      const { caller } = getUploadRequest()
      if (request.method !== 'POST' && caller) await getOwnUpload(db, caller, id)
    },
    onResponseError: (_request, error) => {
      getUploadRequest().failure = 'status_code' in error ? refusalOf(error.status_code as number, config) : error
      return undefined
    },
  })
}

/** The library names its refusals by a status; these are the sentences of ours that belong to them. */
const refusalOf = (status: number, { NMP_MAX_UPLOAD_BYTES: most }: Config): ServiceError => {
  const [code, sentence] = refusals[status] ?? refusals[400]
  return new ServiceError(code, sentence.replace('MOST', String(most)), status === 412 ? { headers: tusVersion } : {})
}

const tusVersion = { 'tus-version': '1.0.0' }
const refusals: Record<number, [ErrorCode, string]> & { 400: [ErrorCode, string] } = {
  400: [
    'malformed_request',
    'This is not a tus 1.0 request: Upload-Length, Upload-Offset or Upload-Metadata is missing or malformed, or the request ended early.',
  ],
  404: ['not_found', 'There is nothing here, or you may not see it.'],
  409: ['conflict', 'The upload is at a different offset. Get it with HEAD and continue from there.'],
  410: ['upload_expired', 'The upload has expired: no byte arrived for 24 hours. Start it again.'],
  412: ['tus_version_unsupported', 'Send `Tus-Resumable: 1.0.0`; this address uses tus 1.0.'],
  413: [
    'upload_too_large',
    'An upload has at most MOST bytes (NMP_MAX_UPLOAD_BYTES), and no more than its Upload-Length announced.',
  ],
}

const checkMethod = (method: string, allowed: readonly string[]): void => {
  if (allowed.includes(method)) return
  const allow = allowed.join(', ')
  throw new ServiceError('method_not_allowed', `${method} is not allowed at this address, which takes ${allow}.`, {
    headers: { allow },
  })
}

/** The request as the library takes it, without its body. */
const toWebRequest = (request: IncomingMessage, pathname: string, publicUrl: string): Request => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers))
    if (typeof value === 'string' && !dropped.test(name)) headers.set(name, value)
  return new Request(publicUrl + pathname, { method: request.method ?? 'GET', headers })
}

/** Says nothing about the upload, and the library would refuse some values of it. */
const dropped = /^(x-forwarded-.*|forwarded|connection|transfer-encoding|keep-alive|upgrade|expect)$/

const mostUnreadBytes = 16 * 1024 * 1024

const headerOf = (request: IncomingMessage, name: string): string | undefined => {
  const value = request.headers[name]
  return typeof value === 'string' ? value : undefined
}

function sendFailure(
  { log }: Context,
  request: IncomingMessage,
  response: ServerResponse,
  { requestId }: MountedRequest,
  error: unknown,
): void {
  if (response.headersSent || response.destroyed) return void response.destroy()
  const failure = describeFailure(error, requestId, log)
  const body = JSON.stringify(failure.body)
  response.writeHead(failure.status, {
    ...failure.headers,
    'tus-resumable': '1.0.0',
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    // What a refused request still sends is read past, unless it is much: closing early may cost the client our answer.
    ...(request.complete || Number(request.headers['content-length']) <= mostUnreadBytes
      ? {}
      : { connection: 'close' }),
  })
  response.end(request.method === 'HEAD' ? undefined : body)
  request.resume()
}
