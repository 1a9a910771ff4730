import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ServiceError } from '../../errors.ts'

const largestForm = 16 * 1024

/** Tells our own forms from those of other sites: by where the browser says they stand, and by a token only our page has. */
export interface FormGuard {
  /** The token for the forms of a page; sets the cookie it belongs to where there is none. */
  issueToken(request: IncomingMessage, response: ServerResponse): string
  /** The fields of a form of ours, or undefined for any other. */
  readForm(request: IncomingMessage): Promise<URLSearchParams | undefined>
  /** Whether the browser says that the form stands on a page of ours. */
  isSameOrigin(request: IncomingMessage): boolean
  /** What an authenticator of this browser is to sign, within ten minutes; nothing is stored for it. */
  issueChallenge(request: IncomingMessage, response: ServerResponse, purpose: string): Uint8Array<ArrayBuffer>
  /** When a challenge ends that this browser was given for this purpose; undefined for any other. */
  findChallengeEnd(request: IncomingMessage, purpose: string, challenge: string): Date | undefined
}

const challengeMs = 10 * 60_000
const nonceBytes = 22

export function createFormGuard(publicUrl: string, cookieKeys: readonly [string, ...string[]]): FormGuard {
  const { origin, protocol } = new URL(publicUrl)
  const https = protocol === 'https:'
  const cookieName = https ? '__Host-nmp_form' : 'nmp_form'
  const sign = (seed: string, key: string): string =>
    createHmac('sha256', key).update(`form:${seed}`).digest('base64url')

  const isSameOrigin = ({ headers }: IncomingMessage): boolean =>
    headers.origin === undefined ? headers['sec-fetch-site'] === 'same-origin' : headers.origin === origin

  const fresh = new WeakMap<IncomingMessage, string>()
  /** The browser's own, by its cookie, which it gets with this answer where it has none. */
  const seedOf = (request: IncomingMessage, response: ServerResponse): string => {
    const known = readCookie(request, cookieName) ?? fresh.get(request)
    if (known) return known
    const seed = randomBytes(18).toString('base64url')
    fresh.set(request, seed)
    response.appendHeader(
      'set-cookie',
      `${cookieName}=${seed}; Path=/; HttpOnly; SameSite=Lax${https ? '; Secure' : ''}`,
    )
    return seed
  }
  const signChallenge = (nonce: Uint8Array, seed: string, purpose: string, key: string): Buffer =>
    createHmac('sha256', key).update(`challenge:${seed}:${purpose}:`).update(nonce).digest()

  return {
    isSameOrigin,
    issueToken: (request, response) => sign(seedOf(request, response), cookieKeys[0]),
    issueChallenge(request, response, purpose) {
      const nonce = randomBytes(nonceBytes)
      nonce.writeUIntBE(Date.now() + challengeMs, 0, 6)
      return Uint8Array.from([...nonce, ...signChallenge(nonce, seedOf(request, response), purpose, cookieKeys[0])])
    },
    findChallengeEnd(request, purpose, challenge) {
      const bytes = Buffer.from(challenge, 'base64url')
      const seed = readCookie(request, cookieName)
      if (!seed || bytes.length !== nonceBytes + 32) return undefined
      const nonce = bytes.subarray(0, nonceBytes)
      const given = bytes.subarray(nonceBytes)
      const isOurs = cookieKeys.some((key) => timingSafeEqual(signChallenge(nonce, seed, purpose, key), given))
      const end = new Date(nonce.readUIntBE(0, 6))
      return isOurs && end.getTime() > Date.now() ? end : undefined
    },
    async readForm(request) {
      const form = await readBody(request)
      const seed = readCookie(request, cookieName)
      const token = form.get('form_token')
      if (!isSameOrigin(request) || !seed || !token) return undefined
      return cookieKeys.some((key) => isEqual(sign(seed, key), token)) ? form : undefined
    },
  }
}

const isEqual = (left: string, right: string): boolean =>
  left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right))

/** `undefined` also for a value that we would not have made. */
export function readCookie({ headers }: IncomingMessage, name: string): string | undefined {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [key, value] = pair.trim().split('=')
    if (key === name && value && /^[\w-]{24}$/.test(value)) return value
  }
  return undefined
}

async function readBody(request: IncomingMessage): Promise<URLSearchParams> {
  if (!/^application\/x-www-form-urlencoded(;|$)/i.test(request.headers['content-type'] ?? ''))
    throw new ServiceError('unsupported_media_type', 'Send the form as application/x-www-form-urlencoded.')
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length
    if (sizeBytes > largestForm) throw new ServiceError('body_too_large', 'The form is larger than 16 KiB.')
    chunks.push(chunk)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
}
