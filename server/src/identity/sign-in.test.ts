import { decodeJwt, decodeProtectedHeader } from 'jose'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBrowser } from '../../test/browser.ts'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { authorize, discover, signIn } from '../../test/oidc-client.ts'
import { addPerson, type SignInProgram, startSignInProgram } from '../../test/sign-in-program.ts'

const email = 'ada@example.com'
const password = 'correct horse battery'
let database: TestDatabase
let program: SignInProgram
let userId: string

beforeAll(async () => {
  database = await createTestDatabase()
  program = await startSignInProgram(database.db)
  userId = await addPerson(database.db, email, password)
})
afterAll(async () => {
  await program?.stop()
  await database?.close()
})

const newBrowser = () => createBrowser(program.origin)
const signInAs = (browser = newBrowser(), more: Partial<Parameters<typeof signIn>[0]> = {}) =>
  signIn({ origin: program.origin, browser, act: () => browser.submit({ email, password }), ...more })

describe('authorization code with PKCE', () => {
  it('gives an ES256 access token that the API takes', async () => {
    const { accessToken, refreshToken, idToken } = await signInAs()
    expect(decodeProtectedHeader(accessToken)).toMatchObject({ alg: 'ES256', typ: 'at+jwt' })
    const claims = decodeJwt(accessToken)
    expect(claims).toMatchObject({
      iss: `${program.origin}/oidc`,
      aud: 'urn:nmp:api',
      sub: userId,
      email,
      email_verified: true,
      name: 'Ada Lovelace',
      client_id: 'nmp-console',
      sid: expect.any(String),
    })
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(3600)
    expect(decodeJwt(idToken)).toMatchObject({ sub: userId, email, name: 'Ada Lovelace', aud: 'nmp-console' })
    expect(refreshToken).not.toBe('')
    expect(await program.askWho(accessToken)).toEqual({ status: 200, email })
  })

  it('asks once per browser, not once per tab', async () => {
    const browser = newBrowser()
    const first = await signInAs(browser)
    const { act: _, ...silent } = { origin: program.origin, browser, act: undefined }
    const second = await signIn(silent)
    expect(decodeJwt(second.accessToken).sid).toBe(decodeJwt(first.accessToken).sid)
  })

  it('refuses a code used twice, and ends what the first use gave', async () => {
    const { client, callback, checks, accessToken, refreshToken } = await signInAs()
    await expect(oidc.authorizationCodeGrant(client, callback, checks)).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    expect((await program.askWho(accessToken)).status).toBe(401)
    await expect(oidc.refreshTokenGrant(client, refreshToken)).rejects.toMatchObject({ error: 'invalid_grant' })
  })

  it('gives one of two simultaneous takers the tokens', async () => {
    const browser = newBrowser()
    const { client, callback, checks } = await authorize({
      origin: program.origin,
      browser,
      act: () => browser.submit({ email, password }),
    })
    const takers = Array.from({ length: 6 }, () => oidc.authorizationCodeGrant(client, callback, checks))
    const results = await Promise.allSettled(takers)
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1)
  })

  it('refuses a request without PKCE, with plain PKCE, and with a foreign redirect', async () => {
    const ask = async (parameters: Record<string, string>) => {
      const address = new URL(`${program.origin}/oidc/auth`)
      address.search = new URLSearchParams({
        client_id: 'nmp-console',
        response_type: 'code',
        scope: 'openid',
        redirect_uri: `${program.origin}/signed-in`,
        ...parameters,
      }).toString()
      return fetch(address, { redirect: 'manual', headers: { accept: 'text/html' } })
    }
    expect((await ask({})).headers.get('location')).toContain('error=invalid_request')
    const plain = await ask({ code_challenge: 'a'.repeat(43), code_challenge_method: 'plain' })
    expect(plain.headers.get('location')).toContain('error=invalid_request')
    const foreign = await ask({ redirect_uri: 'https://evil.example/', code_challenge: 'a'.repeat(43) })
    expect(foreign.status).toBe(400)
    expect(foreign.headers.get('location')).toBeNull()
  })

  it('takes the command line on any loopback port, each with a session of its own', async () => {
    const browser = newBrowser()
    const sids = []
    for (const redirectUri of [
      'http://127.0.0.1:49152/callback',
      'http://[::1]:50000/callback',
      'http://localhost:1234/',
    ]) {
      const isFirst = sids.length === 0
      const act = async () => {
        if (isFirst) await browser.submit({ email, password })
        return browser.submit({ confirm: 'yes' })
      }
      const { accessToken, callback } = await signIn({
        origin: program.origin,
        browser,
        clientId: 'nmp-cli',
        redirectUri,
        act,
      })
      expect(callback.href.startsWith(redirectUri)).toBe(true)
      sids.push(decodeJwt(accessToken).sid)
    }
    expect(new Set(sids).size).toBe(3)
  })
})

