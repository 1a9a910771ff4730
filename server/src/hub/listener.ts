import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Context } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { cutBytes, heldFromBytes, holdAnswer } from '../http/bodies/held-answer.ts'
import { sendBody } from '../http/bodies/send-body.ts'
import { type CredentialSource, createCredentialCheck } from '../http/credentials.ts'
import { describeFailure } from '../http/failures.ts'
import type { MountedListener } from '../http/mount.ts'
import { type HubAnswer, noNul } from './hub-answer.ts'
import { createHubLinks } from './hub-links.ts'
import { createHubMeter } from './hub-meter.ts'
import type { HubRequest } from './hub-request.ts'
import { hubRoutes } from './hub-routes.ts'
import { isModelName, toDatasetAddress } from './models/names.ts'
import { createFileLists, createGitNames } from './reading/commit-files.ts'
import { createVersionWait } from './reading/version-files.ts'

export const hubPath = '/hf'

interface DoorOptions extends CredentialSource {
  context: Context
}

/** The Hub door: datasets and versions as Hugging Face repositories, in the protocol that the stock clients speak. */
export const createHubListener = ({ context, ...source }: DoorOptions): MountedListener => {
  const checkCredentials = createCredentialCheck(source, { isDoor: true })
  const meter = createHubMeter(context.metrics)
  const parts = {
    listFiles: createFileLists(context),
    nameFile: createGitNames(context),
    links: createHubLinks(context),
    waitForFiles: createVersionWait(context, meter),
  }
  return async (request, response, { address, requestId }) => {
    const gone = new AbortController()
    let group = 'none'
    response.once('close', () => {
      gone.abort()
      meter.count(group, response.statusCode, request.method === 'HEAD' ? 0 : countSent(response))
    })
    try {
      const url = URL.parse((request.url ?? '/').slice(hubPath.length), context.publicUrl)
      if (!url) throw noAddress()
      if (/%00/.test(url.href)) throw noNul('address')
      const path = toDatasetAddress(url.pathname)
      const { route, params } = findRoute(request.method ?? 'GET', path)
      const isStoredName = path === url.pathname && isModelName(params.name ?? '')
      if (isStoredName) throw noAddress()
      group = route.group
      const { credentials } = route
      const principal =
        credentials === 'signed'
          ? undefined
          : await checkCredentials({ credentials }, { headers: request.headers, ip: address })
      const { signal } = gone
      const caller = principal && { ...principal, requestId }
      const call = { context, caller, request, address, url, params, signal, ...parts }
      await send(call, response, await route.handle(call))
    } catch (error) {
      sendFailure(context, request, response, requestId, error)
    }
  }
}

/** As announced; a client that went away got less. */
const countSent = (response: ServerResponse): number => Number(response.getHeader('content-length') ?? 0) || 0

type Found = { route: (typeof hubRoutes)[number]; params: Record<string, string> }

function findRoute(method: string, path: string): Found {
  const wanted = method === 'HEAD' ? 'GET' : method
  for (const route of hubRoutes) {
    const found = route.method === wanted || route.method === 'any' ? route.address.exec(path) : null
    if (found) return { route, params: decode(found.groups ?? {}) }
  }
  throw noAddress()
}

/** Without the Hub's code: the clients take it for a route this server does not have. */
const noAddress = (): ServiceError => new ServiceError('not_found', 'There is no such address under /hf.')

function decode(groups: Record<string, string | undefined>): Record<string, string> {
  try {
    const given = Object.entries(groups).filter((entry): entry is [string, string] => entry[1] !== undefined)
    return Object.fromEntries(given.map(([name, value]) => [name, decodeURIComponent(value)]))
  } catch {
    throw new ServiceError('malformed_request', 'The address is not correctly encoded.')
  }
}

async function send(call: HubRequest, response: ServerResponse, answer: HubAnswer): Promise<void> {
  const { request, context, caller, address } = call
  const { status = 200, headers = {}, json, body } = answer
  if (json !== undefined) {
    const text = Buffer.from(JSON.stringify(json))
    const isHeld = text.byteLength > heldFromBytes && request.method !== 'HEAD'
    const held = isHeld ? await holdAnswer(context.outgoing, caller?.userId ?? address, cutBytes(text)) : undefined
    response.writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': text.byteLength,
      ...headers,
    })
    if (held) return sendBody(response, held.body)
    response.end(request.method === 'HEAD' ? undefined : text)
    return
  }
  response.writeHead(status, headers)
  if (!body || request.method === 'HEAD') {
    response.end()
    return
  }
  if (body instanceof Readable) await sendBody(response, body)
  else response.end(body)
}

/** The Hub's form: the sentence in a header, since HEAD has no body, and in `error`. */
function sendFailure(
  { log }: Context,
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  error: unknown,
): void {
  if (response.headersSent || response.destroyed) return void response.destroy()
  const failure = describeFailure(error, requestId, log)
  const { detail } = failure.body as { detail: unknown }
  const sentence = typeof detail === 'string' ? detail : JSON.stringify(detail)
  const body = Buffer.from(JSON.stringify({ error: sentence }))
  response.writeHead(failure.status, {
    ...failure.headers,
    'x-error-message': sentence.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 1000),
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.byteLength,
    connection: 'close',
  })
  response.end(request.method === 'HEAD' ? undefined : body)
  request.resume()
}
