import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { inTransaction } from '../db/database.ts'
import type { User } from '../identity/users/service.ts'
import { findMonday, writeDigests } from './digest.ts'
import { sendDueMails } from './mail-sender.ts'
import { type NotificationRequest, notify } from './service.ts'

let program: TestProgram
let ada: User
let bob: User
let bearer: string
let mailFolder: string

beforeAll(async () => {
  program = await startProgram()
  mailFolder = join(program.context.config.NMP_DATA_DIR, 'mail')
  ada = await program.addUser('ada@example.org')
  bob = await program.addUser('bob@example.org')
  bearer = await program.signIn(ada)
})
afterAll(() => program.close())
beforeEach(() => rm(mailFolder, { recursive: true, force: true }))

const readMails = async (): Promise<string[]> => {
  const names = await readdir(mailFolder).catch(() => [])
  const mails = await Promise.all(names.sort().map((name) => readFile(join(mailFolder, name), 'utf8')))
  return mails.map((mail) => mail.replaceAll('=\r\n', '').replaceAll('=3D', '='))
}
const list = async (query = '', as = bearer) =>
  (await program.call('GET', `/api/v1/users/me/notifications${query}`, { bearer: as })).body
const tell = (more: Partial<NotificationRequest> = {}) =>
  inTransaction(program.context.db, (trx) =>
    notify(trx, {
      kind: 'import_fail',
      userIds: [ada.id],
      orgId: null,
      resourceKind: 'import',
      resourceId: 'imp_1',
      title: 'The import of pick-place failed: no episode was readable.',
      path: '/orgs/ada/projects/default/imports/imp_1',
      ...more,
    }),
  )
/** As if the time until the next attempt were over. */
const sendNow = async () => {
  await program.context.db
    .updateTable('mails')
    .set({ due_at: new Date(0) })
    .execute()
  return sendDueMails(program.context)
}

test('is listed, counted, mailed and marked', async () => {
  await tell({ title: 'First.\r\nBcc: x@y.z' })
  await tell({ severity: 'warning', detail: 'Episode 1 is left out: its table ends early.' })
  expect(await sendDueMails(program.context)).toBe(2)
  expect(await sendDueMails(program.context)).toBe(0)
  const mails = await readMails()
  expect(mails.filter((mail) => /^Bcc:/m.test(mail))).toEqual([])
  expect(mails[1]).toContain(`${program.url}/orgs/ada/projects/default/imports/imp_1`)
  expect(mails[1]).toContain('Episode 1 is left out: its table ends early.')
  expect(mails[1]).toMatch(/^Message-ID: <ntf_[0-9a-f]+@/m)

  const { items, unread_count } = await list()
  expect(unread_count).toBe(2)
  expect(items[0]).toMatchObject({
    kind: 'import_fail',
    severity: 'warning',
    detail: 'Episode 1 is left out: its table ends early.',
    resource_id: 'imp_1',
    url: `${program.url}/orgs/ada/projects/default/imports/imp_1`,
    read_at: null,
  })
  const first = await list('?limit=1')
  expect((await list(`?limit=1&cursor=${first.next_cursor}`)).items[0].title).toBe('First. Bcc: x@y.z')
  const read = (body: object) =>
    program.call('POST', '/api/v1/users/me/notifications/read', { bearer, body }).then((answer) => answer.body)
  expect(items[1]).toMatchObject({ severity: 'info', detail: null })
  expect(await read({ ids: [items[0].id] })).toEqual({ unread_count: 1 })
  expect((await list('?unread=true')).items).toHaveLength(1)
  expect(await read({})).toEqual({ unread_count: 0 })
  expect(await list('', await program.signIn(bob))).toMatchObject({ items: [], unread_count: 0 })
})

test("a person's switches decide, and an event that is rolled back told nobody", async () => {
  const body = { notification_preferences: { import_fail: { email: false }, episode_flag: { in_app: false } } }
  expect((await program.call('PATCH', '/api/v1/users/me/profile', { bearer, body })).status).toBe(200)
  const before = (await list()).items.length
  await tell()
  await tell({ kind: 'episode_flag', title: 'Bob flagged 3 episodes of pick-place.' })
  const failed = inTransaction(program.context.db, async (trx) => {
    await notify(trx, {
      kind: 'team_invite',
      userIds: [ada.id],
      orgId: null,
      resourceKind: 'x',
      resourceId: 'x',
      title: 'Never',
      path: '/',
    })
    throw new Error('rolled back')
  })
  await expect(failed).rejects.toThrow('rolled back')
  await sendNow()
  expect((await list()).items).toHaveLength(before + 1)
  expect(await readMails()).toEqual([expect.stringContaining('Subject: Bob flagged 3 episodes')])
})

test('a version that is made and one that can be downloaded are two mails', async () => {
  const about = { resourceKind: 'version', resourceId: 'ver_1', path: '/orgs/ada/versions/ver_1' }
  await tell({ ...about, kind: 'transform_done', title: 'blocks v2 is made and verified.' })
  await tell({ ...about, kind: 'export_ready', title: 'blocks v2 is ready to download.' })
  expect(await sendDueMails(program.context)).toBe(2)
  const mails = (await readMails()).filter((mail) => mail.includes('/orgs/ada/versions/ver_1'))
  expect(mails).toHaveLength(2)
  expect(mails.filter((mail) => mail.includes('made and verified'))).toHaveLength(1)
  expect(mails.filter((mail) => mail.includes('ready to download'))).toHaveLength(1)
})

