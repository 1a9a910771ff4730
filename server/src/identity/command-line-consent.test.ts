import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBrowser } from '../../test/browser.ts'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { authorize, signIn } from '../../test/oidc-client.ts'
import { addPerson, type SignInProgram, startSignInProgram } from '../../test/sign-in-program.ts'

const email = 'ada@example.com'
const password = 'correct horse battery'
let database: TestDatabase
let program: SignInProgram

beforeAll(async () => {
  database = await createTestDatabase()
  program = await startSignInProgram(database.db)
  await addPerson(database.db, email, password)
})
afterAll(async () => {
  await program?.stop()
  await database?.close()
})

const newBrowser = () => createBrowser(program.origin)
const signInAs = (browser: ReturnType<typeof newBrowser>) =>
  signIn({ origin: program.origin, browser, act: () => browser.submit({ email, password }) })

describe('a program that says it is the command line', () => {
  const redirectUri = 'http://127.0.0.1:49152/callback'
  const cli = { clientId: 'nmp-cli', redirectUri }

  it('gets no code from a browser that is signed in until a person has seen the page and pressed', async () => {
    const browser = newBrowser()
    await signInAs(browser)
    for (const parameters of [{}, { prompt: 'consent' }, { login_hint: email }] as Record<string, string>[]) {
      const { callback } = await authorize({ origin: program.origin, browser, ...cli, parameters })
      expect(callback.origin).toBe(program.origin)
    }
    const { callback } = await authorize({
      origin: program.origin,
      browser,
      ...cli,
      act: async (visit) => {
        for (const shown of ['nmp command line', email, '127.0.0.1:49152', 'personal access tokens'])
          expect(visit.text).toContain(shown)
        return browser.submit({ confirm: 'yes' })
      },
    })
    expect(callback.href).toMatch(/^http:\/\/127\.0\.0\.1:49152\/callback\?code=/)
  })

  it('is told that consent is required where it asks for none to be shown', async () => {
    const browser = newBrowser()
    await signInAs(browser)
    const { callback } = await authorize({ origin: program.origin, browser, ...cli, parameters: { prompt: 'none' } })
    expect(callback.searchParams.get('error')).toBe('consent_required')
    expect(callback.searchParams.has('code')).toBe(false)
  })

  it('is told of a refusal, and a form without the token of the page is none', async () => {
    const browser = newBrowser()
    await signInAs(browser)
    const { callback } = await authorize({
      origin: program.origin,
      browser,
      ...cli,
      act: async ({ address }) => {
        const foreign = await browser.submit({ confirm: 'yes' }, { headers: { origin: 'https://evil.example' } })
        expect(foreign.status).toBe(403)
        await browser.open(address)
        return browser.submit({ refuse: 'yes' })
      },
    })
    expect(callback.searchParams.get('error')).toBe('access_denied')
  })

  it('makes tokens of 30 days unless it says otherwise, listed with where they came from; the console makes 90', async () => {
    const browser = newBrowser()
    const ofConsole = await signInAs(browser)
    const ofCli = await signIn({
      origin: program.origin,
      browser,
      ...cli,
      act: () => browser.submit({ confirm: 'yes' }),
    })
    const call = async (bearer: string, method: string, body?: object) => {
      const response = await fetch(`${program.origin}/api/v1/users/me/tokens`, {
        method,
        headers: {
          authorization: `Bearer ${bearer}`,
          'content-type': 'application/json',
          'user-agent': 'nmp 1 on lab',
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      expect(response.status).toBe(200)
      return (await response.json()) as { items: Token[]; item: Token }
    }
    interface Token {
      name: string
      created_at: string
      expires_at: string
      origin: object
    }
    await call(ofCli.accessToken, 'POST', { name: 'of the command line' })
    await call(ofCli.accessToken, 'POST', { name: 'of the command line, longer', expires_in_days: 60 })
    await call(ofConsole.accessToken, 'POST', { name: 'of the console' })
    const { items } = await call(ofConsole.accessToken, 'GET')
    const seen = items.map(({ name, created_at, expires_at, origin }) => ({
      name,
      days: Math.round((Date.parse(expires_at) - Date.parse(created_at)) / 86_400_000),
      origin,
    }))
    const from = { address: '127.0.0.1', user_agent: 'nmp 1 on lab' }
    expect(seen).toEqual([
      { name: 'of the console', days: 90, origin: { program: 'console', ...from } },
      { name: 'of the command line, longer', days: 60, origin: { program: 'command_line', ...from } },
      { name: 'of the command line', days: 30, origin: { program: 'command_line', ...from } },
    ])
  })
})
