import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBrowser } from '../../../test/browser.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { signIn } from '../../../test/oidc-client.ts'
import { addPerson, type SignInProgram, startSignInProgram } from '../../../test/sign-in-program.ts'
import { resetTwoStep } from '../../admin/people-commands.ts'
import { createOneTimeCode } from '../local-accounts.ts'
import { computeTotp, encodeBase32 } from './totp.ts'

const password = 'correct horse battery'
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

const newBrowser = () => createBrowser(program.origin)
const now = () => Math.floor(Date.now() / 30_000)
const decodeBase32 = (text: string): Buffer => {
  const bits = [...text].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  )
  return Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
const signInByPage = async (email: string, browser = newBrowser()) => {
  await browser.open('/sign-in?next=/account')
  return { browser, page: await browser.submit({ email, password }) }
}

/** A person with an app: its secret, the recovery codes, and a step that the next code must be after. */
let people = 0
async function enrol() {
  people += 1
  const email = `person-${people}@example.com`
  const userId = await addPerson(database.db, email, password)
  const { browser } = await signInByPage(email)
  const offer = await browser.open('/account/two-step/app')
  const secret = decodeBase32((/aria-label="Key">([^<]*)</.exec(offer.text)?.[1] ?? '').replaceAll(' ', ''))
  expect(offer.text).toContain('otpauth://totp/')
  expect(offer.text).toMatch(/<svg class="qr"[^>]*><path d="M4,4h7v1h-7z/)
  expect((await browser.submit({ digits: '000000' }, { form: 0 })).status).toBe(422)
  const done = await browser.submit({ digits: computeTotp(secret, now()) })
  // As if it had been half a minute ago, so that the code of now is not used yet.
  await database.pool.query('update totp_secrets set last_step = last_step - 1 where user_id = $1', [userId])
  const codes = [...done.text.matchAll(/<li>([A-Z2-7-]{19})<\/li>/g)].map(([, code = '']) => code)
  expect(codes.length).toBe(10)
  return { email, userId, secret, codes, browser }
}

describe('an account with an app of codes', () => {
  it('is signed in by password and code, and the same code is refused the second time', async () => {
    const { email, secret } = await enrol()
    const { browser, page } = await signInByPage(email)
    expect(page.text).toContain('One more step')
    expect((await browser.open('/account')).text).toContain('<h1>Sign in</h1>')
    const { browser: first } = await signInByPage(email)
    const code = computeTotp(secret, now())
    expect((await first.submit({ digits: code })).text).toContain(`Signed in as`)
    const { browser: second } = await signInByPage(email)
    const replayed = await second.submit({ digits: code })
    expect([replayed.status, replayed.text.includes('was used before')]).toEqual([401, true])
    expect((await second.submit({ digits: computeTotp(secret, now() + 1) })).text).toContain('Signed in as')
  })

  it('is asked in the middle of an authorization request too, which gives no code before', async () => {
    const { email, secret } = await enrol()
    const browser = newBrowser()
    const { accessToken } = await signIn({
      origin: program.origin,
      browser,
      act: async () => {
        const asked = await browser.submit({ email, password })
        expect(new URL(asked.address).origin).toBe(program.origin)
        expect(asked.text).toContain('One more step')
        return browser.submit({ digits: computeTotp(secret, now()) })
      },
    })
    expect(await program.askWho(accessToken)).toEqual({ status: 200, email })
  })

  it('is asked after a one-time link as well', async () => {
    const { userId, secret } = await enrol()
    const browser = newBrowser()
    await browser.open(`/sign-in?code=${await createOneTimeCode(database.db, userId, 'sign_in', 5)}`)
    expect((await browser.submit({})).text).toContain('One more step')
    expect((await browser.open('/account')).text).toContain('<h1>Sign in</h1>')
    await browser.open(`/sign-in?code=${await createOneTimeCode(database.db, userId, 'sign_in', 5)}`)
    await browser.submit({})
    await browser.submit({ digits: computeTotp(secret, now()) })
    expect((await browser.open('/account')).text).toContain('Signed in as')
  })

  it('takes five guesses, also when they come at once, whatever sign-in they belong to', async () => {
    const { email, secret } = await enrol()
    const asked = await Promise.all(Array.from({ length: 8 }, () => signInByPage(email)))
    const answers = await Promise.all(asked.map(({ browser }) => browser.submit({ digits: '000000' })))
    expect(answers.filter(({ status }) => status === 401).length).toBe(5)
    expect(answers.filter(({ status }) => status === 429).length).toBe(3)
    const { browser } = await signInByPage(email)
    expect((await browser.submit({ digits: computeTotp(secret, now()) })).status).toBe(429)
  })
})

describe('recovery codes', () => {
  it('sign in once each, are stored as hashes, and are replaced by new ones', async () => {
    const { email, codes, userId, secret, browser: owner } = await enrol()
    const { rows } = await database.pool.query('select t::text as row from recovery_codes t where user_id = $1', [
      userId,
    ])
    expect(rows.length).toBe(10)
    for (const { row } of rows) for (const code of codes) expect(row).not.toContain(code.replaceAll('-', ''))
    const use = async (code: string) => (await (await signInByPage(email)).browser.submit({ digits: code })).status
    expect(await use(codes[0]?.toLowerCase() ?? '')).toBe(200)
    expect(await use(codes[0] ?? '')).toBe(401)
    const { text } = await owner.open('/account/two-step/app')
    expect(text).toContain('9 recovery codes are left')
    const renewed = await owner.submit({ digits: computeTotp(secret, now()), renew: 'yes' })
    expect(renewed.text).toContain('Keep these codes')
    expect(await use(codes[1] ?? '')).toBe(401)
  })

  it('and codes turn it off; the owner hears of both, and the operator can help who has neither', async () => {
    const { email, browser, codes, userId } = await enrol()
    await browser.open('/account/two-step/app')
    expect((await browser.submit({ digits: codes[3] ?? '', renew: '', off: 'yes' })).text).toContain('sign-in is off')
    expect((await signInByPage(email)).page.text).toContain('Signed in as')
    const mails = (await program.readMails(2)).filter((mail) => mail.includes(email))
    expect(mails.some((mail) => mail.includes('was added'))).toBe(true)
    expect(mails.some((mail) => mail.includes('was removed'))).toBe(true)
    const other = await enrol()
    const context = { ...database, isEmbedded: false, config: program.context.config }
    expect(await resetTwoStep.run(context, [other.email], {})).toBe(other.userId)
    expect((await signInByPage(other.email)).page.text).toContain('Signed in as')
    expect(userId).not.toBe(other.userId)
  })
})

it('computes what RFC 6238 says', () => {
  const secret = Buffer.from('12345678901234567890')
  expect(encodeBase32(secret)).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
  expect([59, 1111111109, 1234567890, 20000000000].map((at) => computeTotp(secret, Math.floor(at / 30)))).toEqual([
    '287082',
    '081804',
    '005924',
    '353130',
  ])
})
