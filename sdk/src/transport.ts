import { ApiError, ConnectionError } from './api-error.ts'
import type { CallOptions, Operation } from './operation.ts'
import { withRetries } from './retry.ts'

export interface ClientOptions {
  /** Where the service is: `https://data.example.org`. */
  baseUrl: string
  /** A personal access token or session token, or a function that fetches the present one. */
  token?: string | (() => string | undefined | Promise<string | undefined>) | undefined
  fetch?: typeof fetch | undefined
  /** Attempts of a repeatable call in all; unless said 9 of a service that has answered before, half a minute, and 5 of one that has not. */
  attempts?: number | undefined
}

export type Input = Record<string, unknown>

export interface Transport {
  baseUrl: string
  /** One operation of the contract: its JSON, or the response when it answers bytes. */
  call(operation: Operation, input: Input | undefined, options?: CallOptions): Promise<unknown>
  /** A request below the base address (or to a whole URL there), credential added; refusals are thrown. No retries. */
  send(path: string, request: SendRequest): Promise<Response>
}

export interface SendRequest {
  method: string
  headers?: Record<string, string> | undefined
  body?: RequestInit['body'] | undefined
  signal?: AbortSignal | undefined
  timeoutMs?: number | undefined
  /** Sends it otherwise than by fetch: bytes of a file, say. */
  via?:
    | ((url: string, init: { method: string; headers: Headers; signal: AbortSignal }) => Promise<Response>)
    | undefined
}

/** A wrong address is told after two seconds; a service that was there may take longer to come back, as it does when it is replaced. */
const defaultAttempts = { ofStranger: 5, ofKnown: 9 }
const defaultTimeoutMs = 60_000

export function createTransport(options: ClientOptions): Transport {
  const baseUrl = options.baseUrl.replace(/\/+$/, '')
  let hasAnswered = false
  const request = options.fetch ?? ((url: string | URL | Request, init?: RequestInit) => fetch(url, init))

  /** The time-out covers what `read` reads. */
  const exchange = async <T>(
    path: string,
    { method, headers: given, body, signal, timeoutMs = defaultTimeoutMs, via }: SendRequest,
    read: (response: Response) => Promise<T>,
  ): Promise<T> => {
    const token = typeof options.token === 'function' ? await options.token() : options.token
    const headers = new Headers(given)
    if (token && !headers.has('authorization')) headers.set('authorization', `Bearer ${token}`)
    const slow = new AbortController()
    const timer = setTimeout(() => slow.abort(), timeoutMs)
    const url = /^https?:/.test(path) ? path : baseUrl + path
    try {
      const either = signal ? AbortSignal.any([signal, slow.signal]) : slow.signal
      const init = { method, headers, signal: either, ...(body ? { body } : {}) }
      const response = await (via ?? request)(url, init)
      hasAnswered = true
      if (!response.ok && response.status !== 304) throw await readRefusal(response)
      return await read(response)
    } catch (error) {
      const isOurs = error instanceof ApiError || (error instanceof ConnectionError && !slow.signal.aborted)
      if (isOurs || signal?.aborted) throw error
      throw new ConnectionError(
        slow.signal.aborted
          ? `${new URL(url).host} did not answer within ${timeoutMs / 1000} s.`
          : `${new URL(url).host} cannot be reached: ${describeCause(error)}.`,
        { cause: error },
      )
    } finally {
      clearTimeout(timer)
    }
  }

  const send: Transport['send'] = (path, init) => exchange(path, init, async (response) => response)

  const call: Transport['call'] = (operation, input = {}, callOptions = {}) => {
    const { path, init, repeatable } = buildRequest(operation, input, callOptions)
    const attempts = (): number =>
      callOptions.attempts ?? options.attempts ?? (hasAnswered ? defaultAttempts.ofKnown : defaultAttempts.ofStranger)
    return withRetries(
      async () => {
        return operation.answersBytes ? send(path, init) : exchange(path, init, readJson)
      },
      { attempts, repeatable, signal: callOptions.signal },
    )
  }

  return { baseUrl, call, send }
}

function buildRequest(operation: Operation, input: Input, options: CallOptions) {
  const path = operation.path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = input[name]
    if (value === undefined || value === null || value === '') throw new TypeError(`${operation.path} needs ${name}.`)
    return encodeURIComponent(String(value))
  })
  const query = new URLSearchParams()
  for (const name of operation.query ?? []) appendValue(query, name, input[name])
  const headers: Record<string, string> = { accept: 'application/json', ...options.headers }
  if (operation.answersBytes) headers.accept = options.headers?.accept ?? '*/*'
  for (const name of operation.headers ?? []) if (input[name] !== undefined) headers[name] = String(input[name])
  const body = operation.hasBody ? addKey(operation, input) : undefined
  if (body !== undefined) headers['content-type'] = 'application/json'
  return {
    path: query.size > 0 ? `${path}?${query}` : path,
    init: {
      method: operation.method,
      headers,
      signal: options.signal,
      timeoutMs: options.timeoutMs,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    },
    repeatable: operation.repeatable === true || operation.keyPlace !== undefined,
  }
}

/** A key of our own makes a creating call safe to repeat: the second one answers what the first one made. */
function addKey(operation: Operation, { body, 'idempotency-key': header }: Input): unknown {
  if (operation.keyPlace !== 'body' || header !== undefined || typeof body !== 'object' || body === null) return body
  const key = (body as Input).idempotency_key
  return { ...body, idempotency_key: key ?? createKey() }
}

/** Not `crypto.randomUUID`: browsers offer that on https pages only. */
export const createKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

function appendValue(query: URLSearchParams, name: string, value: unknown): void {
  if (value === undefined || value === null) return
  if (Array.isArray(value)) for (const one of value) query.append(name, String(one))
  else query.append(name, String(value))
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch (error) {
    throw new ConnectionError(`The answer of ${new URL(response.url).host} was cut off.`, { cause: error })
  }
}

const readRefusal = async (response: Response): Promise<ApiError> =>
  new ApiError(response.status, await response.json().catch(() => undefined), response.headers)

/** undici's "fetch failed" hides the reason in `cause`. */
function describeCause(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message?: string }
  return cause?.code ?? cause?.message ?? message ?? String(error)
}