test('a mail server that refuses is tried again, and a mail that never leaves is given up', async () => {
  const { context } = program
  await tell({ kind: 'team_invite', title: 'Come.' })
  const refusing = { ...context, sendMail: () => Promise.reject(new Error('451 later')) }
  expect(await sendDueMails(refusing)).toBe(0)
  expect(await sendDueMails(context)).toBe(0)
  const [waiting] = await context.db.selectFrom('mails').selectAll().execute()
  expect(waiting).toMatchObject({ attempt_count: 1, last_error: '451 later', failed_at: null })
  expect(await sendNow()).toBe(1)
  expect(await readMails()).toEqual([expect.stringContaining('Subject: Come.')])

  await tell({ kind: 'team_invite', title: 'Come again.' })
  await context.db.updateTable('mails').set({ attempt_count: 11 }).execute()
  await sendDueMails(refusing)
  const [given] = await context.db.selectFrom('mails').selectAll().execute()
  expect(given).toMatchObject({ failed_at: expect.any(Date), body: '' })
})

test('two senders at once send each mail once', async () => {
  for (let index = 0; index < 20; index += 1) await tell({ kind: 'team_invite', title: `Number ${index}.` })
  const sent = await Promise.all([1, 2, 3].map(() => sendDueMails(program.context)))
  expect(sent.reduce((sum, one) => sum + one)).toBe(20)
  expect(await readMails()).toHaveLength(20)
})

test('an invite reaches who has an account in both ways, and others by mail', async () => {
  const invite = (email: string) =>
    program.call('POST', '/api/v1/orgs/ada/invites', { bearer, body: { email } }).then(({ body }) => body)
  const known = await invite('bob@example.org')
  expect(known.mail_sent, 'there is no mail server').toBe(false)
  const { items } = await list('', await program.signIn(bob))
  expect(items[0]).toMatchObject({ kind: 'team_invite', url: known.accept_url })
  const unknown = await invite('new@example.org')
  const mails = await readMails()
  expect(mails.map((mail) => /^To: (.*?)\r?$/m.exec(mail)?.[1])).toEqual(['bob@example.org', 'new@example.org'])
  expect(mails[1]).toContain('/invite?token=')
  expect(mails[1]).not.toContain(unknown.accept_url)
  expect(await program.context.db.selectFrom('mails').select('id').where('failed_at', 'is', null).execute()).toEqual([])
})

test('the digest comes on Monday at eight where the reader lives, once, and only after a week with news', async () => {
  const monday = '2026-11-16'
  expect(findMonday('UTC', new Date('2026-11-16T07:59:00Z'))).toBeUndefined()
  expect(findMonday('UTC', new Date('2026-11-16T08:00:00Z'))).toBe(monday)
  expect(findMonday('America/Los_Angeles', new Date('2026-11-16T15:59:00Z'))).toBeUndefined()
  expect(findMonday('America/Los_Angeles', new Date('2026-11-16T16:00:00Z'))).toBe(monday)
  expect(findMonday('Pacific/Auckland', new Date('2026-11-15T19:00:00Z'))).toBe(monday)
  expect(findMonday('UTC', new Date('2026-11-17T08:00:00Z'))).toBeUndefined()
  expect(findMonday('Nowhere/Land', new Date())).toBeUndefined()

  const { db } = program.context
  const now = nextMonday()
  const org = await db.selectFrom('organizations').where('slug', '=', 'ada').select('id').executeTakeFirstOrThrow()
  const project = await db.selectFrom('projects').where('org_id', '=', org.id).select('id').executeTakeFirstOrThrow()
  await inTransaction(db, async (trx) => {
    const finished = { state: 'failed', error_code: 'x', finished_at: new Date(now.getTime() - 86_400_000) } as const
    await trx
      .insertInto('jobs')
      .values({ id: 'imp_9', org_id: org.id, kind: 'import', ...finished })
      .execute()
    await trx
      .insertInto('imports')
      .values({
        id: 'imp_9',
        project_id: project.id,
        dataset_slug: 'a',
        title: 'a',
        source_kind: 'hdf5',
        fingerprint: 'a'.repeat(64),
        options: '{}',
        upload_ids: [],
      })
      .execute()
  })
  expect(await writeDigests(program.context, now)).toBe(1)
  expect(await writeDigests(program.context, now)).toBe(0)
  await sendNow()
  const [mail, ...others] = await readMails()
  expect(others).toEqual([])
  expect(mail).toContain('To: ada@example.org')
  expect(mail).toContain('ada/default: 1 failed')
})

const nextMonday = (): Date => {
  const day = new Date(Date.now() + 7 * 86_400_000)
  day.setUTCDate(day.getUTCDate() + ((8 - day.getUTCDay()) % 7))
  day.setUTCHours(9, 0, 0, 0)
  return day
}
