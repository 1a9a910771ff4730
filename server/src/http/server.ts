import { randomUUID } from 'node:crypto'
import { type IncomingMessage, METHODS, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import cors from '@fastify/cors'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { TSchema } from 'typebox'
import type { AccessRule, Grants } from '../access/access.ts'
import type { Principal } from '../access/principal.ts'
import type { Context } from '../context.ts'
import { notFound, ServiceError, ValidationError, type ValidationIssue } from '../errors.ts'
import { abortOnClose } from './bodies/abort-on-close.ts'
import { refuseCompressedBodies } from './bodies/compressed-bodies.ts'
import { cutBytes, heldFromBytes, holdAnswer } from './bodies/held-answer.ts'
import { createJsonBodies, type JsonBodies } from './bodies/json-bodies.ts'
import type { AnswerBeside, PassedAnswer, PassedRequest } from './bodies/large-requests.ts'
import { replyWithBody, type StreamedBody } from './bodies/send-body.ts'
import { type CredentialSource, createCredentialCheck, readClient } from './credentials.ts'
import { describeFailure } from './failures.ts'
import { limitRate } from './rate-limit.ts'
import type { RequestMeter } from './request-meter.ts'
import { type AnyRoute, needsCredential, Reply, smallBody } from './route.ts'
import { setSecurityHeaders } from './security-headers.ts'
import { compileRequestSchemas } from './validation/validation.ts'

export type ResponseCheck = (schema: TSchema) => (payload: unknown, place: string) => void

export interface HttpOptions extends CredentialSource {
  context: Context
  routes: readonly AnyRoute[]
  meter: RequestMeter
  /** What the caller may do at the resources the path names; throws the 404 or 403. */
  authorize(principal: Principal, rule: AccessRule, params: Record<string, string>): Promise<Partial<Grants['project']>>
  /** Makes the check of a route's answers against their schema; tests give one. */
  checkResponse?: ResponseCheck | undefined
  /** Answers what has a large body; without it, that is done here. */
  answerBeside?: AnswerBeside | undefined
  /** Things that speak HTTP by themselves: the identity provider, the sign-in pages, the console's files. */
  mounts: readonly ((app: FastifyInstance) => Promise<void>)[]
}

/** OPTIONS belongs to CORS; CONNECT never arrives as a request. */
const allMethods = METHODS.filter((method) => method !== 'OPTIONS' && method !== 'CONNECT')

export interface HttpListener {
  handle(request: IncomingMessage, response: ServerResponse): void
  /** The same for a request that another thread has received. */
  answer(request: PassedRequest): Promise<PassedAnswer>
  close(): Promise<void>
}

/** Who sent a request, once its credential has been looked at. */
type Principals = WeakMap<FastifyRequest, Principal>

/** The whole HTTP door as one request listener. The caller owns the socket. */
export async function createHttpListener(options: HttpOptions): Promise<HttpListener> {
  const { context } = options
  const { config, log } = context
  const app: FastifyInstance = fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustOf(config.NMP_TRUST_PROXY),
    bodyLimit: smallBody.mostBytes,
    routerOptions: { maxParamLength: 1024, ignoreTrailingSlash: false },
    requestIdHeader: false,
    genReqId: (request) => readRequestId(request.headers['x-request-id']),
    frameworkErrors: (error, request, reply) => void sendFailure(error, request, reply),
  })

  const sendFailure = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const failure = describeFailure(error, request.id, log)
    return reply.code(failure.status).headers(failure.headers).header('x-request-id', request.id).send(failure.body)
  }
  app.setErrorHandler(sendFailure)
  app.setNotFoundHandler((request, reply) => sendFailure(notFound(), request, reply))

  for (const method of allMethods) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
  app.removeAllContentTypeParsers()
  const principals: Principals = new WeakMap()
  const bodies = createJsonBodies({
    incoming: context.incoming,
    answerBeside: options.answerBeside,
    personOf: (request) => principals.get(request)?.userId ?? request.ip,
  })
  bodies.addParser(app)

  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none'
    options.meter.count(request.method, route, reply.statusCode, reply.elapsedTime / 1000)
    log.info({ requestId: request.id, method: request.method, route, status: reply.statusCode, ms: reply.elapsedTime })
    done()
  })
  setSecurityHeaders(app, context)
  refuseCompressedBodies(app)
  if (config.NMP_CORS_ORIGINS.length > 0)
    await app.register(cors, {
      origin: config.NMP_CORS_ORIGINS,
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      exposedHeaders: [
        'x-request-id',
        'ratelimit-limit',
        'ratelimit-remaining',
        'ratelimit-reset',
        'retry-after',
        'location',
        'etag',
        'content-range',
        'idempotency-replayed',
      ],
      maxAge: 600,
    })
  if (config.NMP_RATE_LIMIT > 0) await limitRate(app, config.NMP_RATE_LIMIT, context.peers)

  for (const mount of options.mounts) await app.register(mount)
  await app.register(async (api) => registerRoutes(api, options, bodies, principals))
  await app.ready()
  return {
    handle: (request, response) => app.routing(request, response),
    answer: (request) => injectRequest(app, request),
    close: () => app.close(),
  }
}

