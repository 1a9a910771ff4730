import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { publishRecording } from '../../test/published-dataset.ts'
import { signSession } from '../../test/second-proof.ts'
import { inTransaction } from '../db/database.ts'
import { notify } from '../notifications/service.ts'
import { createProject } from '../organizations/projects/service.ts'
import { addOrgMember, createOrg } from '../organizations/service.ts'

let program: TestProgram
/** Sessions of the organization's admin and of a member, with a password only and with a second proof. */
let plain: string
let proven: string
let member: string
let datasetId: string
let publicId: string

const call = (method: string, path: string, bearer?: string, body?: unknown) =>
  program.call(method, path, { ...(bearer ? { bearer } : {}), ...(body === undefined ? {} : { body }) })
const require = (bearer: string, value: boolean) =>
  call('PATCH', '/api/v1/orgs/guarded', bearer, { require_two_step: value })
const answer = async (method: string, path: string, bearer?: string, body?: unknown) => {
  const { status, body: said } = await call(method, path, bearer, body)
  return status < 400 ? status : [status, said.code]
}
const refused = [403, 'two_step_required']

beforeAll(async () => {
  program = await startProgram()
  const { context } = program
  const { db } = context
  const ada = await program.addUser('ada@example.org')
  const bob = await program.addUser('bob@example.org')
  plain = await signSession(context, ada, ['pwd'])
  proven = await signSession(context, ada, ['pop', 'user', 'mfa'])
  member = await signSession(context, bob, ['pwd'])
  const org = await createOrg(db, 'operator', { slug: 'guarded', name: 'Guarded', adminUserId: ada.id })
  await addOrgMember(db, org.id, bob.id, 'admin')
  const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
  const place = { orgId: org.id, projectId: project.id }
  datasetId = (await publishRecording(context, { ...place, slug: 'secret' }, [3])).datasetId
  publicId = (await publishRecording(context, { ...place, slug: 'open' }, [3])).datasetId
  await inTransaction(db, async (trx) => {
    const about = { userIds: [ada.id], resourceKind: 'job', resourceId: 'job_1', path: '/' } as const
    await notify(trx, { ...about, kind: 'import_fail', orgId: org.id, title: 'The import of secret failed.' })
    await notify(trx, { ...about, kind: 'export_ready', orgId: null, title: 'The export of elsewhere is ready.' })
  })
  const path = '/api/v1/orgs/guarded/projects/lab/datasets/open'
  expect((await call('PATCH', path, proven, { visibility: 'public' })).status).toBe(200)
})
afterAll(() => program.close())

test('only an admin who has a second proof can ask it of the others, and the name is changed as before', async () => {
  expect(await answer('PATCH', '/api/v1/orgs/guarded', plain, { require_two_step: true })).toEqual(refused)
  expect((await call('PATCH', '/api/v1/orgs/guarded', plain, { name: 'Guarded' })).body.item.require_two_step).toBe(
    false,
  )
  expect((await call('PATCH', '/api/v1/orgs/guarded', plain, {})).status).toBe(422)
  expect((await require(proven, true)).body.item.require_two_step).toBe(true)
})

describe('an organization that asks for two-step sign-in', () => {
  test('is closed to sessions without it, everywhere, and says where to turn it on', async () => {
    for (const path of [
      '/api/v1/orgs/guarded',
      '/api/v1/orgs/guarded/members',
      '/api/v1/orgs/guarded/projects/lab/datasets/secret',
      `/api/v1/catalog/datasets/${datasetId}`,
      `/api/v1/catalog/datasets/${datasetId}/episodes`,
    ]) {
      expect([path, await answer('GET', path, member)]).toEqual([path, refused])
      expect([path, await answer('GET', path, proven)]).toEqual([path, 200])
    }
    expect((await call('GET', '/api/v1/orgs/guarded', member)).body.detail).toContain('/account/two-step')
    expect(await answer('PATCH', '/api/v1/orgs/guarded', member, { require_two_step: false })).toEqual(refused)
  })

  test('is closed at the Hub door, and lists nothing there', async () => {
    const closed = await call('GET', '/hf/api/datasets/guarded/secret', member)
    expect([closed.status, closed.headers.get('x-error-code')]).toEqual(refused)
    expect(closed.body.error).toContain('/account/two-step')
    expect(await answer('GET', '/hf/api/datasets/guarded/secret', proven)).toBe(200)
    const list = async (bearer: string) =>
      (await call('GET', '/hf/api/datasets?author=guarded', bearer)).body.map(({ id }: { id: string }) => id).sort()
    expect(await list(member)).toEqual(['guarded/lab.open'])
    expect(await list(proven)).toEqual(['guarded/lab.open', 'guarded/lab.secret'])
  })

  test('is open for what is public, also to its members without it', async () => {
    expect(await answer('GET', `/api/v1/catalog/datasets/${publicId}`, member)).toBe(200)
    expect(await answer('GET', '/hf/api/datasets/guarded/open', member)).toBe(200)
    expect(await answer('GET', `/api/v1/catalog/datasets/${publicId}`)).toBe(200)
  })

  test('counts a token as the session that made it', async () => {
    const makeToken = async (bearer: string): Promise<string> =>
      (await call('POST', '/api/v1/users/me/tokens', bearer, { name: 'ci', scopes: ['workspace:read'] })).body.token
    expect(await answer('GET', '/api/v1/orgs/guarded', await makeToken(plain))).toEqual(refused)
    expect(await answer('GET', '/api/v1/orgs/guarded', await makeToken(proven))).toBe(200)
  })

  test('is closed in the inbox: not listed, counted, told live or marked until the second proof is there', async () => {
    const inbox = async (bearer: string) => (await call('GET', '/api/v1/users/me/notifications', bearer)).body
    const listed = async (bearer: string) =>
      (await inbox(bearer)).items.map(({ title }: { title: string }) => title).sort()
    const stream = (bearer: string) =>
      program.call('GET', '/api/v1/events?seconds=0', { bearer, headers: { 'last-event-id': '1' } })
    expect(await listed(plain)).toEqual(['The export of elsewhere is ready.'])
    expect((await inbox(plain)).unread_count).toBe(1)
    expect(await listed(proven)).toEqual(['The export of elsewhere is ready.', 'The import of secret failed.'])
    expect((await inbox(proven)).unread_count).toBe(2)

    expect((await stream(plain)).body).toContain('"unread_count":1')
    expect((await stream(plain)).body).not.toContain('The import of secret')
    expect((await stream(proven)).body).toContain('The import of secret')

    const ids = (await inbox(proven)).items.map(({ id }: { id: string }) => id)
    for (const body of [{ ids }, {}]) await call('POST', '/api/v1/users/me/notifications/read', plain, body)
    expect((await inbox(proven)).unread_count).toBe(1)
  })

  test('leaves what is elsewhere alone', async () => {
    expect(await answer('GET', '/api/v1/orgs/bob', member)).toBe(200)
    expect(await answer('GET', '/api/v1/users/me', member)).toBe(200)
  })

  test('opens again when it no longer asks', async () => {
    await require(proven, false)
    expect(await answer('GET', '/api/v1/orgs/guarded', member)).toBe(200)
  })
})
