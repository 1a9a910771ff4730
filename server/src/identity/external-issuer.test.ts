import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, importJWK, type JWK, type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createBrowser } from '../../test/browser.ts'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { signIn } from '../../test/oidc-client.ts'
import { testSecretKey } from '../../test/secret-key.ts'
import { addPerson, type SignInProgram, startSignInProgram } from '../../test/sign-in-program.ts'
import { createSecretBox } from '../secrets/box.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { createSessionVerifier, type SessionVerifier, signOperatorSession } from './sessions.ts'

let database: TestDatabase
let issuerDatabase: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
  issuerDatabase = await createTestDatabase()
})
afterAll(async () => {
  await database?.close()
  await issuerDatabase?.close()
})

describe('with a real provider as the external issuer', () => {
  let issuer: SignInProgram
  let program: SignInProgram
  const email = 'emmy@example.com'
  const password = 'a ring of integers'

  beforeAll(async () => {
    issuer = await startSignInProgram(issuerDatabase.db)
    await addPerson(issuerDatabase.db, email, password)
    program = await startSignInProgram(database.db, { NMP_OIDC_ISSUER: `${issuer.origin}/oidc` })
  })
  afterAll(async () => {
    await program?.stop()
    await issuer?.stop()
  })

  it('knows the person after their first sign-in there, and again after the second', async () => {
    const browser = createBrowser(issuer.origin)
    const first = await signIn({ origin: issuer.origin, browser, act: () => browser.submit({ email, password }) })
    expect(await program.askWho(first.accessToken)).toEqual({ status: 200, email })
    const second = await signIn({ origin: issuer.origin, browser })
    expect(await program.askWho(second.accessToken)).toEqual({ status: 200, email })
    const people = await database.db.selectFrom('users').select('email').execute()
    expect(people).toEqual([{ email }])
  })

  it('has no sign-in pages of its own', async () => {
    for (const path of ['/sign-in', '/account', '/oidc/.well-known/openid-configuration', '/password/forgot'])
      expect((await fetch(`${program.origin}${path}`)).status).toBe(404)
  })

  it('takes operator sessions by its own key, unless they are turned off', async () => {
    const { id } = await database.db.selectFrom('users').select('id').executeTakeFirstOrThrow()
    const session = { db: database.db, secrets: program.context.secrets, userId: id, email, minutes: 5 }
    expect((await program.askWho(await signOperatorSession({ ...session, publicUrl: program.origin }))).status).toBe(
      200,
    )
    const strict = await startSignInProgram(database.db, {
      NMP_OIDC_ISSUER: `${issuer.origin}/oidc`,
      NMP_ADMIN_SESSIONS: '0',
    })
    try {
      expect((await strict.askWho(await signOperatorSession({ ...session, publicUrl: strict.origin }))).status).toBe(
        401,
      )
    } finally {
      await strict.stop()
    }
  })
})

