import { type LookupAddress, lookup as resolveName } from 'node:dns'
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { programVersion } from '../../config.ts'
import { ServiceError } from '../../errors.ts'
import { isPublicAddress } from './public-address.ts'
import type { TransferLimits } from './transfer-limits.ts'

interface DoorRequest {
  headers: Record<string, string>
  signal: AbortSignal
}

/** The only way out to a source: each connection is checked by the address it is really made to. */
export interface SourceDoor {
  /** One request, no redirect followed. The answer's head is here, its body is the caller's to read or destroy. */
  get(address: URL, request: DoorRequest): Promise<IncomingMessage>
}

const refuse = (sentence: string): ServiceError => new ServiceError('source_not_allowed', sentence)

const portOf = (address: URL): string => address.port || (address.protocol === 'https:' ? '443' : '80')
const hostOf = (address: URL): string => address.hostname.replace(/\.$/, '')
const hostPortOf = (address: URL): string => `${hostOf(address)}:${portOf(address)}`

/** What can be refused before any packet is sent. The sentence names the host and never the rest of the address. */
export const requireAllowedAddress = (text: string | URL, allow: readonly string[]): URL => {
  const address = URL.parse(String(text))
  if (!address) throw refuse('The source is not an address. Give one that starts with https://.')
  if (address.username !== '' || address.password !== '')
    throw refuse('The address contains a user name or password. Give one without them.')
  if (address.protocol !== 'https:' && address.protocol !== 'http:')
    throw refuse(`Sources are fetched over https, not over ${address.protocol.slice(0, 20)}`)
  const hostPort = hostPortOf(address)
  if (allow.includes(hostPort)) return address
  const remedy = `An operator can allow ${hostPort} in NMP_SOURCE_ALLOW.`
  if (address.protocol !== 'https:') throw refuse(`${hostPort} would be fetched over plain http. Use https. ${remedy}`)
  if (portOf(address) !== '443') throw refuse(`${hostPort} is not on the port of https, 443. ${remedy}`)
  const host = hostOf(address)
  const literal = host.startsWith('[') ? host.slice(1, -1) : host
  const isPrivate = isIP(literal) ? !isPublicAddress(literal) : /^(.*\.)?(localhost|internal|local)$/.test(host)
  if (isPrivate) throw refuse(`${host} is an address inside a private network. ${remedy}`)
  return address
}

/** Resolves a name and refuses it when any of its addresses is not public: between two answers an attacker may choose. */
const lookUpPublic: LookupFunction = (host, options, done) => {
  resolveName(host, { ...options, all: true }, (error, found: LookupAddress[]) => {
    const first = found?.[0]
    if (error || !first) return done(error ?? new Error('no address'), [])
    if (!found.every(({ address }) => isPublicAddress(address)))
      return done(
        refuse(`${host} leads to an address inside a private network, where sources are not fetched from.`),
        [],
      )
    if (options.all) done(null, found)
    else done(null, first.address, first.family)
  })
}

export const openSourceDoor = (allow: readonly string[], limits: TransferLimits): SourceDoor => {
  // Agents of its own: no proxy from the environment, and no connection shared with a door that allows other places.
  const agents = {
    'http:': new HttpAgent({ keepAlive: true, maxSockets: 16, timeout: limits.idleMs * 2 }),
    'https:': new HttpsAgent({ keepAlive: true, maxSockets: 16, timeout: limits.idleMs * 2 }),
  }

  const send = (address: URL, { headers, signal }: DoorRequest): Promise<IncomingMessage> => {
    const isSecure = address.protocol === 'https:'
    const options: RequestOptions = {
      agent: isSecure ? agents['https:'] : agents['http:'],
      signal,
      maxHeaderSize: 64 * 1024,
      headers: { 'user-agent': `nmp/${programVersion}`, 'accept-encoding': 'identity', ...headers },
      ...(allow.includes(hostPortOf(address)) ? {} : { lookup: lookUpPublic }),
    }
    return new Promise((resolve, reject) => {
      const request = isSecure ? httpsRequest(address, options) : httpRequest(address, options)
      const giveUp = (sentence: string): void => {
        request.destroy(new ServiceError('source_unavailable', sentence))
      }
      const host = hostOf(address)
      let timer = setTimeout(giveUp, limits.connectMs, `${host} could not be reached in time.`)
      const awaitAnswer = (): void => {
        clearTimeout(timer)
        timer = setTimeout(giveUp, limits.idleMs, `${host} accepted the request but did not answer in time.`)
      }
      request.on('socket', (socket: Socket) => {
        if (socket.connecting) socket.once(isSecure ? 'secureConnect' : 'connect', awaitAnswer)
        else awaitAnswer()
      })
      request.on('response', (response) => {
        clearTimeout(timer)
        response.on('error', () => {})
        resolve(response)
      })
      request.on('error', (error) => {
        clearTimeout(timer)
        reject(explainNetworkError(error, host, signal))
      })
      request.end()
    })
  }

  return {
    get: async (address, request) => {
      request.signal.throwIfAborted()
      return send(requireAllowedAddress(address, allow), request)
    },
  }
}

const networkReasons: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was cut',
  ETIMEDOUT: 'the connection timed out',
  ENOTFOUND: 'there is no such host name',
  EAI_AGAIN: 'its name could not be looked up',
  EHOSTUNREACH: 'it cannot be reached',
  ENETUNREACH: 'it cannot be reached',
  EPIPE: 'the connection was cut',
}

/** Words of ours: an error text of the other side, or of a library, may hold anything. */
export const explainNetworkError = (error: unknown, host: string, signal: AbortSignal): unknown => {
  if (signal.aborted) return signal.reason
  if (error instanceof ServiceError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const reason =
    networkReasons[code] ??
    (/CERT|SSL|TLS|SIGNED/.test(code) ? `its certificate is not valid (${code})` : 'the connection failed')
  return new ServiceError('source_unavailable', `${host} could not be read: ${reason}.`, { cause: error })
}
