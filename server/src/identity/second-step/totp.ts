import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const stepSeconds = 30
/** A clock may be half a minute off, and a person half a minute slow. */
const leewaySteps = 1

/** 160 random bits, as RFC 4226 asks for. */
export const createTotpSecret = (): Buffer => randomBytes(20)

/** RFC 4648, without padding: what apps take as text. */
export function encodeBase32(bytes: Uint8Array): string {
  let bits = ''
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}

/** RFC 6238 with SHA-1, six digits and half minutes: what every app understands. */
export function computeTotp(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', secret).update(counter).digest()
  const offset = (digest.at(-1) ?? 0) & 0xf
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

/** The half minute that a code is of, or undefined where it is none of now. */
export function findTotpStep(secret: Uint8Array, code: string, nowMs = Date.now()): number | undefined {
  const now = Math.floor(nowMs / 1000 / stepSeconds)
  let found: number | undefined
  for (let step = now - leewaySteps; step <= now + leewaySteps; step += 1)
    if (isEqual(computeTotp(secret, step), code)) found = step
  return found
}

const isEqual = (left: string, right: string): boolean =>
  left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right))

/** What an app opens, or reads from a picture. */
export const nameTotp = (secret: Uint8Array, email: string, host: string): string =>
  `otpauth://totp/${encodeURIComponent(`nmp ${host}:${email}`)}?${new URLSearchParams({ secret: encodeBase32(secret), issuer: `nmp ${host}` })}`
