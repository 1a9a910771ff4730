import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrowser } from '../../test/browser.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { printInviteLink } from '../admin/people-commands.ts'

let program: TestProgram
let admin: string

beforeAll(async () => {
  program = await startProgram()
  admin = await program.signIn(await program.addUser('ada@example.org'))
})
afterAll(() => program.close())

const invite = async (email: string) =>
  (await program.call('POST', '/api/v1/orgs/ada/invites', { bearer: admin, body: { email } })).body

/** The link in the newest mail to an address, as its owner finds it. */
async function readMailedLink(email: string): Promise<string> {
  const folder = join(program.context.config.NMP_DATA_DIR, 'mail')
  const mails = await Promise.all((await readdir(folder)).sort().map((name) => readFile(join(folder, name), 'utf8')))
  const mail = mails.findLast((text) => text.includes(`To: ${email}`)) ?? ''
  return /http\S+\/invite\?token=\S+/.exec(mail.replaceAll('=\r\n', '').replaceAll('=3D', '='))?.[0] ?? ''
}
const inviteByMail = async (email: string): Promise<string> => {
  await invite(email)
  return readMailedLink(email)
}

const memberEmails = async (): Promise<string[]> =>
  (await program.call('GET', '/api/v1/orgs/ada/members', { bearer: admin })).body.items.map(
    (member: { email: string }) => member.email,
  )

test('who has no account makes one for the invited e-mail, and is in', async () => {
  const browser = createBrowser(program.url)
  const address = await inviteByMail('new@example.org')
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
  await browser.open(await inviteByMail('first@example.org'))
  await browser.submit({ password: 'correct horse battery' })
  const other = await browser.open(await inviteByMail('second@example.org'))
  expect([other.status, await memberEmails()]).toEqual([409, expect.not.arrayContaining(['second@example.org'])])

  const stranger = createBrowser(program.url)
  await program.addUser('third@example.org')
  expect((await stranger.open((await invite('third@example.org')).accept_url)).address).toContain('/sign-in?next=')
})

test('the link that the sender is shown makes no account, by the page nor by its form', async () => {
  const { accept_url, account_url, item } = await invite('victim@example.org')
  expect(account_url).toBe(null)
  const sender = createBrowser(program.url)
  const shown = await sender.open(accept_url)
  expect([shown.status, shown.text]).toEqual([403, expect.stringContaining('Open the link in the mail')])
  // The form of another invite, with this link's token: what a sender would try next.
  await sender.open(await inviteByMail('own@example.org'))
  const token = new URL(accept_url).searchParams.get('token') ?? ''
  expect((await sender.submit({ name: 'Eve', password: 'correct horse battery', token })).status).toBe(403)
  expect(await memberEmails()).not.toContain('victim@example.org')
  const { db } = program.context
  expect(await db.selectFrom('users').select('id').where('email', '=', 'victim@example.org').execute()).toEqual([])
  // It works for that person, once they are signed in.
  const victim = await program.signIn(await program.addUser('victim@example.org'))
  const accepted = await program.call('POST', '/api/v1/invites/accept', { bearer: victim, body: { token } })
  expect([accepted.status, accepted.body.item.id]).toEqual([200, item.id])
})

test('an account whose e-mail nobody has proven takes no invite, until a link from its mailbox proves it', async () => {
  const user = await program.addUser('doubtful@example.org')
  const bearer = await program.signIn(user)
  const { db } = program.context
  await db.updateTable('users').set({ email_proven_at: null }).where('id', '=', user.id).execute()
  const tokenOf = (address: string) => new URL(address).searchParams.get('token')
  const accept = (address: string) =>
    program.call('POST', '/api/v1/invites/accept', { bearer, body: { token: tokenOf(address) } })
  const refused = await accept((await invite('doubtful@example.org')).accept_url)
  expect([refused.status, refused.body.code]).toEqual([403, 'email_not_proven'])
  expect((await accept(await readMailedLink('doubtful@example.org'))).status).toBe(200)
  expect((await accept((await invite('doubtful@example.org')).accept_url)).status).toBe(200)
})

test('who runs the program is shown the link of the mailbox where there is no mail server, and nobody else', async () => {
  const bearer = await program.signIn(await program.addUser('admin@localhost'))
  const path = '/api/v1/orgs/admin/invites'
  const { status, body } = await program.call('POST', path, { bearer, body: { email: 'guest@example.org' } })
  expect(status, JSON.stringify(body)).toBe(201)
  const guest = createBrowser(program.url)
  await guest.open(body.account_url)
  await guest.submit({ name: 'Guest', password: 'correct horse battery' })
  expect((await guest.open('/account')).text).toContain('guest@example.org')
})

test('the operator prints that link by a command, which opens an account where the shown one does not', async () => {
  const { db, config } = program.context
  const { accept_url } = await invite('printed@example.org')
  const command = { db, config: { ...config, NMP_PUBLIC_URL: program.url } } as Parameters<
    typeof printInviteLink.run
  >[0]
  const printed = String(await printInviteLink.run(command, ['ada', 'printed@example.org'], {}))
  const guest = createBrowser(program.url)
  expect((await guest.open(accept_url)).status).toBe(403)
  await guest.open(printed)
  await guest.submit({ name: 'Guest', password: 'correct horse battery' })
  expect((await guest.open('/account')).text).toContain('printed@example.org')
  expect(await memberEmails()).toContain('printed@example.org')
})
