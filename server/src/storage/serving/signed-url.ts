import { createHmac, timingSafeEqual } from 'node:crypto'
import { ServiceError } from '../../errors.ts'
import { checkKey } from '../keys.ts'
import type { SignedUrl, SignGetOptions, SignPutOptions } from '../storage.ts'

/** Where the HTTP layer serves objects of the folder; the rest of the path is the key in base64url, which no proxy rewrites. */
export const signedObjectPath = '/api/v1/objects/'

const maxExpirySeconds = 7 * 24 * 3600
const parameterNames = ['expires', 'type', 'disposition', 'size', 'signature']

/** What a signature allows: one method on one key until a time, with the headers the answer or the request must have. */
export interface SignedObject {
  method: 'GET' | 'PUT'
  key: string
  expiresAt: Date
  contentType: string | undefined
  disposition: string | undefined
  sizeBytes: number | undefined
}

export const signObject = (
  secrets: { signingKey: string; publicUrl: string },
  method: 'GET' | 'PUT',
  key: string,
  options: SignGetOptions & SignPutOptions,
): SignedUrl => {
  const { expiresInSeconds, contentType, disposition, sizeBytes } = options
  const object: SignedObject = {
    method,
    key: checkKey(key),
    expiresAt: new Date(Math.ceil(Date.now() / 1000 + checkExpiry(expiresInSeconds)) * 1000),
    contentType: checkHeaderValue(contentType),
    disposition: checkHeaderValue(disposition),
    sizeBytes,
  }
  const query = new URLSearchParams({ expires: String(object.expiresAt.getTime() / 1000) })
  if (contentType !== undefined) query.set('type', contentType)
  if (disposition !== undefined) query.set('disposition', disposition)
  if (sizeBytes !== undefined) query.set('size', String(sizeBytes))
  query.set('signature', computeSignature(secrets.signingKey, object).toString('base64url'))
  const path = signedObjectPath + Buffer.from(key).toString('base64url')
  return {
    method,
    url: `${secrets.publicUrl.replace(/\/+$/, '')}${path}?${query}`,
    headers: method === 'PUT' && contentType !== undefined ? { 'content-type': contentType } : {},
    expiresAt: object.expiresAt,
  }
}

/** The same refusal for every cause, so that a guess learns nothing. HEAD is allowed where GET is. */
export const openSignedObject = (signingKey: string, method: string, requestUrl: string): SignedObject => {
  const refusal = new ServiceError('signature_invalid', 'This link is invalid or has expired. Request a new one.')
  const url = URL.parse(requestUrl, 'http://localhost')
  const signed = url && readSignedObject(method === 'HEAD' ? 'GET' : method, url)
  if (!signed) throw refusal
  const expected = computeSignature(signingKey, signed)
  const given = Buffer.from(url.searchParams.get('signature') ?? '', 'base64url')
  if (given.byteLength !== expected.byteLength || !timingSafeEqual(given, expected)) throw refusal
  if (signed.expiresAt.getTime() <= Date.now()) throw refusal
  return signed
}

const readSignedObject = (method: string, url: URL): SignedObject | undefined => {
  const { pathname, searchParams } = url
  if (method !== 'GET' && method !== 'PUT') return undefined
  if (!pathname.startsWith(signedObjectPath)) return undefined
  const names = [...searchParams.keys()]
  if (names.some((name) => !parameterNames.includes(name)) || new Set(names).size !== names.length) return undefined
  const expires = searchParams.get('expires') ?? ''
  const size = searchParams.get('size')
  if (!/^[1-9]\d{0,11}$/.test(expires) || (size !== null && !/^(0|[1-9]\d{0,14})$/.test(size))) return undefined
  const encodedKey = pathname.slice(signedObjectPath.length)
  const key = Buffer.from(encodedKey, 'base64url').toString()
  if (Buffer.from(key).toString('base64url') !== encodedKey) return undefined
  return {
    method,
    key,
    expiresAt: new Date(Number(expires) * 1000),
    contentType: searchParams.get('type') ?? undefined,
    disposition: searchParams.get('disposition') ?? undefined,
    sizeBytes: size === null ? undefined : Number(size),
  }
}

/** JSON keeps the fields apart, whatever they hold; the first word keeps this use of the key apart from others. */
const computeSignature = (signingKey: string, object: SignedObject): Buffer =>
  createHmac('sha256', signingKey)
    .update(
      JSON.stringify([
        'nmp object 1',
        object.method,
        object.key,
        object.expiresAt.getTime(),
        object.contentType ?? null,
        object.disposition ?? null,
        object.sizeBytes ?? null,
      ]),
    )
    .digest()

const checkExpiry = (seconds: number): number => {
  if (seconds >= 1 && seconds <= maxExpirySeconds) return seconds
  throw new ServiceError('internal_error', `A signed URL lives from 1 to ${maxExpirySeconds} seconds, not ${seconds}.`)
}

const checkHeaderValue = (value: string | undefined): string | undefined => {
  if (value === undefined || /^[\t\x20-\x7e]*$/.test(value)) return value
  throw new ServiceError('internal_error', 'A signed header holds a character that HTTP headers cannot carry.')
}
