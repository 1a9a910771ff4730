import { createHash, randomUUID } from 'node:crypto'
import { BoundedMap } from '@nmp/formats/bounded-map'
import { decodeJwt, errors, importJWK, type JWTPayload, type JWTVerifyOptions, jwtVerify, SignJWT } from 'jose'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { findSetting, storeSetting } from '../db/settings.ts'
import { ServiceError } from '../errors.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { cliClientId, operatorClientId } from './client-ids.ts'
import { createKeySource, type KeySet, type KeySource } from './key-source.ts'
import { deleteGrant } from './provider/repository.ts'
import { createRemoteIssuer, type RemoteIssuer } from './remote-issuer.ts'
import { findSessionStanding, insertRevokedSession } from './repository.ts'
import { getSigningKeys, longestSessionMinutes, toPublicKeys } from './signing-keys.ts'

export interface SessionClaims {
  /** `local` for this program's own issuer, so that a changed public URL loses nobody; otherwise the issuer's name. */
  issuer: string
  /** The user id where the issuer is `local`. */
  subject: string
  email?: string
  emailVerified: boolean
  name?: string
  sessionId: string
  /** Whether the issuer has named the session; otherwise each token is one of its own. */
  isNamed: boolean
  /** Whether the issuer says that the person has proven themselves by more than one thing. */
  hasSecondProof: boolean
  clientId?: string
  issuedAt: Date
  expiresAt: Date
}

export interface SessionVerifier {
  /**
   * Who a session token speaks for, or undefined: forged, expired, meant for someone else, or ended. Throws `not_ready`
   * while an external issuer was never reached.
   */
  verify(jwt: string): Promise<SessionClaims | undefined>
}

/** The audience of tokens that this program itself signs. */
export const apiAudience = 'urn:nmp:api'

export const ownIssuer = (publicUrl: string): string => `${publicUrl}/oidc`

const leewaySeconds = 30
const asymmetric = [
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
]
const accessTokenTypes = new Set([undefined, 'jwt', 'at+jwt', 'application/at+jwt'])
const mostCachedTokens = 10_000
const userinfoPauseMs = 30_000
const revocationHours = 24

interface Verified {
  claims: SessionClaims
  source: KeySource
  keysVersion: string
  /** Set when the issuer did not answer who this is: asked again after it. */
  askAgainAt?: number
}

interface VerifierOptions {
  db: Database
  secrets: Secrets
  publicUrl: string
  config: Pick<
    Config,
    'NMP_OIDC_ISSUER' | 'NMP_OIDC_AUDIENCE' | 'NMP_OIDC_CLIENT_ID' | 'NMP_OIDC_MFA_ACR' | 'NMP_ADMIN_SESSIONS'
  >
  /** How soon an unknown key id may lead to a second look, and how old keys may get. Shorter in tests only. */
  keyTimes?: { cooldownMs: number; maxAgeMs: number }
}

export function createSessionVerifier({ db, secrets, publicUrl, config, keyTimes }: VerifierOptions): SessionVerifier {
  const ownKeys = createKeySource(
    async () => toPublicKeys(await getSigningKeys(db, secrets)),
    // One query: an unknown key may ask for it twice a second, so that sessions signed right after a rotation are taken.
    keyTimes ?? { cooldownMs: 500, maxAgeMs: 30_000 },
  )
  const external = config.NMP_OIDC_ISSUER
    ? createRemoteIssuer(
        config.NMP_OIDC_ISSUER,
        {
          load: () => findSetting(db, 'external_issuer'),
          store: (value) => storeSetting(db, 'external_issuer', value),
        },
        keyTimes,
      )
    : undefined
  const cache = new BoundedMap<string, Verified>(mostCachedTokens)

  const verifyAnew = async (jwt: string): Promise<Verified | undefined> => {
    const issuer = readIssuer(jwt)
    if (issuer === undefined) return undefined
    if (issuer === ownIssuer(publicUrl)) {
      if (external && !config.NMP_ADMIN_SESSIONS) return undefined
      return verifyOwn(ownKeys, jwt, issuer, external !== undefined)
    }
    if (!external || issuer.replace(/\/$/, '') !== config.NMP_OIDC_ISSUER) return undefined
    return verifyExternal(external, jwt, config)
  }

  return {
    async verify(jwt) {
      const digest = createHash('sha256').update(jwt).digest('base64')
      const verified = (await findCached(cache, digest)) ?? (await verifyAnew(jwt))
      if (!verified) return undefined
      cache.set(digest, verified)
      const { claims } = verified
      const { isRevoked, validAfterSeconds } = await findSessionStanding(db, claims)
      return isRevoked || claims.issuedAt.getTime() / 1000 < validAfterSeconds ? undefined : claims
    },
  }
}

