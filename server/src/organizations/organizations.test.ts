import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { inTransaction } from '../db/database.ts'
import { publishBlobs, stageBlob } from '../storage/blobs.ts'
import { deleteOrgsPastGrace } from './service.ts'

let program: TestProgram
let admin: string

const call = (method: string, path: string, body?: unknown, bearer = admin) =>
  program.call(method, `/api/v1${path}`, { bearer, ...(body === undefined ? {} : { body }) })

beforeAll(async () => {
  program = await startProgram()
  admin = await program.signIn(await program.addUser('ada@example.org'))
  await call('POST', '/orgs', { slug: 'acme', name: 'Acme Robotics' })
})
afterAll(() => program.close())

async function invite(email: string, more: object = {}) {
  const { body } = await call('POST', '/orgs/acme/invites', { email, ...more })
  return { ...body, token: new URL(body.accept_url).searchParams.get('token') }
}

test('a person comes in by invite, with the roles it names', async () => {
  await call('POST', '/orgs/acme/projects', { slug: 'grasping' })
  const { token, mail_sent, item } = await invite('Bob@example.org', {
    project_slug: 'grasping',
    project_role: 'editor',
  })
  expect([mail_sent, item.email]).toEqual([false, 'bob@example.org'])
  const bob = await program.signIn(await program.addUser('bob@example.org'))
  const eve = await program.signIn(await program.addUser('eve@example.org'))
  expect((await call('POST', '/invites/accept', { token }, eve)).body.code).toBe('invite_not_usable')
  expect((await call('POST', '/invites/accept', { token }, bob)).body.item.org_slug).toBe('acme')
  expect((await call('POST', '/invites/accept', { token }, bob)).body.code).toBe('invite_not_usable')
  const { items } = (await call('GET', '/orgs/acme/projects', undefined, bob)).body
  expect(items.map((project: { project_slug: string; role: string }) => [project.project_slug, project.role])).toEqual([
    ['grasping', 'editor'],
  ])
})

test('an invite never lowers a role that is held, and takes the place of those that are open', async () => {
  const fay = await program.addUser('fay@example.org')
  const bearer = await program.signIn(fay)
  const roleOf = async () => {
    const { body } = await call('GET', '/orgs/acme/projects/grasping/members')
    return body.items.find(({ email }: { email: string }) => email === 'fay@example.org')?.role
  }
  for (const [invited, role] of [
    ['editor', 'editor'],
    ['viewer', 'editor'],
    [undefined, 'editor'],
    ['admin', 'admin'],
  ]) {
    const { token } = await invite('fay@example.org', { project_slug: 'grasping', project_role: invited })
    expect((await call('POST', '/invites/accept', { token }, bearer)).status).toBe(200)
    expect(await roleOf()).toBe(role)
  }
  await Promise.all(Array.from({ length: 5 }, () => invite('gus@example.org')))
  const { body } = await call('GET', '/orgs/acme/invites?limit=100')
  const open = body.items.filter(
    ({ email, revoked_at }: Record<string, string | null>) => email === 'gus@example.org' && revoked_at === null,
  )
  expect(open).toHaveLength(1)
})

test('the mail carries a link that its sender is not shown, and names nothing a stranger could inject', async () => {
  const { accept_url } = await invite('carol@example.org')
  const folder = join(program.context.config.NMP_DATA_DIR, 'mail')
  const mails = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')))
  const mail = mails.find((text) => text.includes('To: carol@example.org'))
  const text = mail?.replaceAll('=\r\n', '').replaceAll('=3D', '=')
  expect(text).toContain(`${program.url}/invite?token=`)
  expect(text).not.toContain(accept_url)
  const tricked = await call('POST', '/orgs/acme/invites', { email: 'a@b.c\r\nBcc: x@y.z' })
  expect(tricked.status).toBe(422)
})

test('an old, revoked or replaced invite opens nothing', async () => {
  const dan = await program.signIn(await program.addUser('dan@example.org'))
  const first = await invite('dan@example.org')
  const second = await invite('dan@example.org')
  expect((await call('POST', '/invites/accept', { token: first.token }, dan)).body.code).toBe('invite_not_usable')
  await call('DELETE', `/orgs/acme/invites/${second.item.id}`)
  expect((await call('POST', '/invites/accept', { token: second.token }, dan)).body.code).toBe('invite_not_usable')
  const third = await invite('dan@example.org')
  await program.context.db
    .updateTable('invites')
    .set({ expires_at: new Date(0) })
    .where('id', '=', third.item.id)
    .execute()
  expect((await call('POST', '/invites/accept', { token: third.token }, dan)).body.code).toBe('invite_not_usable')
})

