import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Json, openDoor } from '../../test/hub-door.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { publishRecording } from '../../test/published-dataset.ts'

/** Repositories as such: who finds which, and what is done to them. */
let program: TestProgram
let session: string
let reader: ReturnType<typeof openDoor>
let admin: ReturnType<typeof openDoor>
let stranger: ReturnType<typeof openDoor>

beforeAll(async () => {
  program = await startProgram()
  const ada = await program.addUser('ada@example.org')
  session = await program.signIn(ada)
  reader = openDoor(program, await program.makeToken(ada, ['workspace:read', 'imports:write']))
  admin = openDoor(program, await program.makeToken(ada, ['workspace:read', 'imports:write', 'datasets:write']))
  stranger = openDoor(program, await program.makeToken(await program.addUser('eve@example.org'), ['workspace:read']))
  const { rows } = await sql<{ orgId: string; projectId: string }>`
    select org_id as "orgId", project.id as "projectId" from projects project
    join organizations org on org.id = org_id where org.slug = 'ada'`.execute(program.context.db)
  const place = rows[0] as { orgId: string; projectId: string }
  for (const slug of ['cubes', 'towels', 'cups']) await publishRecording(program.context, { ...place, slug }, [3, 4])
  await program.call('PATCH', '/api/v1/orgs/ada/projects/default/datasets/cubes', {
    bearer: session,
    body: { visibility: 'public', tags: ['so101'], licence: 'mit' },
  })
  await reader.commit('ada/plain', { 'a.csv': '1' })
})
afterAll(() => program.close())

const list = async (door: typeof reader, query = ''): Promise<string[]> =>
  (await door.ask('GET', `/api/datasets${query}`)).body.map(({ id }: Json) => id)

test('everybody lists what is public, members what is theirs', async () => {
  expect((await list(reader)).toSorted()).toEqual(
    ['cubes', 'cups', 'plain', 'towels'].map((slug) => `ada/default.${slug}`),
  )
  expect(await list(stranger)).toEqual(['ada/default.cubes'])
  expect(await list(openDoor(program, ''))).toEqual(['ada/default.cubes'])
})

test.each([
  ['?search=CU', ['cubes', 'cups']],
  ['?search=cu&search=be', ['cubes']],
  ['?author=ada&filter=so101', ['cubes']],
  ['?filter=license:mit', ['cubes']],
  ['?filter=task_categories:robotics', ['cubes', 'cups', 'towels']],
  ['?author=eve', []],
])('%s lists %j', async (query, slugs) => {
  expect((await list(reader, query)).toSorted()).toEqual(slugs.map((slug) => `ada/default.${slug}`))
})

test('a list is sorted and comes in as many as were asked for', async () => {
  const newest = await list(reader, '?sort=createdAt')
  expect(newest[0]).toBe('ada/default.plain')
  expect(await list(reader, '?sort=createdAt&limit=2')).toEqual(newest.slice(0, 2))
  expect((await reader.ask('GET', '/api/datasets?sort=nonsense')).status).toBe(400)
  expect((await reader.ask('GET', '/api/datasets?limit=-1')).status).toBe(400)
})

test('a dataset is deleted by an admin with the scope, and can be taken back; a plain repository is gone', async () => {
  const ask = (door: typeof reader, name: string) =>
    door.ask('DELETE', '/api/repos/delete', { name, organization: 'ada', type: 'dataset' })
  const refused = await ask(reader, 'towels')
  expect([refused.status, refused.body.error]).toEqual([403, expect.stringContaining('datasets:write')])
  expect((await ask(admin, 'towels')).status).toBe(200)
  expect((await admin.ask('GET', '/api/datasets/ada/towels')).status).toBe(404)
  const pushed = await admin.commit('ada/towels', { 'a.txt': 'a' })
  expect([pushed.status, pushed.body.error]).toEqual([409, expect.stringContaining('being deleted')])
  const path = '/api/v1/orgs/ada/projects/default/datasets/towels/restore'
  expect((await program.call('POST', path, { bearer: session })).status).toBe(200)
  expect((await admin.ask('GET', '/api/datasets/ada/towels')).status).toBe(200)
  expect((await ask(admin, 'plain')).status).toBe(200)
  expect((await ask(admin, 'plain')).headers.get('x-error-code')).toBe('RepoNotFound')
})

test('visibility is for a session, as in the console; names and copies are refused in sentences', async () => {
  const settings = (door: typeof reader, body: object) => door.ask('PUT', '/api/datasets/ada/cups/settings', body)
  expect((await settings(admin, { private: false })).status).toBe(403)
  expect((await settings(openDoor(program, session), { visibility: 'public' })).status).toBe(200)
  expect((await openDoor(program, '').ask('GET', '/api/datasets/ada/cups')).body.private).toBe(false)
  expect((await settings(admin, { gated: 'auto' })).status).toBe(400)
  for (const [path, words] of [
    ['/api/repos/move', 'cannot be renamed'],
    ['/api/datasets/ada/cups/duplicate', 'Derive a version'],
  ]) {
    const answer = await admin.ask('POST', path ?? '', {})
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(words ?? '')])
  }
})
