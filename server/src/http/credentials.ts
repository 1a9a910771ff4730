import { createHash } from 'node:crypto'
import { BoundedMap } from '@nmp/formats/bounded-map'
import type { FastifyRequest } from 'fastify'
import type { Principal } from '../access/principal.ts'
import { ServiceError, unauthenticated } from '../errors.ts'
import type { AnyRoute, RequestClient } from './route.ts'

const bearerForm = /^Bearer +([\x21-\x7e]+)$/i
const longestBearer = 16 * 1024

/**
 * The first two checks of every request: 401, then 403 for a token on a session-only route or without a scope. An address that has sent too many
 * bad credentials is told to wait, and nobody is asked about what else it sends, but for credentials that were good before.
 */
export function createCredentialCheck(
  authenticate: (bearer: string, from: RequestClient) => Promise<Principal | undefined>,
  { isDoor = false } = {},
) {
  const failures = createFailureCount(100, 60_000)
  const good = new BoundedMap<string, true>(10_000)

  return async (
    route: Pick<AnyRoute, 'credentials'>,
    request: Pick<FastifyRequest, 'headers' | 'ip'>,
  ): Promise<Principal | undefined> => {
    const { credentials } = route
    const isOpen = credentials === 'none' || credentials === 'optional'
    const bearer = readBearer(request.headers.authorization)
    const name = bearer && createHash('sha256').update(bearer).digest('base64')
    // A bad bearer on a public route is answered as none: a stale tab must still see the catalog.
    const isTold = isDoor || !isOpen
    if (name && !good.has(name) && failures.isTooMany(request.ip)) {
      if (isTold) throw failures.refusal(request.ip)
      return undefined
    }
    const principal = bearer === undefined ? undefined : await authenticate(bearer, readClient(request))
    if (name && principal) good.set(name, true)
    if (name && !principal) {
      good.delete(name)
      failures.count(request.ip)
    }
    if (isOpen) return principal
    if (!principal) throw unauthenticated()
    if (principal.kind === 'session') return principal
    if (credentials === 'session')
      throw new ServiceError('session_required', 'A personal access token cannot do this. Sign in and use the session.')
    const missing = credentials.filter((scope) => !principal.scopes.includes(scope))
    if (missing.length > 0)
      throw new ServiceError(
        'insufficient_scope',
        `The token lacks the scope ${missing.join(', ')}. Create one that has it.`,
      )
    return principal
  }
}

/** A user agent as one line of what can be printed; it is the client's own claim, and bounded. */
export const readClient = ({ headers, ip }: Pick<FastifyRequest, 'headers' | 'ip'>): RequestClient => ({
  address: ip,
  userAgent: (headers['user-agent'] ?? '').replaceAll(/[^\x20-\x7e]/g, '').slice(0, 200),
})

function readBearer(header: string | undefined): string | undefined {
  if (header === undefined || header.length > longestBearer) return undefined
  return bearerForm.exec(header)?.[1]
}

/** Bad credentials by address: after too many in a window the answer is "later", whatever the credential. Bounded in addresses. */
function createFailureCount(most: number, windowMs: number) {
  const byAddress = new BoundedMap<string, { count: number; since: number }>(10_000)
  const find = (address: string): { count: number; since: number } => {
    const seen = byAddress.get(address)
    return seen && Date.now() - seen.since < windowMs ? seen : { count: 0, since: Date.now() }
  }
  return {
    count(address: string): void {
      const { count, since } = find(address)
      byAddress.set(address, { count: count + 1, since })
    },
    isTooMany: (address: string): boolean => find(address).count >= most,
    refusal: (address: string): ServiceError =>
      new ServiceError('too_many_requests', 'Too many bad credentials from this address. Wait a minute.', {
        retryAfterSeconds: (find(address).since + windowMs - Date.now()) / 1000,
      }),
  }
}
