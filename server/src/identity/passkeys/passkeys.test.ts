import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuthenticator } from '../../../test/authenticator.ts'
import { type Browser, createBrowser, type Visit } from '../../../test/browser.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { signIn } from '../../../test/oidc-client.ts'
import { addPerson, type SignInProgram, startSignInProgram } from '../../../test/sign-in-program.ts'
import { resetTwoStep } from '../../admin/people-commands.ts'

const password = 'correct horse battery'
let database: TestDatabase
let program: SignInProgram

beforeAll(async () => {
  database = await createTestDatabase()
  program = await startSignInProgram(database.db, {}, 'localhost')
})
afterAll(async () => {
  await program?.stop()
  await database?.close()
})

const newBrowser = () => createBrowser(program.origin)
const newAuthenticator = (verifiesPerson = true) => createAuthenticator({ origin: program.origin, verifiesPerson })
type Authenticator = ReturnType<typeof newAuthenticator>

/** What the form for passkeys on a page asks, and which of its forms that is. */
function readAsk({ text }: Visit) {
  const forms = text.match(/<form[\s\S]*?<\/form>/g) ?? []
  const form = forms.findIndex((markup) => markup.includes('data-passkey'))
  const ask = /data-ask="([^"]*)"/.exec(forms[form] ?? '')?.[1]?.replaceAll('&quot;', '"')
  return { form, ask: JSON.parse(ask ?? '{}') }
}

let people = 0
async function addOwner() {
  people += 1
  const email = `owner-${people}@example.com`
  const userId = await addPerson(database.db, email, password)
  const browser = newBrowser()
  await signInByPassword(browser, email)
  return { email, userId, browser }
}
async function signInByPassword(browser: Browser, email: string) {
  await browser.open('/sign-in?next=/account')
  return browser.submit({ email, password })
}
async function addPasskey(browser: Browser, authenticator: Authenticator, name = 'Laptop') {
  const { form, ask } = readAsk(await browser.open('/account/two-step'))
  return browser.submit({ passkey: authenticator.create(ask), name }, { form })
}
async function signInByPasskey(authenticator: Authenticator, browser = newBrowser()) {
  const { form, ask } = readAsk(await browser.open('/sign-in?next=/account'))
  return browser.submit({ passkey: authenticator.get(ask) }, { form })
}

describe('a passkey', () => {
  it('is added with a name, brings recovery codes, is listed, signs in alone, and is removed; its owner is mailed', async () => {
    const { email, browser } = await addOwner()
    const authenticator = newAuthenticator()
    const added = await addPasskey(browser, authenticator, 'Desk <key>')
    expect(added.text.match(/<li>[A-Z2-7-]{19}<\/li>/g)).toHaveLength(10)
    expect((await browser.open('/account/two-step')).text).toContain('Desk &lt;key&gt;')
    expect((await signInByPasskey(authenticator)).text).toContain(`Signed in as <span class="who">${email}`)
    const { text } = await browser.open('/account/two-step')
    expect(text).toContain(`used ${new Date().toISOString().slice(0, 10)}`)
    const id = /name="remove" value="([^"]*)"/.exec(text)?.[1] ?? ''
    const removed = await browser.submit({ remove: id }, { form: 0 })
    expect(removed.text).not.toContain('Desk')
    expect(removed.text).toContain('Off.')
    expect((await signInByPasskey(authenticator)).status).toBe(401)
    const mails = (await program.readMails(2)).filter((mail) => mail.includes(`To: ${email}`)).join('\n')
    expect(mails).toContain('A passkey was added')
    expect(mails).toMatch(/was removed/)
  })

  it('of one account is not known to another, and cannot be removed by it', async () => {
    const [one, two] = [await addOwner(), await addOwner()]
    const authenticator = newAuthenticator()
    await addPasskey(one.browser, authenticator)
    const { text } = await one.browser.open('/account/two-step')
    const id = /name="remove" value="([^"]*)"/.exec(text)?.[1] ?? ''
    await addPasskey(two.browser, newAuthenticator())
    await two.browser.open('/account/two-step')
    await two.browser.submit({ remove: id }, { form: 0 })
    expect((await signInByPasskey(authenticator)).text).toContain(one.email)
    const again = await addPasskey(two.browser, authenticator)
    expect([again.status, again.text.includes('Not added')]).toEqual([422, true])
  })

  it('completes a password, in the middle of an authorization request too, and the token says how', async () => {
    const { email, browser: owner } = await addOwner()
    const authenticator = newAuthenticator()
    await addPasskey(owner, authenticator)
    const browser = newBrowser()
    const { accessToken } = await signIn({
      origin: program.origin,
      browser,
      act: async () => {
        const asked = await browser.submit({ email, password })
        expect(asked.text).toContain('One more step')
        const { form, ask } = readAsk(asked)
        expect(ask.allowCredentials).toHaveLength(1)
        return browser.submit({ passkey: authenticator.get(ask) }, { form })
      },
    })
    expect(await program.askWho(accessToken)).toEqual({ status: 200, email })
    expect(decodeJwt(accessToken).amr).toEqual(['pop', 'user', 'mfa'])
  })

  it('is asked for by every sign-in with the password, for which a recovery code stands in', async () => {
    const { email, browser: owner } = await addOwner()
    const codes = (await addPasskey(owner, newAuthenticator())).text.match(/[A-Z2-7-]{19}/g) ?? []
    const browser = newBrowser()
    expect((await signInByPassword(browser, email)).text).toContain('One more step')
    expect((await browser.open('/account')).text).toContain('<h1>Sign in</h1>')
    await signInByPassword(browser, email)
    expect((await browser.submit({ digits: codes[0] ?? '' }, { form: 1 })).text).toContain('Signed in as')
  })

  it('is removed with everything else by the operator', async () => {
    const { email, userId, browser } = await addOwner()
    await addPasskey(browser, newAuthenticator())
    const context = { ...database, isEmbedded: false, config: program.context.config }
    expect(await resetTwoStep.run(context, [email], {})).toBe(userId)
    expect((await signInByPassword(newBrowser(), email)).text).toContain('Signed in as')
  })
})

