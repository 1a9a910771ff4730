import { createHash } from 'node:crypto'
import { decodeJwt } from 'jose'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBrowser } from '../../test/browser.ts'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { signIn } from '../../test/oidc-client.ts'
import { addPerson, type SignInProgram, startSignInProgram } from '../../test/sign-in-program.ts'
import { createOneTimeCode } from './local-accounts.ts'
import { resolveNext } from './pages/next-address.ts'
import { networkOf } from './throttle.ts'

const password = 'correct horse battery'
let database: TestDatabase
let program: SignInProgram
let people = 0
/** For tests that leave the account as it is: each further person costs a slow hash. */
let email: string

beforeAll(async () => {
  database = await createTestDatabase()
  program = await startSignInProgram(database.db)
  email = (await newPerson()).email
})
afterAll(async () => {
  await program?.stop()
  await database?.close()
})

const newBrowser = () => createBrowser(program.origin)
const newPerson = async () => {
  people += 1
  const email = `person-${people}@example.com`
  return { email, userId: await addPerson(database.db, email, password) }
}
const signInBrowser = async (email: string, secret = password, browser = newBrowser()) => {
  await browser.open('/sign-in?next=/account')
  const page = await browser.submit({ email, password: secret })
  return { browser, page }
}

describe('signing in by the page', () => {
  it('shows who is signed in', async () => {
    const { page } = await signInBrowser(` ${email.toUpperCase()} `)
    expect(page.address).toBe(`${program.origin}/account`)
    expect(page.text).toContain(email)
    expect(page.text).toContain('Ada Lovelace')
  })

  it('answers 401 to a wrong password and to an unknown e-mail, with the same page', async () => {
    const wrong = await signInBrowser(email, 'not the password')
    const unknown = await signInBrowser('nobody@example.com', 'not the password')
    expect(wrong.page.status).toBe(401)
    expect(unknown.page.status).toBe(401)
    const strip = (text: string) => text.replaceAll(/value="[^"]*"/g, '')
    expect(strip(unknown.page.text)).toBe(strip(wrong.page.text))
    expect((await wrong.browser.open('/account')).text).toContain('<h1>Sign in</h1>')
  })

  it('refuses an account without a password', async () => {
    await addPerson(database.db, 'linked@example.com')
    expect((await signInBrowser('linked@example.com', '')).page.status).toBe(401)
  })

  it('takes ten guesses for an account, also when they come at once and to two processes, and says when to come back', async () => {
    const guessed = (await newPerson()).email
    const other = await startSignInProgram(database.db)
    const browsers = Array.from({ length: 14 }, (_, at) => createBrowser(at % 2 ? program.origin : other.origin))
    const pages = await Promise.all(
      browsers.map(async (browser, guess) => {
        await browser.open('/sign-in')
        return browser.submit({ email: guessed, password: `guess ${guess}` })
      }),
    )
    expect(pages.map(({ status }) => status).sort()).toEqual([
      ...Array.from({ length: 10 }, () => 401),
      ...Array.from({ length: 4 }, () => 429),
    ])
    await other.stop()
    const refused = (await signInBrowser(guessed)).page
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(60)
  })

  it('puts a new session in the place of a planted one, and of the person before', async () => {
    const [first, second] = [await newPerson(), await newPerson()]
    const browser = newBrowser()
    const tokens = await signIn({
      origin: program.origin,
      browser,
      act: () => browser.submit({ email: first.email, password }),
    })
    const before = browser.cookies.get('nmp_session /')?.value
    const again = await signIn({
      origin: program.origin,
      browser,
      parameters: { prompt: 'login' },
      act: () => browser.submit({ email: second.email, password }),
    })
    expect(decodeJwt(again.accessToken).sub).toBe(second.userId)
    expect(browser.cookies.get('nmp_session /')?.value).not.toBe(before)
    expect((await program.askWho(tokens.accessToken)).status).toBe(401)
  })
})

describe('the one-time link', () => {
  it('signs in by a press of a button, once, and is not spent by looking at it', async () => {
    const { email, userId } = await newPerson()
    const link = `/sign-in?code=${await createOneTimeCode(database.db, userId, 'sign_in', 15)}`
    const [browser, second] = [newBrowser(), newBrowser()]
    for (let looks = 0; looks < 3; looks += 1) expect((await browser.open(link)).text).toContain(email)
    await second.open(link)
    expect((await browser.submit({})).address).toBe(`${program.origin}/?signed-in=1`)
    expect((await browser.open('/account')).text).toContain(email)
    expect((await second.submit({})).status).toBe(410)
    expect((await second.open(link)).status).toBe(410)
  })

  it('works no more when its time is over, or for another purpose', async () => {
    const { userId } = await newPerson()
    const late = await createOneTimeCode(database.db, userId, 'sign_in', -1)
    const reset = await createOneTimeCode(database.db, userId, 'password_reset', 15)
    for (const code of [late, reset, 'invented', ''])
      expect((await newBrowser().open(`/sign-in?code=${code}`)).status).toBe(410)
  })
})

