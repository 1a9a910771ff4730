import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Json, openDoor } from '../../../test/hub-door.ts'
import { startProgram, type TestProgram } from '../../../test/program.ts'
import { publishRecording } from '../../../test/published-dataset.ts'
import { sweepPushes } from '../push/push-sweep.ts'

/** Models: what a trainer pushes at its end is kept as a plain repository, and says what it was trained on. */
let program: TestProgram
let session: string
let token: string
let datasets: ReturnType<typeof openDoor>
let models: ReturnType<typeof openDoor>
let stranger: ReturnType<typeof openDoor>

beforeAll(async () => {
  program = await startProgram()
  const ada = await program.addUser('ada@example.org')
  session = await program.signIn(ada)
  token = await program.makeToken(ada, ['workspace:read', 'imports:write', 'datasets:write', 'datasets:delete'])
  datasets = openDoor(program, token)
  models = openDoor(program, token, 'models')
  const eve = await program.makeToken(await program.addUser('eve@example.org'), ['workspace:read', 'imports:write'])
  stranger = openDoor(program, eve, 'models')
  const { rows } = await sql<{ orgId: string; projectId: string }>`
    select org_id as "orgId", project.id as "projectId" from projects project
    join organizations org on org.id = org_id where org.slug = 'ada'`.execute(program.context.db)
  await publishRecording(
    program.context,
    { ...(rows[0] as { orgId: string; projectId: string }), slug: 'cubes' },
    [3, 4],
  )
})
afterAll(() => program.close())

const card = '---\nlicense: apache-2.0\nlibrary_name: lerobot\npipeline_tag: robotics\ntags: [act]\n---\n# Policy\n'
const trainConfig = (dataset: object) => JSON.stringify({ dataset, steps: 4 })

test('a policy may have the name of its dataset, and says which commit of it was its source', async () => {
  const created = await models.ask('POST', '/api/repos/create', { name: 'cubes', organization: 'ada' })
  expect([created.status, created.body.url]).toEqual([200, `${program.url}/hf/ada/cubes`])
  const again = await models.ask('POST', '/api/repos/create', { name: 'cubes', organization: 'ada', type: 'model' })
  expect([again.status, again.body.url]).toEqual([409, created.body.url])
  const older = await fetch(`${program.url}/hf/api/repos/create`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'user-agent': 'unknown/None; hf_hub/0.36.0; python/3.12.1' },
    body: JSON.stringify({ name: 'cubes', organization: 'ada' }),
  })
  expect(((await older.json()) as Json).url).toBe(`${program.url}/hf/models/ada/cubes`)
  const source = (await datasets.ask('GET', '/api/datasets/ada/cubes/revision/v3.0')).body.sha
  const files = { 'config.json': '{}', 'README.md': card, 'train_config.json': trainConfig({ repo_id: 'ada/cubes' }) }
  const pushed = await models.commit('ada/cubes', files)
  expect([pushed.status, pushed.body.commitUrl]).toEqual([
    200,
    `${program.url}/hf/ada/cubes/commit/${pushed.body.commitOid}`,
  ])
  await models.commit('ada/cubes', { 'policy_preprocessor.json': '{}' })
  const { body } = await models.ask('GET', '/api/models/ada/cubes')
  expect(body).toMatchObject({
    id: 'ada/default.cubes',
    private: true,
    library_name: 'lerobot',
    pipeline_tag: 'robotics',
    tags: ['license:apache-2.0', 'act', 'dataset:ada/cubes'],
    trainedOn: { repo_id: 'ada/cubes', revision: null, dataset: 'ada/default.cubes', commit: source },
  })
  expect(await models.list('ada/cubes')).toEqual([...Object.keys(files), 'policy_preprocessor.json'].toSorted())
  expect(await models.read('ada/cubes', 'README.md')).toBe(card)
  expect((await datasets.ask('GET', '/api/datasets/ada/cubes')).body.sha).toBe(source)
  expect(await datasets.read('ada/cubes', 'train_config.json')).toBe(404)
})

