import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { findObjectOrigin } from '../storage/s3/public-endpoint.ts'

/** The console asks the issuer itself, and the bucket: on plain http (a lab's own) they have to be named, https is open anyway. */
const buildPolicy = (issuer: string | undefined, objects: string | undefined): string => {
  const bucket = isPlain(objects) ? ` ${objects}` : ''
  return [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    `img-src 'self' data: blob: https:${bucket}`,
    `media-src 'self' blob: https:${bucket}`,
    `connect-src 'self' https:${isPlain(issuer) ? ` ${new URL(issuer).origin}` : ''}${bucket}`,
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "form-action 'self'",
  ].join('; ')
}

const isPlain = (address: string | undefined): address is string => address?.startsWith('http:') === true

/**
 * No remote code, no framing, no sniffing, no referrer; HSTS where the public address is https. Constants:
 * @fastify/helmet makes the same headers anew for each request, which costs 20 of 181 us of a list answer.
 */
export function setSecurityHeaders(app: FastifyInstance, { publicUrl, config }: Context): void {
  const { NMP_OIDC_ISSUER: issuer, NMP_CORS_ORIGINS: origins } = config
  const isShared = origins.length > 0
  const headers: Record<string, string> = {
    'content-security-policy': buildPolicy(issuer, findObjectOrigin(config)),
    'cross-origin-opener-policy': 'same-origin',
    // A console on another site that may call the API shows its pictures and videos too.
    'cross-origin-resource-policy': isShared ? 'cross-origin' : 'same-site',
    'origin-agent-cluster': '?1',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  }
  if (publicUrl.startsWith('https:')) headers['strict-transport-security'] = 'max-age=31536000; includeSubDomains'
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers)
    done()
  })
}
