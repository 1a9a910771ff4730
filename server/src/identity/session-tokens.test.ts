import { createHmac } from 'node:crypto'
import {
  type CryptoKey,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { testSecretKey } from '../../test/secret-key.ts'
import { addPerson, type SignInProgram, startSignInProgram } from '../../test/sign-in-program.ts'
import { openSecrets } from '../secrets/secrets.ts'
import { endSessions } from './provider/repository.ts'
import { createSessionVerifier, revokeSession, signOperatorSession } from './sessions.ts'
import { getSigningKeys, rotateSigningKeys, type SigningKey } from './signing-keys.ts'

const email = 'grace@example.com'
let database: TestDatabase
let program: SignInProgram
let userId: string
let key: SigningKey

beforeAll(async () => {
  database = await createTestDatabase()
  program = await startSignInProgram(database.db)
  userId = await addPerson(database.db, email)
  key = (await getSigningKeys(database.db, program.context.secrets))[0]
})
afterAll(async () => {
  await program?.stop()
  await database?.close()
})

const now = () => Math.floor(Date.now() / 1000)
const goodClaims = (): JWTPayload => ({
  iss: `${program.origin}/oidc`,
  aud: 'urn:nmp:api',
  sub: userId,
  iat: now(),
  exp: now() + 600,
  sid: 'test-session',
})
const sign = async (claims: JWTPayload, header: Record<string, unknown> = {}, jwk: JWK = key): Promise<string> =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key.kid, ...header })
    .sign(await importJWK(jwk, 'ES256'))
const statusOf = async (bearer: string): Promise<number> => (await program.askWho(bearer)).status
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const signAsOperator = (): Promise<string> =>
  signOperatorSession({
    db: database.db,
    secrets: program.context.secrets,
    publicUrl: program.origin,
    userId,
    email,
    minutes: 5,
  })

describe('a session token', () => {
  it('is taken when all of it is right', async () => {
    expect(await statusOf(await sign(goodClaims()))).toBe(200)
    const operator = await signAsOperator()
    expect(await program.askWho(operator)).toEqual({ status: 200, email })
  })

  it('is taken within 30 seconds of leeway, and not beyond', async () => {
    expect(await statusOf(await sign({ ...goodClaims(), exp: now() - 5 }))).toBe(200)
    expect(await statusOf(await sign({ ...goodClaims(), exp: now() - 61 }))).toBe(401)
    expect(await statusOf(await sign({ ...goodClaims(), nbf: now() + 5 }))).toBe(200)
    expect(await statusOf(await sign({ ...goodClaims(), nbf: now() + 61 }))).toBe(401)
    expect(await statusOf(await sign({ ...goodClaims(), iat: now() + 61 }))).toBe(401)
  })

  it.each<[string, (claims: JWTPayload) => JWTPayload]>([
    ['another issuer', (claims) => ({ ...claims, iss: 'https://evil.example/oidc' })],
    ['a similar issuer', (claims) => ({ ...claims, iss: `${claims.iss}/` })],
    ['no issuer', ({ iss: _, ...claims }) => claims],
    ['another audience', (claims) => ({ ...claims, aud: 'nmp-console' })],
    ['further audiences', (claims) => ({ ...claims, aud: ['urn:nmp:api', 'urn:other'] })],
    ['no audience', ({ aud: _, ...claims }) => claims],
    ['no expiry', ({ exp: _, ...claims }) => claims],
    ['no time of issue', ({ iat: _, ...claims }) => claims],
    ['no subject', ({ sub: _, ...claims }) => claims],
    ['a key it is bound to', (claims) => ({ ...claims, cnf: { jkt: 'thumbprint' } })],
    ['an unknown subject', (claims) => ({ ...claims, sub: 'usr_00000000000000000000000000000000' })],
  ])('is refused with %s', async (_name, change) => {
    expect(await statusOf(await sign(change(goodClaims())))).toBe(401)
  })

  it('is refused as an ID token, or with an unknown type', async () => {
    expect(await statusOf(await sign(goodClaims(), { typ: 'JWT' }))).toBe(401)
    expect(await statusOf(await sign(goodClaims(), { typ: 'logout+jwt' }))).toBe(401)
  })

  it('is refused when unsigned, in every spelling of none', async () => {
    expect(await statusOf(new UnsecuredJWT(goodClaims()).encode())).toBe(401)
    for (const alg of ['none', 'None', 'NONE'])
      expect(await statusOf(`${encode({ alg, typ: 'at+jwt', kid: key.kid })}.${encode(goodClaims())}.`)).toBe(401)
  })

  it('is refused when signed with the public key as a shared secret', async () => {
    const { d: _, ...publicKey } = key
    const pem = await exportSPKI((await importJWK(publicKey, 'ES256', { extractable: true })) as CryptoKey)
    for (const secret of [pem, pem.trim(), JSON.stringify(publicKey)]) {
      const signed = `${encode({ alg: 'HS256', typ: 'at+jwt', kid: key.kid })}.${encode(goodClaims())}`
      const mac = createHmac('sha256', secret).update(signed).digest('base64url')
      expect(await statusOf(`${signed}.${mac}`)).toBe(401)
    }
  })

  it('is refused when it brings its own key, or says where to get one', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    const [own, jwk] = [await exportJWK(privateKey), await exportJWK(publicKey)]
    expect(await statusOf(await sign(goodClaims(), { jwk }, own))).toBe(401)
    expect(await statusOf(await sign(goodClaims(), { jwk, kid: 'mine' }, own))).toBe(401)
    expect(await statusOf(await sign(goodClaims(), { jku: 'https://evil.example/keys' }, own))).toBe(401)
    expect(await statusOf(await sign(goodClaims(), { kid: "../../dev/null' or 1=1--" }, own))).toBe(401)
  })

  it('is refused when any part of it was changed', async () => {
    const [header = '', payload = '', signature = ''] = (await sign(goodClaims())).split('.')
    const other = encode({ ...goodClaims(), sub: 'usr_ffffffffffffffffffffffffffffffff' })
    for (const bearer of [`${header}.${other}.${signature}`, `${header}.${payload}.`, `${header}.${payload}`, 'x.y.z'])
      expect(await statusOf(bearer)).toBe(401)
    expect(
      await statusOf(`${header}.${payload}.${signature.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))}`),
    ).toBe(401)
  })

  it('is refused after its session was ended, also when it was taken before', async () => {
    const bearer = await sign({ ...goodClaims(), sid: 'ended-session' })
    expect(await statusOf(bearer)).toBe(200)
    await revokeSession(database.db, 'ended-session', new Date(Date.now() + 600_000))
    expect(await statusOf(bearer)).toBe(401)
  })

  it('is refused when signed before all sessions of the person were ended', async () => {
    const before = await sign({ ...goodClaims(), iat: now() - 5, sid: 'before' })
    expect(await statusOf(before)).toBe(200)
    await endSessions(database.db, userId)
    expect(await statusOf(before)).toBe(401)
    expect(await statusOf(await sign({ ...goodClaims(), sid: 'after' }))).toBe(200)
  })
})

