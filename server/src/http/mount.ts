import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { passHeaders } from './bodies/send-body.ts'

/** What the HTTP layer has found out about a request before it hands it on. */
export interface MountedRequest {
  /** The client's address, read through trusted proxies only. */
  address: string
  requestId: string
}

/** A plain node listener that answers everything under its prefixes by itself. */
export type MountedListener = (request: IncomingMessage, response: ServerResponse, mounted: MountedRequest) => void

/**
 * Hands whole requests to a listener that is not ours to route: bodies stay unread, and the headers that hooks set
 * (security, rate limit, request id) are copied to the raw response, where the listener may replace them.
 */
export const mountListener =
  (prefixes: readonly string[], listener: MountedListener) =>
  async (app: FastifyInstance): Promise<void> => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, _payload, done) => done(null))
    const handler = (request: FastifyRequest, reply: FastifyReply): void => {
      passHeaders(reply)
      reply.hijack()
      listener(request.raw, reply.raw, { address: request.ip, requestId: request.id })
    }
    for (const prefix of prefixes) {
      app.all(prefix, handler)
      app.all(`${prefix}/*`, handler)
    }
  }