describe('refresh', () => {
  it('rotates, and a token used twice ends the session', async () => {
    const { client, refreshToken } = await signInAs()
    const second = await oidc.refreshTokenGrant(client, refreshToken)
    expect(second.refresh_token).not.toBe(refreshToken)
    expect((await program.askWho(second.access_token)).status).toBe(200)
    await expect(oidc.refreshTokenGrant(client, refreshToken)).rejects.toMatchObject({ error: 'invalid_grant' })
    await expect(oidc.refreshTokenGrant(client, second.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    expect((await program.askWho(second.access_token)).status).toBe(401)
  })

  it('gives one of several simultaneous takers a new token', async () => {
    const { client, refreshToken } = await signInAs()
    const takers = Array.from({ length: 6 }, () => oidc.refreshTokenGrant(client, refreshToken))
    const results = await Promise.allSettled(takers)
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1)
  })
})

describe('behind a proxy that ends TLS', () => {
  it('makes every address and cookie from the public URL, whatever the headers say', async () => {
    const publicUrl = 'https://nmp.example'
    const hidden = await startSignInProgram(database.db, { NMP_PUBLIC_URL: publicUrl })
    const lies = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http', forwarded: 'host=evil.example' }
    const ask = (path: string, init: RequestInit = {}) =>
      fetch(`${hidden.origin}${path}`, { redirect: 'manual', ...init, headers: { ...lies, ...init.headers } })
    try {
      const metadata = (await (await ask('/oidc/.well-known/openid-configuration')).json()) as Record<string, unknown>
      for (const [name, value] of Object.entries(metadata))
        if (/_endpoint$|_uri$|^issuer$/.test(name)) expect(value).toMatch(/^https:\/\/nmp\.example\/oidc/)

      const query = new URLSearchParams({
        client_id: 'nmp-console',
        response_type: 'code',
        scope: 'openid',
        redirect_uri: `${publicUrl}/signed-in`,
        code_challenge: await oidc.calculatePKCECodeChallenge(oidc.randomPKCECodeVerifier()),
        code_challenge_method: 'S256',
      })
      const begun = await ask(`/oidc/auth?${query}`)
      expect(begun.headers.get('location')).toMatch(/^https:\/\/nmp\.example\/sign-in\//)
      for (const cookie of begun.headers.getSetCookie()) expect(cookie).toMatch(/^__(Host|Secure)-nmp_.*; secure/i)

      const page = await ask('/sign-in')
      const cookie = page.headers.getSetCookie()[0] ?? ''
      expect(cookie).toMatch(/^__Host-nmp_form=.*; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
      const token = /name="form_token" value="([^"]*)"/.exec(await page.text())?.[1] ?? ''
      const body = new URLSearchParams({ form_token: token, email, password, next: '/account' })
      const post = (origin: string) =>
        ask('/sign-in', { method: 'POST', body, headers: { origin, cookie: cookie.split(';')[0] ?? '' } })
      expect((await post(hidden.origin)).status).toBe(403)
      const signedIn = await post(publicUrl)
      expect(signedIn.headers.get('location')).toBe(`${publicUrl}/account`)
      expect(signedIn.headers.getSetCookie()[0]).toMatch(/^__Host-nmp_session=.*; path=\/;.*; secure; httponly/i)
    } finally {
      await hidden.stop()
    }
  })
})

describe('device authorization', () => {
  const start = async () => {
    const client = await discover(program.origin, 'nmp-cli')
    return { client, device: await oidc.initiateDeviceAuthorization(client, { scope: 'openid email' }) }
  }

  it('signs the command line in after a person has typed and confirmed the code', async () => {
    const { client, device } = await start()
    expect(device.verification_uri).toBe(`${program.origin}/device`)
    const browser = newBrowser()
    const login = await browser.open(device.verification_uri)
    expect(login.text).toContain('<h1>Sign in</h1>')
    const entry = await browser.submit({ email, password })
    expect(entry.text).toContain('Connect a command line')
    expect((await browser.submit({ user_code: 'BCDF-GHJK' })).text).toContain('There is no such code')
    const confirm = await browser.submit({ user_code: device.user_code.toLowerCase() })
    expect(confirm.text).toContain(device.user_code)
    expect(confirm.text).toContain(email)
    const done = await browser.submit({ confirm: 'yes' })
    expect(done.text).toContain('The command line is signed in')
    const tokens = await oidc.pollDeviceAuthorizationGrant(client, { ...device, interval: 1 })
    expect(await program.askWho(tokens.access_token)).toEqual({ status: 200, email })
    const again = await oidc.refreshTokenGrant(client, tokens.refresh_token ?? '')
    expect((await program.askWho(again.access_token)).status).toBe(200)
  })

  it('fills in the code of the complete address, and tells the command line of a refusal', async () => {
    const { client, device } = await start()
    const browser = newBrowser()
    await browser.open(device.verification_uri_complete ?? '')
    const entry = await browser.submit({ email, password })
    expect(entry.text).toContain(`value="${device.user_code}"`)
    await browser.submit({})
    const refused = await browser.submit({ abort: 'yes' })
    expect(refused.text).toContain('Refused')
    await expect(oidc.pollDeviceAuthorizationGrant(client, { ...device, interval: 1 })).rejects.toMatchObject({
      error: 'access_denied',
    })
  })

  it('survives signing out of the browser', async () => {
    const { client, device } = await start()
    const browser = newBrowser()
    await browser.open(device.verification_uri_complete ?? '')
    await browser.submit({ email, password })
    await browser.submit({})
    await browser.submit({ confirm: 'yes' })
    const tokens = await oidc.pollDeviceAuthorizationGrant(client, { ...device, interval: 1 })
    await browser.open('/account')
    await browser.submit({}, { form: 0 })
    expect((await program.askWho(tokens.access_token)).status).toBe(200)
  })
})

describe('signing out', () => {
  it('by the end session endpoint: the access token and the refresh token are dead at once', async () => {
    const browser = newBrowser()
    const { client, accessToken, refreshToken, idToken } = await signInAs(browser)
    const address = oidc.buildEndSessionUrl(client, {
      id_token_hint: idToken,
      post_logout_redirect_uri: `${program.origin}/account/signed-out`,
    })
    const end = await browser.open(address.href)
    expect(end.address).toBe(`${program.origin}/account/signed-out`)
    expect((await program.askWho(accessToken)).status).toBe(401)
    await expect(oidc.refreshTokenGrant(client, refreshToken)).rejects.toMatchObject({ error: 'invalid_grant' })
    expect((await browser.open('/account')).text).toContain('<h1>Sign in</h1>')
  })

  it('asks first when nobody says whose session it is', async () => {
    const browser = newBrowser()
    const { accessToken } = await signInAs(browser)
    const question = await browser.open('/oidc/session/end')
    expect(question.text).toContain('Sign out?')
    expect((await program.askWho(accessToken)).status).toBe(200)
    const end = await browser.submit({ logout: 'yes' })
    expect(end.text).toContain('You are signed out')
    expect((await program.askWho(accessToken)).status).toBe(401)
    expect((await browser.open('/oidc/session/end')).text).toContain('You are signed out')
  })

  it('by the account page', async () => {
    const browser = newBrowser()
    const { accessToken } = await signInAs(browser)
    await browser.open('/account')
    expect((await browser.submit({}, { form: 0 })).text).toContain('You are signed out')
    expect((await program.askWho(accessToken)).status).toBe(401)
  })

  it('by revoking the refresh token, as the command line does', async () => {
    const { client, accessToken, refreshToken } = await signInAs()
    await oidc.tokenRevocation(client, refreshToken)
    expect((await program.askWho(accessToken)).status).toBe(401)
  })

  it('by the API', async () => {
    const browser = newBrowser()
    const { client, accessToken, refreshToken } = await signInAs(browser)
    const response = await fetch(`${program.origin}/api/v1/users/me/sign-out`, {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}` },
    })
    expect(response.status).toBe(200)
    expect((await program.askWho(accessToken)).status).toBe(401)
    await expect(oidc.refreshTokenGrant(client, refreshToken)).rejects.toMatchObject({ error: 'invalid_grant' })
    expect((await browser.open('/account')).text).toContain('<h1>Sign in</h1>')
  })

  it('everywhere: all browsers and command lines', async () => {
    const first = await signInAs()
    const other = newBrowser()
    const cli = await signInAs(other, {
      clientId: 'nmp-cli',
      redirectUri: 'http://127.0.0.1:5000/callback',
      act: () => other.submit({ email, password }).then(() => other.submit({ confirm: 'yes' })),
    })
    const browser = newBrowser()
    await signInAs(browser)
    await browser.open('/account')
    await browser.submit({}, { form: 1 })
    await expect(oidc.refreshTokenGrant(first.client, first.refreshToken)).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    await expect(oidc.refreshTokenGrant(cli.client, cli.refreshToken)).rejects.toMatchObject({ error: 'invalid_grant' })
  })
})
