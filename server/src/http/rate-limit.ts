import { createHash } from 'node:crypto'
import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../errors.ts'

/**
 * Requests a second per credential, or per address without one. The budget is per process: behind n API processes a client
 * may get up to n times as much, which costs nothing it should not have.
 */
export async function limitRate(app: FastifyInstance, perSecond: number): Promise<void> {
  await app.register(rateLimit, {
    max: (request) => (isMedia(request) || isHub(request) ? perSecond * manyShare : perSecond),
    timeWindow: 1000,
    cache: 20_000,
    enableDraftSpec: true,
    keyGenerator: bucketOf,
    allowList: (request) => request.url === '/healthz' || request.url === '/readyz' || request.url === '/metrics',
    errorResponseBuilder: (request, { ttl, max }) => {
      const sentence = `More than ${max} requests per second. Slow down.`
      return new ServiceError('too_many_requests', sentence, {
        retryAfterSeconds: Math.max(1, ttl / 1000),
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
