import { BoundedMap } from '@nmp/formats/bounded-map'
import type { FastifyRequest } from 'fastify'
import type { Principal } from '../access/principal.ts'
import { ServiceError, unauthenticated } from '../errors.ts'
import type { AnyRoute } from './route.ts'

const bearerForm = /^Bearer +([\x21-\x7e]+)$/i
const longestBearer = 16 * 1024

/** The first two checks of every request: 401, then 403 for a token on a session-only route or without a scope. */
export function createCredentialCheck(authenticate: (bearer: string) => Promise<Principal | undefined>) {
  const failures = createFailureCount(100, 60_000)

  return async (
    route: Pick<AnyRoute, 'credentials'>,
    request: Pick<FastifyRequest, 'headers' | 'ip'>,
  ): Promise<Principal | undefined> => {
    const bearer = readBearer(request.headers.authorization)
    const principal = bearer === undefined ? undefined : await authenticate(bearer)
    // A bad bearer on a public route is answered as none: a stale tab must still see the catalog.
    if (route.credentials === 'none' || route.credentials === 'optional') return principal
    if (!principal) {
      if (bearer !== undefined) failures.refuseAfterTooMany(request.ip)
      throw unauthenticated()
    }
    if (principal.kind === 'session') return principal
    if (route.credentials === 'session')
      throw new ServiceError('session_required', 'A personal access token cannot do this. Sign in and use the session.')
    const missing = route.credentials.filter((scope) => !principal.scopes.includes(scope))
    if (missing.length > 0)
      throw new ServiceError(
        'insufficient_scope',
        `The token lacks the scope ${missing.join(', ')}. Create one that has it.`,
      )
    return principal
  }
}

function readBearer(header: string | undefined): string | undefined {
  if (header === undefined || header.length > longestBearer) return undefined
  return bearerForm.exec(header)?.[1]
}

/** Bad credentials by address: after too many in a window the answer is "later", whatever the credential. Bounded in addresses. */
function createFailureCount(most: number, windowMs: number) {
  const byAddress = new BoundedMap<string, { count: number; since: number }>(10_000)
  return {
    refuseAfterTooMany(address: string): void {
      const now = Date.now()
      const seen = byAddress.get(address)
      const current = seen && now - seen.since < windowMs ? seen : { count: 0, since: now }
      current.count += 1
      byAddress.set(address, current)
      if (current.count > most)
        throw new ServiceError('too_many_requests', 'Too many bad credentials from this address. Wait a minute.', {
          retryAfterSeconds: (current.since + windowMs - now) / 1000,
        })
    },
  }
}
