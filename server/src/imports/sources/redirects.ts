import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { ServiceError } from '../../errors.ts'
import type { SourceDoor } from './source-door.ts'

const maxRedirects = 5
const redirectStatuses = new Set([301, 302, 303, 307, 308])
/** A body of this size is read away so that the connection can be used again; a larger one is cut. */
const smallBodyBytes = 64 * 1024

/** A secret that may go to one origin and no other. */
interface Credential {
  origin: string
  authorization: string
}

export interface Answer {
  response: IncomingMessage
  /** The head of the first answer: a hub describes the file there and only then sends to the storage that holds it. */
  firstHeaders: IncomingHttpHeaders
  /** Where the last hop led. */
  address: URL
}

interface FollowOptions {
  headers?: Record<string, string>
  credential?: Credential | undefined
  signal: AbortSignal
}

/** GET with redirects followed by hand: each hop passes the door anew, and the credential stays with its origin. */
export const followRedirects = async (
  door: SourceDoor,
  start: URL,
  { headers = {}, credential, signal }: FollowOptions,
): Promise<Answer> => {
  let address = start
  let firstHeaders: IncomingHttpHeaders | undefined
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const secret = credential?.origin === address.origin ? { authorization: credential.authorization } : {}
    const response = await door.get(address, { headers: { ...headers, ...secret }, signal })
    firstHeaders ??= response.headers
    const { location } = response.headers
    if (!redirectStatuses.has(response.statusCode ?? 0) || location === undefined)
      return { response, firstHeaders, address }
    discardBody(response)
    const next = URL.parse(location, address.href)
    if (!next)
      throw new ServiceError('source_invalid', `${address.hostname} redirects to something that is not an address.`)
    address = next
  }
  throw new ServiceError('source_invalid', `${start.hostname} redirects more than ${maxRedirects} times.`)
}

const discardBody = (response: IncomingMessage): void => {
  if (Number(response.headers['content-length'] ?? Number.NaN) <= smallBodyBytes) response.resume()
  else response.destroy()
}