describe('a forgotten password', () => {
  it('is replaced by a link from the mail, once; all sessions end', async () => {
    const { email } = await newPerson()
    const owner = newBrowser()
    const tokens = await signIn({
      origin: program.origin,
      browser: owner,
      act: () => owner.submit({ email, password }),
    })
    const browser = newBrowser()
    await browser.open('/password/forgot')
    const known = await browser.submit({ email })
    await browser.open('/password/forgot')
    const unknown = await browser.submit({ email: 'nobody@example.com' })
    expect(unknown.text.replaceAll('nobody@example.com', email)).toBe(known.text)

    const [mail = ''] = await program.readMails(1)
    expect(mail).toContain(`To: ${email}`)
    const link = new RegExp(`${program.origin}/password/reset\\?code=[\\w-]+`).exec(unfold(mail))?.[0] ?? ''
    expect(link).not.toBe('')
    await browser.open(link)
    const short = await browser.submit({ password: 'short' })
    expect(short.status).toBe(422)
    expect(short.text).toContain('8 to 200 characters; this one has 5')
    expect((await browser.submit({ password: 'a new long password' })).text).toContain('Password changed')
    expect((await browser.open(link)).status).toBe(410)

    expect((await signInBrowser(email, password)).page.status).toBe(401)
    expect((await signInBrowser(email, 'a new long password')).page.text).toContain(email)
    expect((await owner.open('/account')).text).toContain('<h1>Sign in</h1>')
    await expect(oidc.refreshTokenGrant(tokens.client, tokens.refreshToken)).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    const mails = await program.readMails(3)
    expect(mails.join('\n')).toContain('Subject: Your nmp password was changed')
    const deeds = await database.db
      .selectFrom('audit_events')
      .select('action')
      .where('resource_kind', '=', 'user')
      .execute()
    expect(deeds).toContainEqual({ action: 'password.reset' })
  })

  it('is mailed about three times an hour, and not at all to who was sent ten mails by others', async () => {
    const [asked, flooded, last] = [await newPerson(), await newPerson(), await newPerson()]
    const receiver = createHash('sha256').update(flooded.email).digest()
    await database.db
      .insertInto('caused_mails')
      .values(Array.from({ length: 10 }, () => ({ sender_id: null, org_id: null, receiver_sha256: receiver })))
      .execute()
    const forget = async (email: string) => {
      const browser = newBrowser()
      await browser.open('/password/forgot')
      expect((await browser.submit({ email })).text).toContain('Check your mail')
    }
    for (const { email } of [flooded, asked, asked, asked, asked, asked, last]) await forget(email)
    const count = async ({ email }: { email: string }) =>
      (await program.readMails(0)).filter((mail) => mail.includes(`To: ${email}`)).length
    await expect.poll(async () => [await count(asked), await count(last)]).toEqual([3, 1])
    expect(await count(flooded)).toBe(0)
  })
})

describe('changing the password', () => {
  it('needs the old one, keeps this browser and ends the others', async () => {
    const { email } = await newPerson()
    const [here, there] = [newBrowser(), newBrowser()]
    const mine = await signIn({ origin: program.origin, browser: here, act: () => here.submit({ email, password }) })
    const other = await signIn({ origin: program.origin, browser: there, act: () => there.submit({ email, password }) })
    await here.open('/password/change')
    const fields = { old_password: password, new_password: 'another password' }
    expect((await here.submit({ ...fields, old_password: 'wrong' })).status).toBe(401)
    expect((await here.submit({ ...fields, new_password: 'tiny' })).status).toBe(422)
    expect((await here.submit(fields)).text).toContain('Password changed')

    expect((await here.open('/account')).text).toContain(email)
    expect((await there.open('/account')).text).toContain('<h1>Sign in</h1>')
    const renewed = await oidc.refreshTokenGrant(mine.client, mine.refreshToken)
    expect((await program.askWho(renewed.access_token)).status).toBe(200)
    await expect(oidc.refreshTokenGrant(other.client, other.refreshToken)).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    expect((await signInBrowser(email, 'another password')).page.text).toContain(email)
  })
})

describe('a first password', () => {
  it('is set by who came in by a link', async () => {
    const linked = 'first@example.com'
    const userId = await addPerson(database.db, linked)
    const browser = newBrowser()
    await browser.open(`/sign-in?code=${await createOneTimeCode(database.db, userId, 'sign_in', 15)}`)
    await browser.submit({})
    expect((await browser.open('/account')).text).toContain('Set a password')
    expect(await askFacts(browser)).toMatchObject({ item: { email: linked, has_password: false } })
    expect((await browser.open('/password/change')).text).not.toContain('Present password')
    expect((await browser.submit({ new_password: 'the first password' })).text).toContain('Password set')
    expect((await browser.open('/password/change')).text).toContain('Present password')
    expect(await askFacts(browser)).toMatchObject({ item: { email: linked, has_password: true } })
    expect(await askFacts(newBrowser())).toEqual({ item: null })
    expect((await signInBrowser(linked, 'the first password')).page.text).toContain(linked)
  })
})