/**
 * Ends one session from the next request on: its tokens, its refresh token and, for a browser, its sign-in cookie. Takes
 * part in the caller's transaction.
 */
export async function revokeSession(db: Database, sessionId: string, expiresAt: Date): Promise<void> {
  await deleteGrant(db, sessionId)
  // Other tokens of the same session may have been signed later than the one whose expiry this is.
  const until = Math.max(expiresAt.getTime(), Date.now() + revocationHours * 3_600_000)
  await insertRevokedSession(db, sessionId, new Date(until))
}

interface OperatorSession {
  db: Database
  secrets: Secrets
  publicUrl: string
  userId: string
  email: string
  minutes: number
}

/** A session that the operator of this machine makes for a person, signed with the program's own key. */
export async function signOperatorSession(session: OperatorSession): Promise<string> {
  const { db, secrets, publicUrl, userId, email, minutes } = session
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > longestSessionMinutes)
    throw new Error(`A session lives 1 to ${longestSessionMinutes} whole minutes, not ${minutes}.`)
  const [key] = await getSigningKeys(db, secrets)
  const now = Math.floor(Date.now() / 1000)
  const claims = { email, email_verified: true, sid: `op-${randomUUID()}`, client_id: operatorClientId }
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key.kid })
    .setIssuer(ownIssuer(publicUrl))
    .setAudience(apiAudience)
    .setSubject(userId)
    .setJti(randomUUID())
    .setIssuedAt(now)
    .setExpirationTime(now + minutes * 60)
    .sign(await importJWK(key, 'ES256'))
}

async function verifyOwn(
  source: KeySource,
  jwt: string,
  issuer: string,
  operatorOnly: boolean,
): Promise<Verified | undefined> {
  const checked = await checkSignature(source, jwt, { issuer, audience: apiAudience, typ: 'at+jwt' })
  if (!checked || typeof checked.payload.aud !== 'string') return undefined
  if (operatorOnly && checked.payload.client_id !== operatorClientId) return undefined
  const claims = readClaims('local', checked.payload, jwt)
  // Who can make such a session has the machine, and with it everything.
  const hasSecondProof = claims.hasSecondProof || claims.clientId === operatorClientId
  return { claims: { ...claims, hasSecondProof }, source, keysVersion: checked.keys.version }
}

async function verifyExternal(
  issuer: RemoteIssuer,
  jwt: string,
  config: VerifierOptions['config'],
): Promise<Verified | undefined> {
  const metadata = await issuer.getMetadata().catch((cause: unknown) => {
    throw new ServiceError('not_ready', 'The identity provider cannot be reached right now. Try again in a moment.', {
      cause,
      retryAfterSeconds: 10,
    })
  })
  const checked = await checkSignature(issuer.keys, jwt, {
    issuer: metadata.issuer,
    audience: config.NMP_OIDC_AUDIENCE,
  })
  if (!checked || !accessTokenTypes.has(checked.typ?.toLowerCase())) return undefined
  if (!isMeantForUs(checked.payload, config.NMP_OIDC_CLIENT_ID)) return undefined
  const { acr } = checked.payload
  const plain = readClaims(metadata.issuer, checked.payload, jwt)
  const isByAcr = typeof acr === 'string' && config.NMP_OIDC_MFA_ACR.includes(acr)
  const claims = { ...plain, hasSecondProof: plain.hasSecondProof || isByAcr }
  const verified = { claims, source: issuer.keys, keysVersion: checked.keys.version }
  if (claims.email !== undefined) return verified
  const info = await issuer.findUserinfo(jwt)
  if (!info) return { ...verified, askAgainAt: Date.now() + userinfoPauseMs }
  return info.sub === claims.subject ? { ...verified, claims: { ...claims, ...readPerson(info) } } : verified
}

