import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrowser } from '../../test/browser.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'

let program: TestProgram
let admin: string

beforeAll(async () => {
  program = await startProgram()
  admin = await program.signIn(await program.addUser('ada@example.org'))
})
afterAll(() => program.close())

const invite = async (email: string): Promise<string> =>
  (await program.call('POST', '/api/v1/orgs/ada/invites', { bearer: admin, body: { email } })).body.accept_url

const memberEmails = async (): Promise<string[]> =>
  (await program.call('GET', '/api/v1/orgs/ada/members', { bearer: admin })).body.items.map(
    (member: { email: string }) => member.email,
  )

test('who has no account makes one for the invited e-mail, and is in', async () => {
  const browser = createBrowser(program.url)
  const address = await invite('new@example.org')
  expect((await browser.open(address)).text).toContain('new@example.org')
  expect((await browser.submit({ name: 'New', password: 'short' })).status).toBe(422)
  const joined = await browser.submit({ name: 'New Person', password: 'correct horse battery' })
  expect(joined.address).toBe(`${program.url}/?signed-in=1`)
  expect(await memberEmails()).toContain('new@example.org')
  expect((await browser.open('/account')).text).toContain('New Person')
  expect((await browser.open(address)).status).toBe(410)
})

test('who has an account signs in and joins; another person cannot', async () => {
  const browser = createBrowser(program.url)
  await browser.open(await invite('first@example.org'))
  await browser.submit({ password: 'correct horse battery' })
  const other = await browser.open(await invite('second@example.org'))
  expect([other.status, await memberEmails()]).toEqual([409, expect.not.arrayContaining(['second@example.org'])])

  const stranger = createBrowser(program.url)
  await program.addUser('third@example.org')
  expect((await stranger.open(await invite('third@example.org'))).address).toContain('/sign-in?next=')
})
