import { createHash } from 'node:crypto'
import { BoundedMap } from '@nmp/formats/bounded-map'
import type { FastifyRequest } from 'fastify'
import type { Principal } from '../access/principal.ts'
import { ServiceError, unauthenticated } from '../errors.ts'
import type { AnyRoute, RequestClient } from './route.ts'

const bearerForm = /^Bearer +([\x21-\x7e]+)$/i
const longestBearer = 16 * 1024

export interface CredentialSource {
  /** Undefined for what nobody has. */
  authenticate(bearer: string, from: RequestClient): Promise<Principal | undefined>
  /** Counts one that nobody has, for all processes together. Seconds to wait where its address has sent too many. */
  countBadCredential(address: string): Promise<number | undefined>
}

/**
 * The first two checks of every request: 401, then 403 for a token on a session-only route or without a scope. An address that has sent too many
 * bad credentials is told to wait, and nobody is asked about what else it sends, but for credentials that were good before.
 */
export function createCredentialCheck({ authenticate, countBadCredential }: CredentialSource, { isDoor = false } = {}) {
  const waiting = createWaitingAddresses()
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
    const wait = name && !good.has(name) ? waiting.find(request.ip) : undefined
    if (wait !== undefined) {
      if (isTold) throw tooManyBad(wait)
      return undefined
    }
    const principal = bearer === undefined ? undefined : await authenticate(bearer, readClient(request))
    if (name && principal) good.set(name, true)
    if (name && !principal) {
      good.delete(name)
      const seconds = await countBadCredential(request.ip)
      if (seconds !== undefined) {
        waiting.add(request.ip, seconds)
        if (isTold) throw tooManyBad(seconds)
      }
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

const tooManyBad = (seconds: number): ServiceError =>
  new ServiceError('too_many_requests', 'Too many bad credentials from this address. Wait a minute.', {
    retryAfterSeconds: seconds,
  })

/** Addresses that this process knows to have sent too many, so that nobody is asked about what else they send. */
function createWaitingAddresses() {
  const until = new BoundedMap<string, number>(10_000)
  return {
    add: (address: string, seconds: number): void => void until.set(address, Date.now() + seconds * 1000),
    /** Seconds that are left. */
    find(address: string): number | undefined {
      const left = (until.get(address) ?? 0) - Date.now()
      return left > 0 ? left / 1000 : undefined
    },
  }
}