describe('operator sessions', () => {
  it('have bounds', async () => {
    for (const minutes of [0, -1, 1.5, 10_081, Number.NaN])
      await expect(
        signOperatorSession({
          db: database.db,
          secrets: program.context.secrets,
          publicUrl: program.origin,
          userId,
          email,
          minutes,
        }),
      ).rejects.toThrow('A session lives 1 to 10080 whole minutes')
  })
})

describe('signing keys', () => {
  const makeVerifier = () =>
    createSessionVerifier({
      secrets: program.context.secrets,
      db: database.db,
      publicUrl: program.origin,
      config: program.context.config,
      keyTimes: { cooldownMs: 0, maxAgeMs: 0 },
    })

  it('are made once, however many processes ask first', async () => {
    const fresh = await createTestDatabase()
    const secrets = await openSecrets(fresh.db, { NMP_SECRET_KEY: testSecretKey, NMP_DATA_DIR: '' })
    try {
      const asked = await Promise.all(Array.from({ length: 8 }, () => getSigningKeys(fresh.db, secrets)))
      expect(new Set(asked.map(([newest]) => newest.kid)).size).toBe(1)
    } finally {
      await fresh.close()
    }
  })

  it('rotate: the newest signs, the one before still verifies, and a running verifier learns of both', async () => {
    const verifier = makeVerifier()
    const old = await sign(goodClaims())
    expect(await verifier.verify(old)).toBeDefined()
    const made = await rotateSigningKeys(database.db, program.context.secrets)
    const operator = await signAsOperator()
    expect(JSON.parse(Buffer.from(operator.split('.')[0] ?? '', 'base64url').toString()).kid).toBe(made.kid)
    expect(await verifier.verify(operator)).toMatchObject({ issuer: 'local', subject: userId, email })
    expect(await verifier.verify(old)).toBeDefined()
  })

  it('rotate with dropOld: what the old ones signed is refused, also when it was taken before', async () => {
    const verifier = makeVerifier()
    const old = await signAsOperator()
    expect(await verifier.verify(old)).toBeDefined()
    await rotateSigningKeys(database.db, program.context.secrets, { dropOld: true })
    await expect.poll(() => verifier.verify(old)).toBeUndefined()
  })

  it('are published without their private part, newest first', async () => {
    const made = await rotateSigningKeys(database.db, program.context.secrets)
    const other = await startSignInProgram(database.db)
    try {
      const { keys } = (await (await fetch(`${other.origin}/oidc/jwks`)).json()) as { keys: JWK[] }
      expect(keys.length).toBeGreaterThan(1)
      expect(keys[0]?.kid).toBe(made.kid)
      for (const published of keys) expect(published).not.toHaveProperty('d')
    } finally {
      await other.stop()
    }
  })
})
