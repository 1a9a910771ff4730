import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Context } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { getSharedSecret } from '../secrets/settings.ts'

/**
 * What the clients use without a credential of their own: an upload link carries its right in itself, and the token of the Xet store
 * names the push it is for.
 */
export interface HubLinks {
  sign(subject: string, expiresAt: number): Promise<string>
  /** Throws when the signature is another's, or its time is over. */
  check(subject: string, expiresAt: number, signature: string): Promise<void>
}

export const linkSeconds = 12 * 3600

export function createHubLinks({ db, secrets }: Context): HubLinks {
  let key: Promise<string> | undefined
  const sign = async (subject: string, expiresAt: number): Promise<string> => {
    key ??= getSharedSecret(db, secrets, 'hub_link_key')
    return createHmac('sha256', await key)
      .update(`${subject}\0${expiresAt}`)
      .digest('base64url')
  }
  return {
    sign,
    async check(subject, expiresAt, signature) {
      const wanted = Buffer.from(await sign(subject, expiresAt))
      const given = Buffer.from(signature)
      const isOurs = wanted.length === given.length && timingSafeEqual(wanted, given)
      if (!isOurs || !(expiresAt * 1000 > Date.now()))
        throw new ServiceError('signature_invalid', 'This link is invalid or has expired. Start the push again.')
    },
  }
}
