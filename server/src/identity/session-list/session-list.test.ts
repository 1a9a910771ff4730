import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBrowser } from '../../../test/browser.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { discover, signIn } from '../../../test/oidc-client.ts'
import { addPerson, type SignInProgram, startSignInProgram } from '../../../test/sign-in-program.ts'
import { createOneTimeCode } from '../local-accounts.ts'
import { signOperatorSession } from '../sessions.ts'

let database: TestDatabase
let program: SignInProgram

beforeAll(async () => {
  database = await createTestDatabase()
  program = await startSignInProgram(database.db)
})
afterAll(async () => {
  await program?.stop()
  await database?.close()
})

let people = 0
async function addOwner() {
  people += 1
  const email = `owner-${people}@example.com`
  return { email, userId: await addPerson(database.db, email) }
}
/** By a one-time link, which costs less than a password. */
async function signInBrowser(userId: string, browser = createBrowser(program.origin)) {
  await browser.open(`/sign-in?code=${await createOneTimeCode(database.db, userId, 'sign_in', 5)}`)
  await browser.submit({})
  return browser
}
async function openConsole(userId: string) {
  const browser = await signInBrowser(userId)
  const { accessToken } = await signIn({ origin: program.origin, browser })
  return { browser, bearer: accessToken }
}
interface Listed {
  id: string
  program: string
  device: string
  address: string
  current: boolean
}
interface Answered {
  items: Listed[]
  item: unknown
}
async function call(bearer: string, method: string, path = '') {
  const response = await fetch(`${program.origin}/api/v1/users/me/sessions${path}`, {
    method,
    headers: { authorization: `Bearer ${bearer}`, 'user-agent': 'Mozilla/5.0 (X11; Linux) Firefox/140.0' },
  })
  return { status: response.status, body: (await response.json()) as Answered }
}
const list = async (bearer: string): Promise<Listed[]> => (await call(bearer, 'GET')).body.items
const isRefused = async (bearer: string) => (await program.askWho(bearer)).status === 401

describe('the list of sessions', () => {
  it('names each by program and address, the one that asks, and none of anybody else', async () => {
    const { userId } = await addOwner()
    const stranger = await addOwner()
    const one = await openConsole(userId)
    await openConsole(userId)
    await openConsole(stranger.userId)
    const sessions = await list(one.bearer)
    expect(sessions.map(({ program, address }) => [program, address])).toEqual([
      ['console', '127.0.0.1'],
      ['console', '127.0.0.1'],
    ])
    expect(sessions.map(({ current }) => current)).toEqual([false, true])
  })

  it('has a browser that has only been at the account, and what the operator has made', async () => {
    const { email, userId } = await addOwner()
    const browser = await signInBrowser(userId)
    const { secrets, publicUrl } = program.context
    const bearer = await signOperatorSession({ db: database.db, secrets, publicUrl, userId, email, minutes: 5 })
    const sessions = await list(bearer)
    expect(sessions.map(({ program }) => program)).toEqual(['operator', 'browser'])
    expect(sessions[0]?.device).toBe('Firefox on Linux')
    expect((await call(bearer, 'DELETE', `/${sessions[1]?.id}`)).status).toBe(200)
    expect((await browser.open('/account')).text).toContain('<h1>Sign in</h1>')
  })
})

