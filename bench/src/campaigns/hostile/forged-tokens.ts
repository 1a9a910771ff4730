import { createHmac, createPublicKey, generateKeyPairSync, type JsonWebKey, type KeyObject, sign } from 'node:crypto'

/** A JWT taken apart. */
interface Parts {
  header: Record<string, unknown>
  claims: Record<string, unknown>
  signature: string
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const decode = (part: string): Record<string, unknown> => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))

function readToken(token: string): Parts {
  const [header = '', claims = '', signature = ''] = token.split('.')
  return { header: decode(header), claims: decode(claims), signature }
}

const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const ownRsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ownJwk = own.publicKey.export({ format: 'jwk' })

const signWith = (key: KeyObject, header: object, claims: object): string => {
  const text = `${encode(header)}.${encode(claims)}`
  const options = key.asymmetricKeyType === 'ec' ? { key, dsaEncoding: 'ieee-p1363' as const } : key
  return `${text}.${sign('sha256', Buffer.from(text), options).toString('base64url')}`
}
const mac = (secret: string | Buffer, header: object, claims: object): string => {
  const text = `${encode(header)}.${encode(claims)}`
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}

/** What is made of a good session of somebody and the issuer's public key, without the private one. */
export function forgeSessions(good: string, issuerKey: JsonWebKey, otherUser: string): [name: string, token: string][] {
  const { header, claims, signature } = readToken(good)
  const [head = '', body = ''] = good.split('.')
  const pem = createPublicKey({ key: issuerKey, format: 'jwk' }).export({ type: 'spki', format: 'pem' })
  const der = createPublicKey({ key: issuerKey, format: 'jwk' }).export({ type: 'spki', format: 'der' })
  const unsigned = (alg: string): string => `${encode({ ...header, alg })}.${body}.`
  const hmac = { ...header, alg: 'HS256' }
  const keep = (changed: Record<string, unknown>): string => `${head}.${encode({ ...claims, ...changed })}.${signature}`
  const mine = (more: object): string => signWith(own.privateKey, { ...header, ...more }, claims)
  const far = Math.floor(Date.now() / 1000) + 10 ** 9
  return [
    ...['none', 'None', 'NONE', 'nOnE', ''].map((alg): [string, string] => [`alg ${alg || 'empty'}`, unsigned(alg)]),
    ['alg none with the old signature', `${encode({ ...header, alg: 'none' })}.${body}.${signature}`],
    ['HMAC by the public key as PEM', mac(pem, hmac, claims)],
    ['HMAC by the trimmed PEM', mac(String(pem).trim(), hmac, claims)],
    ['HMAC by the public key as DER', mac(der, hmac, claims)],
    ['HMAC by the public key as JWK', mac(JSON.stringify(issuerKey), hmac, claims)],
    ['HMAC by its x', mac(Buffer.from(issuerKey.x ?? '', 'base64url'), hmac, claims)],
    ['HMAC by nothing', mac('', hmac, claims)],
    ['a key of its own', mine({})],
    ['a key of its own, brought along', mine({ jwk: ownJwk })],
    ['a key of its own, brought along without a kid', mine({ jwk: ownJwk, kid: undefined })],
    ['a key of its own under another kid', mine({ kid: 'mine' })],
    ['an address of keys (jku)', mine({ jku: 'https://evil.example/keys', kid: 'mine' })],
    ['an address of a certificate (x5u)', mine({ x5u: 'https://evil.example/x5u' })],
    ['a certificate (x5c)', mine({ x5c: [own.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')] })],
    ['a kid that is a path', mine({ kid: '../../../../dev/null' })],
    ['a kid that is SQL', mine({ kid: "' UNION SELECT 'x' --" })],
    ['a kid that is a list', mine({ kid: ['a'] })],
    ['a kid of a prototype', mine({ kid: '__proto__' })],
    ['a critical extension', mine({ crit: ['exp'] })],
    ['RS256 by a key of its own', signWith(ownRsa.privateKey, { ...header, alg: 'RS256' }, claims)],
    ['another person', keep({ sub: otherUser })],
    ['a later end', keep({ exp: far })],
    ['another audience', keep({ aud: 'nmp-console' })],
    ['another issuer', keep({ iss: 'https://evil.example/oidc' })],
    ['no signature', `${head}.${body}.`],
    ['two parts', `${head}.${body}`],
    ['four parts', `${good}.${signature}`],
    ['five parts, as if encrypted', `${head}.${body}.${signature}.${body}.${signature}`],
    ['a signature of noughts', `${head}.${body}.${Buffer.alloc(64).toString('base64url')}`],
    ['a signature cut by a byte', `${head}.${body}.${signature.slice(0, -2)}`],
    ['a signature with a bit flipped', `${head}.${body}.${flipBit(signature)}`],
    [
      'a signature as DER',
      `${head}.${body}.${Buffer.concat([Buffer.from('3006020100020100', 'hex')]).toString('base64url')}`,
    ],
    ['a body that is no JSON', `${head}.${Buffer.from('{').toString('base64url')}.${signature}`],
    ['a body that is null', `${head}.${encode(null)}.${signature}`],
    ['a header that is a list', `${encode([])}.${body}.${signature}`],
    ['a body of fifteen kilobytes', `${head}.${encode({ ...claims, x: 'x'.repeat(11_000) })}.${signature}`],
    ['dots', '..'],
  ]
}

const flipBit = (signature: string): string => {
  const bytes = Buffer.from(signature, 'base64url')
  bytes[5] = (bytes[5] ?? 0) ^ 1
  return bytes.toString('base64url')
}

const swapCase = (text: string): string =>
  text.replace(/[a-z]/i, (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()))

/** What is made of a personal access token. */
export const forgeAccessTokens = (good: string): [name: string, token: string][] => [
  ['a token without its last letter', good.slice(0, -1)],
  ['a token with a letter more', `${good}A`],
  ['a token with another letter', `${good.slice(0, -1)}${good.endsWith('A') ? 'B' : 'A'}`],
  ['a token in other letters', good.slice(0, 8) + swapCase(good.slice(8))],
  ['its first letters', good.slice(0, 12)],
  ['a token of its form', `${good.slice(0, 4)}${'A'.repeat(good.length - 4)}`],
  ['a token twice', good + good],
  ['a pattern', `${good.slice(0, 10)}%`],
  ['SQL', "nmp_'OR'1'='1"],
  ['its hash', Buffer.from(good).toString('hex')],
]
