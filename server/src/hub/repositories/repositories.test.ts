import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Json, openDoor } from '../../../test/hub-door.ts'
import { waitForImport } from '../../../test/import-dataset.ts'
import { startProgram, type TestProgram } from '../../../test/program.ts'
import { publishRecording } from '../../../test/published-dataset.ts'

const datasets = '/api/v1/orgs/ada/projects/default/datasets'

/** Repositories as such: who finds which, and what is done to them. */
let program: TestProgram
let session: string
let reader: ReturnType<typeof openDoor>
let admin: ReturnType<typeof openDoor>
let editor: ReturnType<typeof openDoor>
let stranger: ReturnType<typeof openDoor>
let place: { orgId: string; projectId: string }

beforeAll(async () => {
  program = await startProgram()
  const ada = await program.addUser('ada@example.org')
  session = await program.signIn(ada)
  reader = openDoor(program, await program.makeToken(ada, ['workspace:read', 'imports:write']))
  const scopes = ['workspace:read', 'imports:write', 'datasets:write', 'datasets:delete'] as const
  admin = openDoor(program, await program.makeToken(ada, [...scopes]))
  editor = openDoor(program, await program.makeToken(ada, scopes.slice(0, -1)))
  stranger = openDoor(program, await program.makeToken(await program.addUser('eve@example.org'), ['workspace:read']))
  const { rows } = await sql<{ orgId: string; projectId: string }>`
    select org_id as "orgId", project.id as "projectId" from projects project
    join organizations org on org.id = org_id where org.slug = 'ada'`.execute(program.context.db)
  place = rows[0] as typeof place
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
  const { body: expanded } = await reader.ask('GET', '/api/datasets?search=cubes&expand=tags&expand=likes')
  expect(Object.keys(expanded[0]).toSorted()).toEqual(['_id', 'id', 'likes', 'tags'])
  expect((await reader.ask('GET', '/api/datasets?sort=nonsense')).status).toBe(400)
  expect((await reader.ask('GET', '/api/datasets?limit=-1')).status).toBe(400)
})

