import { createHash } from 'node:crypto'
import rateLimit, { type FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Peers } from '../db/peers.ts'
import { ServiceError } from '../errors.ts'
import { createSharedRate } from './shared-rate.ts'

/** Requests a second per credential, or per address without one; of all APIs together. */
export async function limitRate(app: FastifyInstance, perSecond: number, peers: Peers): Promise<void> {
  const rate = createSharedRate(peers)
  await app.register(rateLimit, {
    max: (request) => (isMedia(request) || isHub(request) ? perSecond * manyShare : perSecond),
    timeWindow: 1000,
    // The plugin makes its store with `new`.
    store: function openStore() {
      return rate
    } as unknown as FastifyRateLimitStoreCtor,
    enableDraftSpec: true,
    keyGenerator: bucketOf,
    allowList: (request) => request.url === '/healthz' || request.url === '/readyz' || request.url === '/metrics',
    errorResponseBuilder: (request, { ttl, max }) => {
      const sentence = `More than ${max} requests per second. Slow down.`
      return new ServiceError('too_many_requests', sentence, {
        retryAfterSeconds: Math.max(1, Math.ceil(ttl / 1000)),
        // Where the stock clients of the Hub look for the words.
        ...(isHub(request) ? { headers: { 'x-error-message': sentence } } : {}),
      })
    },
  })
}

/**
 * A page of frames asks for some hundred pictures at once, a loader for every file of a dataset twice: both have budgets of their
 * own and leave the API's alone.
 */
const manyShare = 5
const isMedia = (request: FastifyRequest): boolean => request.url.startsWith('/api/v1/media/')
const isHub = (request: FastifyRequest): boolean => request.url.startsWith('/hf/')

/** Where no credential is needed none is looked at, so a made-up one must not open a bucket of its own. */
const bucketOf = (request: FastifyRequest): string => {
  const { authorization } = request.headers
  const { needsCredential } = request.routeOptions.config as { needsCredential?: boolean }
  if (isMedia(request)) return `media ${request.ip}`
  if (isHub(request)) return `hub ${request.ip}`
  return authorization && needsCredential ? createHash('sha256').update(authorization).digest('base64') : request.ip
}