async function injectRequest(app: FastifyInstance, request: PassedRequest): Promise<PassedAnswer> {
  const { method, url, address, body } = request
  // As it was decoded from the connection: its length is that of what is here.
  const { 'transfer-encoding': _, ...headers } = request.headers
  const answer = await app.inject({
    method: method as 'POST',
    url,
    headers: { ...headers, 'content-length': String(body.byteLength) },
    payload: Buffer.from(body.buffer, body.byteOffset, body.byteLength),
    remoteAddress: address,
  })
  return { status: answer.statusCode, headers: answer.headers, body: answer.rawPayload }
}

async function registerRoutes(
  app: FastifyInstance,
  options: HttpOptions,
  bodies: JsonBodies,
  principals: Principals,
): Promise<void> {
  const checkCredentials = createCredentialCheck(options)
  const methodsByUrl = new Map<string, Set<string>>()
  for (const route of options.routes) {
    const url = route.path.replaceAll(/\{(\w+)\}/g, ':$1')
    const methods = methodsByUrl.get(url) ?? new Set()
    methodsByUrl.set(url, methods.add(route.method))
    if (route.method === 'GET') methods.add('HEAD')
    registerRoute(app, { ...route, url }, options, { bodies, principals, checkCredentials })
  }
  for (const [url, methods] of methodsByUrl) {
    const allow = [...methods].join(', ')
    app.route({
      method: allMethods.filter((method) => !methods.has(method)),
      url,
      // Before the body is looked at: a method that is not for this address is refused as that, whatever it carries.
      onRequest: async (request) => {
        throw methodNotAllowed(request.method, allow)
      },
      handler: () => undefined,
    })
  }
}

interface RouteParts {
  bodies: JsonBodies
  principals: Principals
  checkCredentials: ReturnType<typeof createCredentialCheck>
}

function registerRoute(
  app: FastifyInstance,
  route: AnyRoute & { url: string },
  { context, authorize, checkResponse }: HttpOptions,
  { bodies, principals, checkCredentials }: RouteParts,
): void {
  const validate = compileRequestSchemas(route)
  const check = route.response === 'bytes' ? undefined : checkResponse?.(route.response)
  app.route({
    method: route.method,
    url: route.url,
    exposeHeadRoute: route.method === 'GET',
    config: { needsCredential: needsCredential(route), bodyBounds: route.bodyBounds },
    // After the rate limit, which is an onRequest hook, and before the body is read.
    preParsing: async (request) => {
      const principal = await checkCredentials(route, request)
      if (principal) principals.set(request, principal)
    },
    handler: async (request, reply) => {
      const answered = bodies.answerLarge(request, reply)
      if (answered) return answered
      const principal = principals.get(request)
      const valid = readValid(validate, request)
      route.checkForm?.(valid)
      const grants =
        principal && route.access.kind !== 'anyone'
          ? await authorize(principal, route.access, request.params as Record<string, string>)
          : {}
      const answer = await route.handle(context, {
        caller: principal && { ...principal, requestId: request.id },
        ...grants,
        ...valid,
        client: readClient(request),
        isHead: request.method === 'HEAD',
        signal: abortOnClose(request, reply),
      })
      const { body, status, headers } = answer instanceof Reply ? answer : new Reply(answer)
      reply.code(status ?? route.status ?? 200).headers(headers)
      if (body instanceof Readable || typeof body === 'function' || body === undefined)
        return replyWithBody(reply, body as StreamedBody | undefined)
      check?.(body, `${route.method} ${route.path}`)
      reply.type('application/json; charset=utf-8')
      const text = JSON.stringify(body)
      if (text.length <= stringLength) return reply.send(text)
      if (text.length <= heldFromBytes) return reply.send(Buffer.from(text))
      const held = await holdAnswer(context.outgoing, principal?.userId ?? request.ip, cutBytes(Buffer.from(text)))
      reply.header('content-length', held.sizeBytes)
      return replyWithBody(reply, held.body)
    },
  })
}

/** A longer string would be joined to the headers and encoded together with them: bytes take 50 us less of a list of 48 kB. */
const stringLength = 4096

const trustOf = (proxies: number | string[]) =>
  typeof proxies === 'number' ? (_address: string, hop: number) => hop < proxies : proxies

function readValid(validate: ReturnType<typeof compileRequestSchemas>, request: FastifyRequest) {
  const { ok: _, ...valid } = orThrow(
    validate({
      params: request.params as Record<string, string>,
      query: queryOf(request.url),
      headers: request.headers,
      body: request.body,
      bodyPresent: request.body !== undefined,
    }),
  )
  return valid
}

const queryOf = (url: string): string => {
  const at = url.indexOf('?')
  return at === -1 ? '' : url.slice(at + 1)
}

function orThrow<T extends { ok: true }>(result: T | { ok: false; detail: ValidationIssue[] }): T {
  if (!result.ok) throw new ValidationError(result.detail)
  return result
}

/** A given request id is kept when it is harmless in a log line; otherwise a new one is made. */
const readRequestId = (given: string | string[] | undefined): string =>
  typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID()

const methodNotAllowed = (method: string, allow: string): ServiceError =>
  new ServiceError('method_not_allowed', `${method} is not allowed at this address, which takes ${allow}.`, {
    headers: { allow },
  })