test('a dataset is deleted by an admin with the scope, and can be taken back; a plain repository is gone', async () => {
  const ask = (door: typeof reader, name: string) =>
    door.ask('DELETE', '/api/repos/delete', { name, organization: 'ada', type: 'dataset' })
  const refused = await ask(reader, 'towels')
  expect([refused.status, refused.body.error]).toEqual([403, expect.stringContaining('datasets:delete')])
  expect((await ask(editor, 'towels')).status, 'who may change it may not delete it').toBe(403)
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

test('a repository that is deleted while it is imported does not come back as a dataset', async () => {
  const made = await admin.ask('POST', '/api/datasets/ada/cubes/duplicate', { repository: 'ada/brief' })
  expect(made.status).toBe(200)
  const find = async () =>
    (
      await program.call('GET', '/api/v1/orgs/ada/projects/default/imports?q=brief', { bearer: session })
    ).body.items.map(({ status }: Json) => status)
  expect(await find()).toEqual(['queued'])
  const answer = await admin.ask('DELETE', '/api/repos/delete', { name: 'ada/brief', type: 'dataset' })
  expect(answer.status).toBe(200)
  expect(await find()).toEqual(['canceled'])
  expect((await admin.ask('GET', '/api/datasets/ada/brief')).status).toBe(404)
})

test('visibility is for a session, as in the console', async () => {
  const settings = (door: typeof reader, body: object) => door.ask('PUT', '/api/datasets/ada/cups/settings', body)
  expect((await settings(admin, { private: false })).status).toBe(403)
  expect((await settings(openDoor(program, session), { visibility: 'public' })).status).toBe(200)
  expect((await openDoor(program, '').ask('GET', '/api/datasets/ada/cups')).body.private).toBe(false)
  expect((await settings(admin, { gated: 'auto' })).status).toBe(400)
})

describe('a repository gets another name', () => {
  const move = (door: typeof reader, fromRepo: string, toRepo: string, type = 'dataset') =>
    door.ask('POST', '/api/repos/move', { fromRepo, toRepo, type })
  const findId = async (slug: string) =>
    (await program.call('GET', `${datasets}/${slug}`, { bearer: session })).body.item?.id

  test('with its id, commits and tags; the old one leads to it until something else is called so', async () => {
    const id = await findId('cups')
    const before = await admin.list('ada/cups')
    await admin.ask('POST', '/api/datasets/ada/cups/tag/main', { tag: 'kept' })
    const moved = await move(admin, 'ada/cups', 'ada/Mugs')
    expect([moved.status, moved.body.url]).toEqual([200, `${program.url}/hf/datasets/ada/Mugs`])
    for (const name of ['ada/cups', 'ada/mugs', 'ada/default.cups']) {
      expect((await admin.ask('GET', `/api/datasets/${name}/revision/kept`)).body.id).toBe('ada/default.mugs')
      expect(await admin.list(name)).toEqual(before)
    }
    expect([await findId('cups'), await findId('mugs')]).toEqual([id, id])
    expect((await openDoor(program, '').ask('GET', '/api/datasets/ada/cups')).body.id).toBe('ada/default.mugs')
    expect(await list(reader, '?search=default.cups')).toEqual([])
    expect((await move(admin, 'ada/mugs', 'ada/beakers')).status).toBe(200)
    expect(await findId('cups')).toBe(id)
    expect((await admin.ask('POST', '/api/datasets/ada/cubes/duplicate', { repository: 'ada/cups' })).status).toBe(409)
    expect((await move(admin, 'ada/towels', 'ada/cups')).status).toBe(200)
    expect(await findId('cups')).not.toBe(id)
    expect((await move(admin, 'ada/cups', 'ada/towels')).status).toBe(200)
    expect((await move(admin, 'ada/beakers', 'ada/cups')).status).toBe(200)
    expect([await findId('mugs'), await findId('towels')]).toEqual([id, expect.not.stringMatching(id)])
  })

  test('with what is pushed to it, and is pushed to by the old one', async () => {
    await admin.commit('ada/notes', { 'a.txt': 'a' })
    expect((await move(admin, 'ada/notes', 'ada/papers')).status).toBe(200)
    await admin.commit('ada/notes', { 'b.txt': 'b' })
    expect([await admin.read('ada/papers', 'a.txt'), await admin.read('ada/papers', 'b.txt')]).toEqual(['a', 'b'])
    expect((await admin.ask('DELETE', '/api/repos/delete', { name: 'ada/papers', type: 'dataset' })).status).toBe(200)
    expect((await admin.ask('GET', '/api/datasets/ada/notes')).status).toBe(404)
  })

  test.each([
    ['no role to delete it', () => move(reader, 'ada/cups', 'ada/mugs'), 403, 'datasets:write'],
    ['a name that is taken', () => move(admin, 'ada/cups', 'ada/cubes'), 409, 'ada/cubes already exists'],
    ['another organization', () => move(admin, 'ada/cups', 'eve/cups'), 400, 'duplicate_repo'],
    ['another project', () => move(admin, 'ada/cups', 'ada/other.cups'), 400, 'duplicate_repo'],
    ['a name of one part', () => move(admin, 'ada/cups', 'cups'), 400, 'ORG/NAME'],
    ['what is not there', () => move(admin, 'ada/nothing', 'ada/mugs'), 404, 'no such repository'],
  ])('is refused with %s', async (_case, ask, status, words) => {
    const before = await findId('cups')
    const refused = await ask()
    expect([refused.status, refused.body.error]).toEqual([status, expect.stringContaining(words)])
    expect(await findId('cups')).toBe(before)
  })

  test('not while an import runs into it; and at the API, where it is a slug', async () => {
    await admin.ask('POST', '/api/datasets/ada/cubes/duplicate', { repository: 'ada/coming' })
    const early = await move(admin, 'ada/coming', 'ada/came')
    expect([early.status, early.body.error]).toEqual([409, expect.stringContaining('has not ended')])
    await admin.ask('DELETE', '/api/repos/delete', { name: 'ada/coming', type: 'dataset' })
    const rename = (slug: string, to: string) =>
      program.call('POST', `${datasets}/${slug}/rename`, { bearer: session, body: { slug: to } })
    expect((await rename('cups', 'mugs')).body.item).toMatchObject({ slug: 'mugs', id: await findId('mugs') })
    expect((await rename('mugs', 'No slug')).status).toBe(422)
    expect((await rename('cups', 'cups')).body.item.slug).toBe('cups')
  })
})

describe('a duplicate', () => {
  const duplicate = (door: typeof reader, from: string, repository: string) =>
    door.ask('POST', `/api/datasets/${from}/duplicate`, { repository, visibility: 'private' })

  test('has the files and the card of what it was made from, and becomes a dataset of its own', async () => {
    const made = await duplicate(reader, 'ada/cubes', 'ada/Cubes_Again')
    expect([made.status, made.body.id]).toEqual([200, 'ada/default.cubes-again'])
    expect(made.body.url).toBe(`${program.url}/hf/datasets/ada/Cubes_Again`)
    const names = ['ada/cubes', 'ada/cubes-again'] as const
    const [first, second] = await Promise.all(names.map((name) => reader.list(name)))
    expect(second).toEqual(first)
    for (const path of ['meta/info.json', 'README.md'])
      expect(await reader.read('ada/cubes-again', path)).toBe(await reader.read('ada/cubes', path))
    const { body: history } = await reader.ask('GET', '/api/datasets/ada/cubes-again/commits/main')
    expect(history[0].title).toBe('Duplicate of ada/default.cubes')
    const { body: imports } = await program.call('GET', '/api/v1/orgs/ada/projects/default/imports', {
      bearer: session,
    })
    const worker = program.startWorker()
    const ended = await waitForImport(program, session, { org: 'ada', project: 'default' }, imports.items[0].id)
    await worker.stop(0)
    expect(ended).toMatchObject({ status: 'succeeded', dataset_slug: 'cubes-again' })
    const { body } = await program.call('GET', '/api/v1/orgs/ada/projects/default/datasets/cubes-again', {
      bearer: session,
    })
    expect(body.item).toMatchObject({ visibility: 'private', licence: 'mit', tags: expect.arrayContaining(['so101']) })
    expect((await reader.ask('GET', '/api/datasets/ada/cubes-again/revision/v3.0')).body.private).toBe(true)
  })

  test('is deleted at the moment its import ends, with the dataset that it became', async () => {
    await duplicate(reader, 'ada/cubes', 'ada/ending')
    const removed = await program.context.db.transaction().execute(async (trx) => {
      const { rows } = await sql<{ id: string }>`
        select jobs.id from jobs join hub_pushes push on push.import_id = jobs.id where push.slug = 'ending' for update of jobs`.execute(
        trx,
      )
      const answer = admin.ask('DELETE', '/api/repos/delete', { name: 'ada/ending', type: 'dataset' })
      await expect.poll(() => countWaiting(program)).toBe(1)
      await publishRecording(program.context, { ...place, slug: 'ending' }, [3])
      await sql`
        update jobs set state = 'succeeded', finished_at = now(), result_epoch = claim_epoch, result_digest = 'any'
        where id = ${rows[0]?.id}`.execute(trx)
      return { answer }
    })
    expect(await removed.answer).toMatchObject({ status: 200 })
    expect((await admin.ask('GET', '/api/datasets/ada/ending')).status).toBe(404)
    const { body } = await program.call('GET', `${datasets}/ending`, { bearer: session })
    expect(body.item.deletion_requested_at).not.toBeNull()
  })

  test('takes no name that is there, and changes nothing under it', async () => {
    const before = (await reader.ask('GET', '/api/datasets/ada/cups')).body.sha
    const taken = await duplicate(reader, 'ada/cubes', 'ada/cups')
    expect([taken.status, taken.body.url]).toEqual([409, `${program.url}/hf/datasets/ada/cups`])
    expect((await reader.ask('GET', '/api/datasets/ada/cups')).body.sha).toBe(before)
    const both = await Promise.all(['cubes', 'cups'].map((from) => duplicate(reader, `ada/${from}`, 'ada/one-of-two')))
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect((await reader.ask('GET', '/api/datasets/ada/one-of-two/commits/main')).body).toHaveLength(1)
  })

  test('is made of what one may read, where one may write; also of plain files', async () => {
    const eve = await program.addUser('mallory@example.org')
    const other = openDoor(program, await program.makeToken(eve, ['workspace:read', 'imports:write']))
    expect((await duplicate(other, 'ada/cubes', 'mallory/cubes')).status).toBe(200)
    expect(await other.list('mallory/cubes')).toEqual(await reader.list('ada/cubes'))
    const hidden = await duplicate(other, 'ada/towels', 'mallory/towels')
    expect([hidden.status, hidden.headers.get('x-error-code')]).toEqual([404, 'RepoNotFound'])
    expect((await duplicate(other, 'ada/cubes', 'ada/from-outside')).status).toBe(404)
    expect((await duplicate(stranger, 'ada/cubes', 'eve/cubes')).status).toBe(403)
    expect((await duplicate(reader, 'ada/cubes', 'nothing')).status).toBe(400)
    expect((await reader.ask('POST', '/api/models/ada/cubes/duplicate', { repository: 'ada/b' })).status).toBe(400)
    const asked = { repository: 'ada/open-copy', visibility: 'public' }
    expect((await reader.ask('POST', '/api/datasets/ada/cubes/duplicate', asked)).status).toBe(400)
    await reader.commit('ada/tables', { 'a.csv': '1', '.gitattributes': '*.csv filter=lfs' })
    expect((await duplicate(reader, 'ada/tables', 'ada/tables-again')).status).toBe(200)
    expect(await reader.read('ada/tables-again', 'a.csv')).toBe('1')
  })
})

/** Statements that wait for what another transaction holds. */
async function countWaiting({ context }: TestProgram): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(context.db)
  return rows[0]?.count ?? 0
}