/** A token for several audiences must have been asked for by a client of ours, or another service could pass it on. */
function isMeantForUs({ aud, azp, client_id: clientId }: JWTPayload, ourClientId: string): boolean {
  if (typeof aud === 'string' || aud?.length === 1) return true
  const client = azp ?? clientId
  return client === ourClientId || client === cliClientId
}

async function checkSignature(
  source: KeySource,
  jwt: string,
  expected: JWTVerifyOptions,
): Promise<{ payload: JWTPayload; typ: string | undefined; keys: KeySet } | undefined> {
  const check = async (keys: KeySet) => {
    const { payload, protectedHeader } = await jwtVerify(jwt, keys.resolve, {
      ...expected,
      algorithms: asymmetric,
      clockTolerance: leewaySeconds,
      requiredClaims: ['sub', 'iat', 'exp'],
    })
    const isFromTheFuture = (payload.iat ?? 0) > Date.now() / 1000 + leewaySeconds
    // Bound to a key of its holder (`cnf`), which a plain bearer does not prove.
    const isBound = payload.cnf !== undefined
    if (isFromTheFuture || isBound || typeof payload.sub !== 'string' || !payload.sub) return undefined
    return { payload, typ: protectedHeader.typ, keys }
  }
  const keys = await source.get()
  try {
    return await check(keys)
  } catch (error) {
    if (!(error instanceof errors.JWKSNoMatchingKey)) return undefined
  }
  const newer = await source.refetch()
  return newer.version === keys.version ? undefined : check(newer).catch(() => undefined)
}

function readIssuer(jwt: string): string | undefined {
  try {
    return decodeJwt(jwt).iss
  } catch {
    return undefined
  }
}

const readClaims = (issuer: string, payload: JWTPayload, jwt: string): SessionClaims => ({
  issuer,
  subject: String(payload.sub),
  ...readPerson(payload),
  sessionId: readSessionId(payload, jwt),
  hasSecondProof: Array.isArray(payload.amr) && payload.amr.includes('mfa'),
  isNamed: typeof payload.sid === 'string' && payload.sid !== '',
  ...readClientId(payload),
  issuedAt: new Date((payload.iat ?? 0) * 1000),
  expiresAt: new Date((payload.exp ?? 0) * 1000),
})

const readClientId = ({ azp, client_id: clientId }: JWTPayload): { clientId?: string } => {
  const client = clientId ?? azp
  return typeof client === 'string' ? { clientId: client } : {}
}

/** Issuers that name no session give one per token. */
const readSessionId = ({ sid, jti }: JWTPayload, jwt: string): string =>
  typeof sid === 'string' && sid ? sid : (jti ?? createHash('sha256').update(jwt).digest('base64url'))

function readPerson(claims: Record<string, unknown>): Pick<SessionClaims, 'email' | 'emailVerified' | 'name'> {
  const written = typeof claims.email === 'string' ? claims.email.trim() : ''
  const email = written.toLowerCase()
  const isVerified = claims.email_verified === true || claims.email_verified === 'true'
  return {
    ...(email ? { email } : {}),
    emailVerified: email !== '' && isVerified && !isLookalike(written),
    ...(typeof claims.name === 'string' && claims.name ? { name: claims.name } : {}),
  }
}

/** In small letters the sign for Kelvin is a plain k: what the issuer vouches for is another mailbox than the one of that name here. */
const isLookalike = (email: string): boolean =>
  [...email].some((letter) => letter > '\x7f' && /[a-z]/.test(letter.toLowerCase()))

async function findCached(cache: Map<string, Verified>, digest: string): Promise<Verified | undefined> {
  const found = cache.get(digest)
  if (!found) return undefined
  cache.delete(digest)
  const endsAt = Math.min(
    found.claims.expiresAt.getTime() + leewaySeconds * 1000,
    found.askAgainAt ?? Number.POSITIVE_INFINITY,
  )
  return endsAt <= Date.now() || (await found.source.get()).version !== found.keysVersion ? undefined : found
}