describe('with an issuer that misbehaves', () => {
  let server: Server
  let origin: string
  let keys: (JWK & { kid: string })[]
  let verifier: SessionVerifier
  let asked: Record<string, number>
  let answers: Record<string, (response: ServerResponse, request: IncomingMessage) => void>

  const makeKey = async (kid: string) => {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true })
    return { ...(await exportJWK(privateKey)), kid, alg: 'ES256' }
  }
  const box = createSecretBox(testSecretKey)
  const testSecrets: Secrets = {
    seal: async (text, place) => box.seal(text, place),
    open: async (sealed, place) => box.open(sealed, place),
  }
  const makeVerifier = (keyTimes = { cooldownMs: 200, maxAgeMs: 60_000 }) =>
    createSessionVerifier({
      secrets: testSecrets,
      db: database.db,
      publicUrl: 'http://nmp.example',
      config: {
        NMP_OIDC_ISSUER: origin,
        NMP_OIDC_AUDIENCE: 'robots',
        NMP_OIDC_CLIENT_ID: 'our-console',
        NMP_OIDC_MFA_ACR: ['phr'],
        NMP_ADMIN_SESSIONS: true,
      },
      keyTimes,
    })
  const json = (value: unknown) => (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(value))
  }
  const sign = async (claims: JWTPayload = {}, { key = keys[0], typ = 'JWT' as string | undefined } = {}) => {
    const seconds = Math.floor(Date.now() / 1000)
    return new SignJWT({
      iss: origin,
      aud: 'robots',
      sub: 'emmy',
      email: 'emmy@example.com',
      email_verified: true,
      iat: seconds,
      exp: seconds + 600,
      ...claims,
    })
      .setProtectedHeader({ alg: 'ES256', kid: key?.kid ?? '', ...(typ ? { typ } : {}) })
      .sign(await importJWK(key ?? {}, 'ES256'))
  }

  beforeAll(async () => {
    server = createServer((request, response) => {
      const path = request.url ?? ''
      asked[path] = (asked[path] ?? 0) + 1
      const answer = answers[path]
      if (answer) answer(response, request)
      else response.writeHead(404).end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  beforeEach(async () => {
    await database.db.deleteFrom('program_settings').where('name', '=', 'external_issuer').execute()
    keys = [await makeKey('one')]
    asked = {}
    answers = {
      '/.well-known/openid-configuration': (response) =>
        json({ issuer: origin, jwks_uri: `${origin}/keys`, userinfo_endpoint: `${origin}/me` })(response),
      '/keys': (response) => json({ keys: keys.map(({ d: _, ...rest }) => rest) })(response),
    }
    verifier = makeVerifier()
  })

  it('reads what it needs from the token', async () => {
    expect(await verifier.verify(await sign({ sid: 's1', name: 'Emmy Noether' }))).toMatchObject({
      issuer: origin,
      subject: 'emmy',
      email: 'emmy@example.com',
      emailVerified: true,
      name: 'Emmy Noether',
      sessionId: 's1',
    })
  })

  it('knows a second proof by amr and by acr, and by nothing else', async () => {
    const isProven = async (claims: JWTPayload) => (await verifier.verify(await sign(claims)))?.hasSecondProof
    expect(await isProven({ amr: ['pwd', 'mfa'] })).toBe(true)
    expect(await isProven({ acr: 'phr' })).toBe(true)
    for (const claims of [{}, { amr: ['pwd'] }, { amr: 'mfa' }, { acr: '1' }, { amr: [], acr: ['phr'] }])
      expect([claims, await isProven(claims)]).toEqual([claims, false])
  })

  it('takes an issuer whose name ends with a slash', async () => {
    answers['/.well-known/openid-configuration'] = json({ issuer: `${origin}/`, jwks_uri: `${origin}/keys` })
    expect(await verifier.verify(await sign({ iss: `${origin}/` }))).toBeDefined()
    expect(await verifier.verify(await sign({ iss: origin }))).toBeUndefined()
  })

  it('refuses a wrong audience, and several audiences unless our client asked', async () => {
    expect(await verifier.verify(await sign({ aud: 'lamps' }))).toBeUndefined()
    expect(await verifier.verify(await sign({ aud: ['robots', 'lamps'], azp: 'lamp-console' }))).toBeUndefined()
    expect(await verifier.verify(await sign({ aud: ['robots', 'account'], azp: 'our-console' }))).toBeDefined()
    expect(await verifier.verify(await sign({}, { typ: 'logout+jwt' }))).toBeUndefined()
  })

  it('counts an e-mail as verified only when the issuer says so', async () => {
    expect(await verifier.verify(await sign({ email_verified: false }))).toMatchObject({ emailVerified: false })
    expect(await verifier.verify(await sign({ email_verified: 'yes' }))).toMatchObject({ emailVerified: false })
    expect(await verifier.verify(await sign({ email: 'Émmy@example.com' }))).toMatchObject({ emailVerified: true })
  })

  it('joins nobody by an e-mail of letters that only become those of another in small ones', async () => {
    const own = await startSignInProgram(database.db, { NMP_OIDC_ISSUER: origin, NMP_OIDC_AUDIENCE: 'robots' })
    try {
      const email = 'mike@example.com'
      expect(await own.askWho(await sign({ sub: 'mike', email }))).toMatchObject({ status: 200, email })
      for (const lookalike of ['mi\u212Ae@example.com', 'm\u0130ke@example.com'])
        expect((await own.askWho(await sign({ sub: lookalike, email: lookalike }))).status, lookalike).toBe(401)
    } finally {
      await own.stop()
    }
  })

  it('looks once for an unknown key, and not again within the cooldown', async () => {
    expect(await verifier.verify(await sign())).toBeDefined()
    const next = await makeKey('two')
    await new Promise((resolve) => setTimeout(resolve, 250))
    keys = [next, ...keys]
    expect(await verifier.verify(await sign())).toBeDefined()
    expect(asked['/keys']).toBe(2)
    const unknown = await makeKey('three')
    for (let tries = 0; tries < 5; tries += 1)
      expect(await verifier.verify(await sign({}, { key: unknown }))).toBeUndefined()
    expect(asked['/keys']).toBeLessThanOrEqual(3)
  })

  it('keeps sessions through an outage, also when it starts in one', async () => {
    const bearer = await sign()
    const eager = makeVerifier({ cooldownMs: 0, maxAgeMs: 0 })
    expect(await eager.verify(bearer)).toBeDefined()
    answers = {}
    expect(await eager.verify(await sign({ sid: 'later' }))).toBeDefined()
    expect(await makeVerifier().verify(bearer)).toBeDefined()
  })

  it('says not ready, and not refused, when the issuer was never reached', async () => {
    answers = {}
    await expect(makeVerifier().verify(await sign())).rejects.toMatchObject({ code: 'not_ready', status: 503 })
  })

  it.each<[string, (response: ServerResponse) => void]>([
    ['redirects', (response) => response.writeHead(302, { location: '/keys-elsewhere' }).end()],
    ['answers ten megabytes', (response) => json({ keys: [], padding: 'x'.repeat(10_000_000) })(response)],
    ['answers no key set', (response) => json({ hello: 1 })(response)],
    ['answers no JSON', (response) => response.writeHead(200).end('<html>')],
  ])('takes no keys from an address that %s', async (_name, answer) => {
    answers['/keys'] = answer
    answers['/keys-elsewhere'] = (response) => json({ keys: keys.map(({ d: _, ...rest }) => rest) })(response)
    await expect(verifier.verify(await sign())).rejects.toMatchObject({ code: 'not_ready' })
    expect(asked['/keys-elsewhere']).toBeUndefined()
  })

  it('refuses a discovery document of another name', async () => {
    answers['/.well-known/openid-configuration'] = json({ issuer: 'https://evil.example', jwks_uri: `${origin}/keys` })
    await expect(verifier.verify(await sign())).rejects.toMatchObject({ code: 'not_ready' })
  })

  it('asks the userinfo endpoint once when the token has no e-mail', async () => {
    const bearer = await sign({ email: undefined, email_verified: undefined })
    answers['/me'] = (response, request) =>
      request.headers.authorization === `Bearer ${bearer}`
        ? json({ sub: 'emmy', email: 'Emmy@Example.com', email_verified: true, name: 'Emmy' })(response)
        : response.writeHead(401).end()
    const expected = { email: 'emmy@example.com', emailVerified: true, name: 'Emmy' }
    expect(await verifier.verify(bearer)).toMatchObject(expected)
    expect(await verifier.verify(bearer)).toMatchObject(expected)
    expect(asked['/me']).toBe(1)
  })

  it('does not take the e-mail of somebody else from the userinfo endpoint', async () => {
    answers['/me'] = json({ sub: 'mallory', email: 'mallory@example.com', email_verified: true })
    const claims = await verifier.verify(await sign({ email: undefined }))
    expect(claims).toBeDefined()
    expect(claims?.email).toBeUndefined()
  })
})