describe('forms of other sites', () => {
  const attacks: [string, Record<string, string>, Record<string, string>][] = [
    ['another origin', { origin: 'https://evil.example' }, {}],
    ['no origin that can be named', { origin: 'null' }, {}],
    ['another token', {}, { form_token: 'A'.repeat(43) }],
    ['no token', {}, { form_token: '' }],
  ]
  it.each(attacks)('are refused: %s', async (_name, headers, fields) => {
    const browser = newBrowser()
    await browser.open('/sign-in')
    const answer = await browser.submit({ email, password, ...fields }, { headers })
    expect(answer.status).toBe(403)
    expect(answer.text).toContain('csrf')
    expect((await browser.open('/account')).text).toContain('<h1>Sign in</h1>')
  })

  it('are refused on signing out, changing the password, and connecting a device', async () => {
    const { browser } = await signInBrowser(email)
    for (const path of ['/account', '/password/change', '/device', '/oidc/session/end']) {
      await browser.open(path)
      expect((await browser.submit({}, { headers: { origin: 'https://evil.example' } })).status).toBe(403)
    }
    expect((await browser.open('/account')).text).toContain(email)
  })

  it('change nothing by GET', async () => {
    const { browser } = await signInBrowser(email)
    expect((await browser.open('/account/sign-out')).status).toBe(405)
    expect((await browser.open('/account')).text).toContain(email)
  })
})

describe('pages', () => {
  it('run no script, load nothing, and are never framed or stored', async () => {
    const { browser } = await signInBrowser(email)
    for (const path of [
      '/account',
      '/password/change',
      '/password/forgot',
      '/device',
      '/oidc/session/end',
      '/sign-in/none',
    ]) {
      const { headers, text } = await browser.open(path)
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toContain('script-src')
      expect(policy).not.toContain('unsafe-inline')
      expect(headers.get('cache-control')).toContain('no-store')
      expect(headers.get('x-request-id')).not.toBeNull()
      expect(text).not.toMatch(/<script|\son\w+=|https?:\/\/(?!127\.0\.0\.1)/)
    }
  })

  it('show what was typed as text', async () => {
    const browser = newBrowser()
    await browser.open('/sign-in')
    const page = await browser.submit({ email: '"><script>alert(1)</script>@x.y', password: 'x' })
    expect(page.text).not.toContain('<script>')
    expect(page.text).toContain('&lt;script&gt;')
  })

  it('answer 405, 413, 415 and 404 as pages', async () => {
    const ask = async (path: string, init: RequestInit) => (await fetch(`${program.origin}${path}`, init)).status
    const form = { 'content-type': 'application/x-www-form-urlencoded', origin: program.origin }
    expect(await ask('/sign-in', { method: 'DELETE' })).toBe(405)
    expect(await ask('/sign-in', { method: 'POST', headers: form, body: `email=${'x'.repeat(20_000)}` })).toBe(413)
    expect(await ask('/sign-in', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'a' })).toBe(415)
    expect(await ask('/account/nowhere', {})).toBe(404)
  })
})

describe('where to go next', () => {
  it.each([
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    'data:text/html,x',
    'https://nmp.example@evil.example/',
    'https://user@nmp.example/',
    ' //evil.example',
    '/\t/evil.example',
    '',
  ])('falls back to the start page for %j', (next) => {
    expect(resolveNext(next, 'https://nmp.example')).toBe('https://nmp.example/?signed-in=1')
  })

  it('stays on our origin for whatever path is named', () => {
    for (const next of ['/account', '/device?user_code=A', '/.//evil.example', '/%09/evil', '/x@evil', 'a\r\nb'])
      expect(new URL(resolveNext(next, 'https://nmp.example')).origin).toBe('https://nmp.example')
  })
})

describe('client networks', () => {
  it('count an IPv6 /64 as one', () => {
    expect(networkOf('2001:db8:1:2::1')).toBe(networkOf('2001:db8:1:2:ffff:ffff:ffff:ffff'))
    expect(networkOf('2001:db8:1:2::1')).not.toBe(networkOf('2001:db8:1:3::1'))
    expect(networkOf('::1')).toBe('0:0:0:0')
    expect(networkOf('10.0.0.1')).toBe('10.0.0.1')
  })
})

/** What the console asks of the account page. */
async function askFacts({ cookies }: ReturnType<typeof newBrowser>): Promise<unknown> {
  const cookie = [...cookies].map(([name, { value }]) => `${name.split(' ')[0]}=${value}`).join('; ')
  const answer = await fetch(`${program.origin}/account`, { headers: { accept: 'application/json', cookie } })
  return answer.json()
}

/** Mail bodies break long lines with `=` at their end. */
const unfold = (mail: string): string => mail.replaceAll('=\r\n', '').replaceAll('=3D', '=')