describe('a session is ended', () => {
  it('from its next request on, with its browser; by its own person only', async () => {
    const { userId } = await addOwner()
    const [here, there] = [await openConsole(userId), await openConsole(userId)]
    const stranger = await openConsole((await addOwner()).userId)
    const other = (await list(here.bearer)).find(({ current }) => !current)
    expect((await call(stranger.bearer, 'DELETE', `/${other?.id}`)).status).toBe(404)
    expect(await isRefused(there.bearer)).toBe(false)
    expect((await call(here.bearer, 'DELETE', `/${other?.id}`)).status).toBe(200)
    expect(await isRefused(there.bearer)).toBe(true)
    expect((await there.browser.open('/account')).text).toContain('<h1>Sign in</h1>')
    expect((await call(here.bearer, 'DELETE', `/${other?.id}`)).status).toBe(404)
    expect((await list(here.bearer)).length).toBe(1)
  })

  it('with all others, by the API and by the page of the account', async () => {
    const { userId } = await addOwner()
    const [here, one, two] = [await openConsole(userId), await openConsole(userId), await openConsole(userId)]
    expect((await call(here.bearer, 'DELETE')).body.item).toEqual({ ended: 2 })
    expect([await isRefused(here.bearer), await isRefused(one.bearer), await isRefused(two.bearer)]).toEqual([
      ...[false, true, true],
    ])
    const again = await openConsole(userId)
    const page = await here.browser.open('/account/sessions')
    expect(page.text).toContain('This browser')
    const id = /name="end" value="([^"]*)"/.exec(page.text)?.[1] ?? ''
    await here.browser.submit({ end: id })
    expect([await isRefused(here.bearer), await isRefused(again.bearer)]).toEqual([false, true])
  })
})

describe('a mail', () => {
  const mailsTo = async (email: string, count: number) => {
    const all = await program.readMails(count)
    return all.filter((mail) => mail.includes(`To: ${email}`) && mail.includes('Subject: New sign-in'))
  }

  it('tells of a browser that is new, not of one that is known nor of the first; five an hour at most', async () => {
    const { email, userId } = await addOwner()
    const first = await signInBrowser(userId)
    await signInBrowser(userId, first)
    expect(await mailsTo(email, 0)).toEqual([])
    for (let count = 0; count < 7; count += 1) await signInBrowser(userId)
    const sent = () => mailsTo(email, 0).then((mails) => mails.length)
    await expect.poll(sent).toBe(5)
    const mails = await mailsTo(email, 0)
    for (const words of ['Address: 127.0.0.1', '/account/sessions', 'Program: ', ' UTC'])
      expect(mails[0]).toContain(words)
  })
})

describe('a mail, too,', () => {
  it('tells of a command line that was connected by a code', async () => {
    const { email, userId } = await addOwner()
    const browser = await signInBrowser(userId)
    const client = await discover(program.origin, 'nmp-cli')
    const device = await oidc.initiateDeviceAuthorization(client, { scope: 'openid email' })
    await browser.open(device.verification_uri_complete ?? '')
    await browser.submit({})
    await browser.submit({ confirm: 'yes' })
    const findMail = async () => (await program.readMails(0)).find((mail) => mail.includes(`To: ${email}`)) ?? ''
    expect(await findMail()).toBe('')
    await oidc.pollDeviceAuthorizationGrant(client, { ...device, interval: 1 })
    await expect.poll(findMail).toContain('A command line that was not known before')
  })
})

describe('an account that is deleted', () => {
  it('takes with it every session, also those signed in the same second', async () => {
    const { email, userId } = await addOwner()
    const { db, context } = { db: database.db, context: program.context }
    const { bearer } = await openConsole(userId)
    const { bearer: other } = await openConsole(userId)
    const { secrets, publicUrl } = context
    // Begun at the start of a second, so that all of it happens within one.
    await new Promise((resolve) => setTimeout(resolve, 1000 - (Date.now() % 1000)))
    const issued = await signOperatorSession({ db, secrets, publicUrl, userId, email, minutes: 5 })
    await fetch(`${program.origin}/api/v1/users/me?confirm=${encodeURIComponent(email)}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${bearer}` },
    })
    const later = await signOperatorSession({ db, secrets, publicUrl, userId, email, minutes: 5 })
    const { rows } = await database.pool.query(
      'select floor(extract(epoch from deletion_requested_at))::float8 as at from users where id = $1',
      [userId],
    )
    const secondOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()).iat
    expect([await isRefused(issued), await isRefused(bearer), await isRefused(other)]).toEqual([true, true, true])
    expect(await isRefused(later)).toBe(secondOf(later) <= Number(rows[0]?.at))
  })
})