describe('an answer is refused', () => {
  it('the second time, in another browser, for another origin, and without its person verified', async () => {
    const { browser: owner } = await addOwner()
    const authenticator = newAuthenticator()
    await addPasskey(owner, authenticator)
    const browser = newBrowser()
    const { form, ask } = readAsk(await browser.open('/sign-in'))
    const elsewhere = newBrowser()
    await elsewhere.open('/sign-in')
    expect((await elsewhere.submit({ passkey: authenticator.get(ask) }, { form })).status).toBe(401)
    const phished = authenticator.get(ask, 'https://evil.example')
    expect((await browser.submit({ passkey: phished }, { form })).status).toBe(401)
    const good = authenticator.get(ask)
    expect((await browser.submit({ passkey: good }, { form })).status).not.toBe(401)
    await browser.open('/sign-in?again=1')
    expect((await browser.submit({ passkey: good }, { form })).status).toBe(401)

    const { browser: careless } = await addOwner()
    expect((await addPasskey(careless, newAuthenticator(false))).status).toBe(422)
  })

  it('where its counter does not go up: the key was copied', async () => {
    const { browser: owner } = await addOwner()
    const authenticator = newAuthenticator()
    await addPasskey(owner, authenticator)
    expect((await signInByPasskey(authenticator)).status).toBe(200)
    authenticator.state.counter -= 1
    expect((await signInByPasskey(authenticator)).status).toBe(401)
  })

  it('where it is not one at all', async () => {
    const browser = newBrowser()
    for (const passkey of ['', '{}', '[]', '{"id":1}', '{"id":"x","response":{}}', 'null', 'x'.repeat(9000)]) {
      const { form } = readAsk(await browser.open('/sign-in'))
      expect((await browser.submit({ passkey }, { form })).status).toBe(401)
    }
  })
})

describe('how one signs in is changed', () => {
  it('only soon after signing in, which is asked for once more', async () => {
    const { email, userId, browser } = await addOwner()
    await database.pool.query(
      `update oidc_payloads set payload = payload || jsonb_build_object('loginTs', floor(extract(epoch from now())) - 1000)
       where model = 'Session' and payload->>'accountId' = $1`,
      [userId],
    )
    const shown = await browser.open('/account/two-step')
    expect(shown.text).toContain('sign in again')
    expect(shown.text).not.toContain('data-passkey')
    expect((await browser.open('/account/two-step/app')).text).toContain('Once more')
    await browser.submit({ email, password })
    expect((await browser.open('/account/two-step')).text).toContain('data-passkey="create"')
  })
})

it('pages with a form for passkeys allow their one script and no other', async () => {
  const { headers, text } = await newBrowser().open('/sign-in')
  expect(headers.get('content-security-policy')).toMatch(/; script-src 'sha256-[\w+/=]{44}'$/)
  expect(text.match(/<script/g)).toHaveLength(1)
  const { headers: plain } = await newBrowser().open('/password/forgot')
  expect(plain.get('content-security-policy')).not.toContain('script-src')
})