test('an organization is never without an admin, also when two leave at once', async () => {
  await call('POST', '/orgs', { slug: 'duo' })
  const users = [await program.addUser('x@example.org'), await program.addUser('y@example.org')]
  const { id } = (await call('GET', '/orgs/duo')).body.item
  const { db } = program.context
  for (const user of users)
    await db.insertInto('org_members').values({ org_id: id, user_id: user.id, role: 'admin' }).execute()
  const { items } = (await call('GET', '/orgs/duo/members')).body
  const leavers = [admin, await program.signIn(users[0] as never), await program.signIn(users[1] as never)]
  const answers = await Promise.all(
    items.map((member: { user_id: string; email: string }) => {
      const index = ['ada@example.org', 'x@example.org', 'y@example.org'].indexOf(member.email)
      return call('DELETE', `/orgs/duo/members/${member.user_id}`, undefined, leavers[index])
    }),
  )
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 200, 409])
  const admins = await db.selectFrom('org_members').select('user_id').where('org_id', '=', id).execute()
  expect(admins).toHaveLength(1)
})

test('who is removed has no role left in the projects', async () => {
  const user = await program.addUser('gone@example.org')
  const bearer = await program.signIn(user)
  const { token } = await invite('gone@example.org', { project_slug: 'grasping' })
  await call('POST', '/invites/accept', { token }, bearer)
  expect((await call('GET', '/orgs/acme/projects/grasping', undefined, bearer)).status).toBe(200)
  await call('DELETE', `/orgs/acme/members/${user.id}`)
  expect((await call('GET', '/orgs/acme/projects/grasping', undefined, bearer)).status).toBe(404)
  const { items } = (await call('GET', '/orgs/acme/projects/grasping/members')).body
  expect(items.map((member: { user_id: string }) => member.user_id)).not.toContain(user.id)
})

test('a project is renamed, archived and opened; the visit is remembered for the visitor', async () => {
  await call('POST', '/orgs/acme/projects', { slug: 'walking', name: 'Walking' })
  expect((await call('POST', '/orgs/acme/projects', { slug: 'walking' })).body.code).toBe('slug_taken')
  const archived = await call('PATCH', '/orgs/acme/projects/walking', { name: 'Running', status: 'archived' })
  expect([archived.body.item.name, archived.body.item.status]).toEqual(['Running', 'archived'])
  expect(archived.body.item.last_opened_at).toBeNull()
  expect((await call('GET', '/orgs/acme/projects/walking')).body.item.last_opened_at).not.toBeNull()
})

test('a deletion waits, can be taken back, and then takes everything with it', async () => {
  await call('POST', '/orgs', { slug: 'doomed' })
  expect((await call('DELETE', '/orgs/doomed?confirm=other')).body.code).toBe('confirmation_mismatch')
  const asked = await call('DELETE', '/orgs/doomed?confirm=doomed')
  expect(Date.parse(asked.body.item.deletion_at)).toBeGreaterThan(Date.now() + 6 * 86_400_000)
  expect((await call('POST', '/orgs/doomed/restore')).body.item.deletion_at).toBeNull()
  await call('DELETE', '/orgs/doomed?confirm=doomed')
  expect(await deleteOrgsPastGrace(program.context.db)).toBe(0)
  await program.context.db
    .updateTable('organizations')
    .set({ deletion_requested_at: new Date(Date.now() - 8 * 86_400_000) })
    .where('slug', '=', 'doomed')
    .execute()
  expect(await deleteOrgsPastGrace(program.context.db)).toBe(1)
  expect((await call('GET', '/orgs/doomed')).status).toBe(404)
})

test('storage is counted by content, per organization', async () => {
  const { db, storage } = program.context
  const { id } = (await call('GET', '/orgs/acme')).body.item
  const blob = await stageBlob(storage, { id: 'imp_1', epoch: 1 }, Readable.from([Buffer.from('frames')]))
  const entries = ['a.bin', 'b.bin'].map((logicalPath) => ({ ...blob, logicalPath }))
  await inTransaction(db, (trx) => publishBlobs(trx, { kind: 'dataset', id: 'ds_1', orgId: id }, entries))
  const usage = { storage_bytes: 6, object_count: 1, quota_bytes: null }
  expect((await call('GET', '/orgs/acme/usage')).body.item).toEqual(usage)
  expect((await call('GET', '/orgs/ada/usage')).body.item).toEqual({
    storage_bytes: 0,
    object_count: 0,
    quota_bytes: null,
  })
  // As an older program writes them while the APIs of a fleet are replaced.
  await db.updateTable('blob_references').set({ size_bytes: null }).where('owner_id', '=', 'ds_1').execute()
  expect((await call('GET', '/orgs/acme/usage')).body.item).toEqual(usage)
})

test('the audit log tells who did what, and cannot be changed', async () => {
  const { items } = (await call('GET', '/orgs/acme/audit-events?limit=200')).body
  const actions = items.map((event: { action: string }) => event.action)
  for (const action of [
    'org.create',
    'project.create',
    'invite.create',
    'invite.accept',
    'member.remove',
    'project.change',
  ])
    expect(actions).toContain(action)
  const { db } = program.context
  await expect(db.deleteFrom('audit_events').execute()).rejects.toThrow('append-only')
})
