import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

export interface BytesRequest {
  method: string
  headers: Record<string, string>
  /** Sent as it is read; its length stands in the headers. */
  body?: AsyncIterable<Uint8Array> | undefined
  signal?: AbortSignal | undefined
  /** Silence longer than this ends it. */
  stallMs: number
}

const mostRedirects = 5

/** What fetch does, without its web streams: on a fast line those cost more time than the line. */
export async function requestBytes(url: string, options: BytesRequest): Promise<IncomingMessage> {
  let address = new URL(url)
  for (let redirects = 0; ; redirects++) {
    const response = await requestOnce(address, options)
    const location = response.headers.location
    const isRedirect = [301, 302, 303, 307, 308].includes(response.statusCode ?? 0)
    if (!isRedirect || !location || options.method !== 'GET' || redirects >= mostRedirects) return response
    response.destroy()
    address = new URL(location, address)
  }
}

async function requestOnce(address: URL, options: BytesRequest): Promise<IncomingMessage> {
  const { method, headers, signal, stallMs, body } = options
  const open = address.protocol === 'https:' ? requestHttps : requestHttp
  const request = open(address, { method, headers, ...(signal ? { signal } : {}) })
  request.setTimeout(stallMs, () => request.destroy(new Error(`no byte for ${stallMs / 1000} s`)))
  const { promise: answer, resolve, reject } = withResolvers<IncomingMessage>()
  request.once('response', resolve)
  request.on('error', reject)
  if (body) await writeBody(request, body, answer)
  else request.end()
  return answer
}

/** Ends as soon as the server has answered, be it before everything was sent. */
async function writeBody(
  request: ClientRequest,
  body: AsyncIterable<Uint8Array>,
  answer: Promise<IncomingMessage>,
): Promise<void> {
  let isAnswered = false
  const answered = answer.then(
    () => {
      isAnswered = true
    },
    () => {
      isAnswered = true
    },
  )
  try {
    for await (const piece of body) {
      if (isAnswered) break
      if (request.write(piece)) continue
      await Promise.race([answered, new Promise<void>((resolve) => request.once('drain', resolve))])
    }
    request.end()
  } catch (error) {
    request.destroy()
    await answered
    throw error
  }
}

/** `Promise.withResolvers` came with Node 22. */
function withResolvers<T>() {
  let resolve: (value: T) => void = () => {}
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  promise.catch(() => {})
  return { promise, resolve, reject }
}

/** The whole answer as fetch gives it: for small ones, and refusals. */
export async function readResponse(message: IncomingMessage): Promise<Response> {
  const pieces: Buffer[] = []
  for await (const piece of message) pieces.push(piece as Buffer)
  const headers = new Headers()
  for (const [name, value] of Object.entries(message.headers)) if (typeof value === 'string') headers.set(name, value)
  const status = message.statusCode ?? 0
  return new Response([204, 205, 304].includes(status) ? null : Buffer.concat(pieces), { status, headers })
}
