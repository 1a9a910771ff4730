import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProgram, type TestProgram } from '../../../test/program.ts'
import { notificationKinds } from '../../notifications/kinds.ts'
import { addOrgMember, createOrg } from '../../organizations/service.ts'
import { deleteUsersPastGrace, findSessionPrincipal } from './service.ts'

let program: TestProgram

beforeAll(async () => {
  program = await startProgram()
})
afterAll(() => program.close())

const claims = (subject: string, email: string, emailVerified = true) => ({
  issuer: 'https://login.example.org',
  subject,
  email,
  emailVerified,
  sessionId: `session-${subject}`,
  isNamed: true,
  hasSecondProof: false,
  issuedAt: new Date(),
  expiresAt: new Date(Date.now() + 60_000),
})

test('the first sign-in makes the person, their organization and its project', async () => {
  const principal = await findSessionPrincipal(program.context.db, claims('sub-1', 'Grace.Hopper@example.org'))
  expect(principal?.email).toBe('grace.hopper@example.org')
  const second = await findSessionPrincipal(program.context.db, claims('sub-2', 'grace.hopper@other.example'))
  const bearer = await program.signIn({ id: second?.userId ?? '', email: second?.email ?? '' } as never)
  const { user } = (await program.call('GET', '/api/v1/users/me', { bearer })).body
  expect(user.org_admin_slugs).toEqual(['grace-hopper-2'])
  expect(user.projects).toEqual([{ org_slug: 'grace-hopper-2', project_slug: 'default', role: 'admin' }])
})

test('another issuer joins an account by verified e-mail only', async () => {
  const { db } = program.context
  const known = await program.addUser('linus@example.org')
  expect(await findSessionPrincipal(db, claims('sub-3', 'linus@example.org', false))).toBeUndefined()
  expect((await findSessionPrincipal(db, claims('sub-3', 'linus@example.org')))?.userId).toBe(known.id)
  expect((await findSessionPrincipal(db, claims('sub-3', 'renamed@example.org')))?.userId).toBe(known.id)
})

test('another issuer joins no account whose e-mail nobody has proven', async () => {
  const { db } = program.context
  const unproven = await program.addUser('squatted@example.org')
  await db.updateTable('users').set({ email_proven_at: null }).where('id', '=', unproven.id).execute()
  await expect(findSessionPrincipal(db, claims('sub-4', 'squatted@example.org'))).rejects.toMatchObject({
    code: 'email_not_proven',
  })
})

test('the profile keeps six notification kinds, and a change touches only what it names', async () => {
  const bearer = await program.signIn(await program.addUser('ada@example.org'))
  const profile = async () => (await program.call('GET', '/api/v1/users/me/profile', { bearer })).body.item
  const before = await profile()
  expect(Object.keys(before.notification_preferences).sort()).toEqual([...notificationKinds].sort())
  expect(before.notification_preferences.weekly_digest).toEqual({ email: true, in_app: false })
  const answer = await program.call('PATCH', '/api/v1/users/me/profile', {
    bearer,
    body: { timezone: 'Europe/Zurich', notification_preferences: { import_fail: { email: false } }, id: 'usr_other' },
  })
  expect(answer.status).toBe(200)
  expect(answer.body.item).toEqual({
    ...before,
    timezone: 'Europe/Zurich',
    notification_preferences: { ...before.notification_preferences, import_fail: { email: false, in_app: true } },
  })
  expect(await profile()).toEqual(answer.body.item)
})

test('a time zone or a default project that is not there is refused at its place', async () => {
  const bearer = await program.signIn(await program.addUser('bob@example.org'))
  const change = (body: object) => program.call('PATCH', '/api/v1/users/me/profile', { bearer, body })
  expect((await change({ timezone: 'Mars/Olympus' })).body.detail[0].loc).toEqual(['body', 'timezone'])
  const foreign = await change({ default_project_org_slug: 'ada', default_project_slug: 'default' })
  expect(foreign.body.detail[0].loc).toEqual(['body', 'default_project_slug'])
  const own = await change({ default_project_org_slug: 'bob', default_project_slug: 'default' })
  expect(own.body.item.default_project_slug).toBe('default')
  const unset = await change({ default_project_org_slug: null, default_project_slug: null })
  expect(unset.body.item.default_project_slug).toBeNull()
})

test('a sign-out ends the session at once', async () => {
  const user = await program.addUser('carol@example.org')
  const [one, other] = [await program.signIn(user), await program.signIn(user)]
  expect((await program.call('POST', '/api/v1/users/me/sign-out', { bearer: one })).status).toBe(200)
  expect((await program.call('GET', '/api/v1/users/me', { bearer: one })).status).toBe(401)
  expect((await program.call('GET', '/api/v1/users/me', { bearer: other })).status).toBe(200)
})

test('a deleted account is out at once, comes back by a sign-in, and is gone after the grace period', async () => {
  const { db } = program.context
  const user = await program.addUser('dan@example.org')
  const token = await program.makeToken(user, ['workspace:read'])
  const bearer = await program.signIn(user)
  expect((await program.call('DELETE', '/api/v1/users/me?confirm=x', { bearer })).body.code).toBe(
    'confirmation_mismatch',
  )
  const remove = () =>
    program
      .signIn(user)
      .then((session) => program.call('DELETE', '/api/v1/users/me?confirm=dan@example.org', { bearer: session }))
  expect((await remove()).status).toBe(200)
  expect((await program.call('GET', '/api/v1/users/me', { bearer: token })).status).toBe(401)
  await new Promise((resolve) => setTimeout(resolve, 1100))
  expect((await program.call('GET', '/api/v1/users/me', { bearer: await program.signIn(user) })).status).toBe(200)
  expect(await deleteUsersPastGrace(db)).toBe(0)

  await remove()
  await db
    .updateTable('users')
    .set({ deletion_requested_at: new Date(Date.now() - 8 * 86_400_000) })
    .where('id', '=', user.id)
    .execute()
  expect(await deleteUsersPastGrace(db)).toBe(1)
  expect((await program.call('GET', '/api/v1/users/me', { bearer: await program.signIn(user) })).status).toBe(401)
})

test('the only admin of an organization with other members cannot go', async () => {
  const { db } = program.context
  const user = await program.addUser('frank@example.org')
  const org = await createOrg(db, 'operator', { slug: 'shared-lab', name: 'Lab', adminUserId: user.id })
  await addOrgMember(db, org.id, (await program.addUser('guest@example.org')).id, 'member')
  const bearer = await program.signIn(user)
  const answer = await program.call('DELETE', '/api/v1/users/me?confirm=frank@example.org', { bearer })
  expect([answer.status, answer.body.code]).toEqual([409, 'last_admin'])
  expect(answer.body.detail).toContain('shared-lab')
})