test('models and datasets are listed apart; models by what they were trained on too', async () => {
  const list = async (path: string) => (await models.ask('GET', path)).body.map(({ id }: Json) => id)
  await models.commit('ada/other', { 'train_config.json': trainConfig({ repo_id: 'far/away', revision: 'v3.0' }) })
  expect((await list('/api/models')).toSorted()).toEqual(['ada/default.cubes', 'ada/default.other'])
  expect(await list('/api/models?filter=dataset:ada/cubes')).toEqual(['ada/default.cubes'])
  expect(await list('/api/models?filter=dataset:far/away')).toEqual(['ada/default.other'])
  expect(await list('/api/datasets')).toEqual(['ada/default.cubes'])
  expect((await models.ask('GET', '/api/models/ada/other')).body.trainedOn).toEqual({
    repo_id: 'far/away',
    revision: 'v3.0',
    dataset: null,
    commit: null,
  })
})

test('nobody else reads a model or pushes to it, and no address of datasets leads to it', async () => {
  for (const path of ['/api/models/ada/cubes', '/ada/cubes/resolve/main/config.json']) {
    const answer = await stranger.ask('GET', path)
    expect([answer.status, answer.headers.get('x-error-code')]).toEqual([404, 'RepoNotFound'])
    expect(answer.body.error).toContain('HF_ENDPOINT unset')
    expect((await openDoor(program, '').ask('GET', path)).status).toBe(401)
  }
  expect((await stranger.ask('GET', '/api/models')).body).toEqual([])
  expect((await stranger.commit('ada/cubes', { 'a.txt': 'a' })).status).toBe(404)
  for (const name of ['model:cubes', 'model%3Acubes', 'default.model:cubes']) {
    expect((await datasets.ask('GET', `/api/datasets/ada/${name}`)).status).toBe(404)
    expect(await datasets.read(`ada/${name}`, 'config.json')).toBe(404)
  }
  const body = { name: 'model:mine', organization: 'ada', type: 'dataset' }
  expect((await datasets.ask('POST', '/api/repos/create', body)).status).toBe(400)
})

test('branches and tags of any name; large files come by LFS', async () => {
  expect((await models.ask('POST', '/api/models/ada/cubes/branch/slow', {})).status).toBe(200)
  await models.commit('ada/cubes', { 'config.json': '{"slow": true}' }, { branch: 'slow' })
  expect(await models.read('ada/cubes', 'config.json', 'slow')).toBe('{"slow": true}')
  expect(await models.read('ada/cubes', 'config.json')).toBe('{}')
  expect((await models.tag('ada/cubes', 'v1.0')).status).toBe(200)
  expect(await models.read('ada/cubes', 'config.json', 'v1.0')).toBe('{}')
  const objects = [{ oid: 'a'.repeat(64), size: 5 }]
  const batch = await models.ask('POST', '/ada/cubes.git/info/lfs/objects/batch', { operation: 'upload', objects })
  expect(batch.body.objects[0].actions.upload.href).toContain('/hf/lfs/psh_')
  const token = await models.ask('GET', '/api/models/ada/cubes/xet-write-token/main')
  expect(token.body.casUrl).toContain('/hf/xet/psh_')
})

test('a model is never imported, is kept without a word when its push is over, and is built on after that', async () => {
  await models.commit('ada/odd', { 'meta/info.json': '{"codebase_version": "v3.0"}', 'a.txt': 'a' })
  const sweepLater = async (hours: number) => {
    const updated_at = new Date(Date.now() - hours * 3_600_000)
    await program.context.db.updateTable('hub_pushes').set({ updated_at }).where('slug', '=', 'model:odd').execute()
    await sweepPushes(program.context)
  }
  await sweepLater(1)
  await sweepLater(2)
  const states = await program.context.db
    .selectFrom('hub_pushes')
    .select('state')
    .where('slug', '=', 'model:odd')
    .execute()
  expect(states).toEqual([{ state: 'kept' }])
  const { body: imports } = await program.call('GET', '/api/v1/orgs/ada/projects/default/imports', { bearer: session })
  expect(imports.items).toEqual([])
  const { body: inbox } = await program.call('GET', '/api/v1/users/me/notifications', { bearer: session })
  expect(inbox.items).toEqual([])
  await models.commit('ada/odd', { 'b.txt': 'b' })
  expect(await models.list('ada/odd')).toEqual(['a.txt', 'b.txt', 'meta/info.json'])
})

test('a model is deleted at once, and is not published', async () => {
  const refused = await models.ask('PUT', '/api/models/ada/odd/settings', { private: false })
  expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining('private to their project')])
  const body = { name: 'odd', organization: 'ada', type: 'model' }
  expect((await models.ask('DELETE', '/api/repos/delete', body)).status).toBe(200)
  expect((await models.ask('GET', '/api/models/ada/odd')).status).toBe(404)
})
