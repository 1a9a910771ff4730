import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.ts'
import { openExporter } from '../../../test/exporter.ts'
import { holdBetweenQueries } from '../../../test/held-queries.ts'
import { type Json, openDoor } from '../../../test/hub-door.ts'
import { finishImportsOf, listImportsOf } from '../../../test/hub-imports.ts'
import { type PushedFile, pushFiles, readPushedFolder } from '../../../test/hub-push.ts'
import { startProgram, type TestProgram } from '../../../test/program.ts'
import type { Principal } from '../../access/principal.ts'
import type { Connection } from '../../db/database.ts'
import { sweepPushes } from '../push/push-sweep.ts'
import { getRepository } from '../repositories/repositories.ts'

/** Heads move by commits, imports follow heads: nothing that was accepted is lost, mixed or shown too late. */
const golden = join(import.meta.dirname, '../../../../formats/test/golden/lerobot')
const place = { org: 'ada', project: 'default' }

let program: TestProgram
let session: string
let token: string
let connection: Connection
let reader: Principal
let door: ReturnType<typeof openDoor>
let v21: PushedFile[]
let v30: PushedFile[]

const readGolden = async (name: string): Promise<PushedFile[]> =>
  (await readPushedFolder(join(golden, name))).filter(({ path }) => path !== 'expected.json')

beforeAll(async () => {
  const database = await createTestDatabase()
  connection = database.connection
  program = await startProgram({}, database)
  const ada = await program.addUser('ada@example.org')
  session = await program.signIn(ada)
  reader = {
    kind: 'session',
    userId: ada.id,
    email: ada.email,
    hasSecondProof: false,
    sessionId: '',
    expiresAt: new Date(),
  }
  token = await program.makeToken(ada, ['workspace:read', 'imports:write'])
  door = openDoor(program, token)
  v21 = await readGolden('v2.1-dtypes')
  v30 = await readGolden('v3.0-lerobot-0.4.0')
})
afterAll(() => program.close())

const push = (repoId: string, files: readonly PushedFile[]) => pushFiles({ url: program.url, token }, repoId, files)

const makeOlder = async (slug: string, hours: number): Promise<void> => {
  const updated_at = new Date(Date.now() - hours * 3_600_000)
  await program.context.db.updateTable('hub_pushes').set({ updated_at }).where('slug', '=', slug).execute()
}

const listImports = (slug: string): Promise<Json[]> => listImportsOf(program, session, { ...place, slug })
const finishImports = (slug: string): Promise<Json[]> => finishImportsOf(program, session, { ...place, slug })

test('a set that was pushed as v2.1 is edited in the form that main shows', async () => {
  await push('ada/old-form', v21)
  expect((await door.tag('ada/old-form', 'v2.1')).status).toBe(200)
  const asked = door.ask('GET', '/api/datasets/ada/old-form/revision/v3.0')
  expect((await finishImports('old-form')).map(({ status }) => status)).toEqual(['succeeded'])
  const { body: loaded } = await asked
  expect(JSON.parse(String(await door.read('ada/old-form', 'meta/info.json', loaded.sha)))).toMatchObject({
    codebase_version: 'v3.0',
  })
  const shown = await door.list('ada/old-form')
  expect(shown).not.toContain('meta/episodes.jsonl')

  const head = await push('ada/old-form', v30)
  const pushed = v30.map(({ path }) => path)
  const expected = new Set([...shown.filter((path) => path !== 'README.md'), ...pushed])
  expect((await door.list('ada/old-form', head)).toSorted()).toEqual([...expected].toSorted())
  await door.tag('ada/old-form', 'v3.0')
  expect((await finishImports('old-form')).map(({ status }) => status)).toEqual(['succeeded', 'succeeded'])
  const after = JSON.parse(String(await door.read('ada/old-form', 'meta/info.json')))
  const sent = JSON.parse(String(v30.find(({ path }) => path === 'meta/info.json')?.content))
  expect(after.total_frames).toBe(sent.total_frames)
})

test('a pull request is refused before anything is written', async () => {
  for (const answer of [
    await door.ask('POST', '/api/datasets/ada/proposed/preupload/main?create_pr=1', { files: [] }),
    await door.commit('ada/proposed', { 'a.txt': 'a' }, { query: '?create_pr=1' }),
  ])
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining('create_branch')])
  expect((await door.ask('GET', '/api/datasets/ada/proposed')).status).toBe(404)
})

test('commits during an import build on each other, and the last revision has them all', async () => {
  await push('ada/quick', v30)
  await door.tag('ada/quick', 'v3.0')
  await door.commit('ada/quick', { 'notes/a.txt': 'a' }, { title: 'add a' })
  await door.tag('ada/quick', 'v3.0')
  const { body } = await door.commit('ada/quick', { 'notes/b.txt': 'b' }, { title: 'add b' })
  await door.tag('ada/quick', 'v3.0')
  expect(await door.list('ada/quick', body.commitOid)).toEqual(
    expect.arrayContaining(['meta/info.json', 'notes/a.txt', 'notes/b.txt']),
  )
  const imports = await finishImports('quick')
  expect(imports.map(({ status }) => status)).toEqual(['succeeded', 'succeeded'])
  expect((await door.ask('GET', '/api/datasets/ada/quick/refs')).body.tags.map(({ name }: Json) => name)).toEqual([
    'v3.0',
    'revision-2',
    'revision-1',
  ])
  const { body: history } = await door.ask('GET', '/api/datasets/ada/quick/commits/main')
  expect(history.map(({ title, authors }: Json) => [title, authors[0].user])).toEqual([
    ['Revision 2', 'ada'],
    ['add b', 'ada'],
    ['add a', 'ada'],
    ['push', 'ada'],
  ])
  expect(history[1].message).toBe('add b, in more words')
})

test('files beside the data stay with the revision: served, listed, in the tar, and the start of the next commit', async () => {
  const beside = {
    'README.md': '---\nlicense: mit\n---\n# A set',
    LICENSE: 'MIT',
    '.gitattributes': '*.mp4 filter=lfs',
    'calibration/left_arm.json': '{"homing": 1}',
    'meta/notes.yaml': 'operator: ada',
    'data/how-to.txt': 'read me',
  }
  const files = Object.entries(beside).map(([path, text]) => ({ path, content: Buffer.from(text) }))
  await push('ada/beside', [...v30, ...files])
  await door.tag('ada/beside', 'v3.0')
  expect((await finishImports('beside')).map(({ status }) => status)).toEqual(['succeeded'])
  for (const [path, text] of Object.entries(beside)) expect(await door.read('ada/beside', path, 'v3.0')).toBe(text)
  const { body: dataset } = await program.call('GET', '/api/v1/orgs/ada/projects/default/datasets/beside', {
    bearer: session,
  })
  const { body: listed } = await program.call('GET', `/api/v1/catalog/datasets/${dataset.item.id}/files?limit=100`, {
    bearer: session,
  })
  expect(listed.items.map(({ path }: Json) => path)).toEqual(expect.arrayContaining(Object.keys(beside)))
  const { item } = dataset
  const tar = await fetch(`${program.url}/api/v1/media/${item.id}/${item.revision_id}/archive`, {
    headers: { authorization: `Bearer ${session}` },
  })
  expect(Buffer.from(await tar.arrayBuffer()).includes('{"homing": 1}')).toBe(true)

  await door.commit('ada/beside', { 'calibration/left_arm.json': '{"homing": 2}', LICENSE: null })
  await door.tag('ada/beside', 'v3.0')
  const { body: first } = await door.ask('GET', '/api/datasets/ada/beside/revision/revision-1')
  const readers = await holdBetweenQueries({ context: program.context, connection, times: 12 }, (context) =>
    getRepository(context, reader, 'ada', 'beside'),
  )
  await finishImports('beside')
  // Whenever the import ended for them: what was pushed, or what came of it, and nothing of before.
  for (const { main, loadable } of await readers.release()) expect([main.id, loadable?.id]).not.toContain(first.sha)
  await readers.close()
  expect(await door.read('ada/beside', 'calibration/left_arm.json', 'revision-2')).toBe('{"homing": 2}')
  expect(await door.read('ada/beside', 'LICENSE', 'revision-2')).toBe(404)
  expect(await door.read('ada/beside', 'LICENSE', 'revision-1')).toBe('MIT')
})

test('a version has the files beside the data too: through the door and in the tar', async () => {
  const beside = { LICENSE: 'MIT', 'calibration/left_arm.json': '{"homing": 1}', 'meta/notes.yaml': 'operator: ada' }
  const readme = '---\nlicense: mit\nconfigs:\n- config_name: mine\n  data_files: other/*.csv\n---\n# A set'
  const files = Object.entries({ ...beside, 'README.md': readme })
  await push('ada/carried', [...v30, ...files.map(([path, text]) => ({ path, content: Buffer.from(text) }))])
  await door.tag('ada/carried', 'v3.0')
  expect((await finishImports('carried')).map(({ status }) => status)).toEqual(['succeeded'])
  const { body: dataset } = await program.call('GET', '/api/v1/orgs/ada/projects/default/datasets/carried', {
    bearer: session,
  })
  const exporter = await openExporter(program, session, 'ada', 'default')
  const worker = program.startWorker()
  try {
    const version = await exporter.derive(dataset.item.id, { first_n_episodes: 1 }, 'carried-part')
    const { folder, dataset: made } = await exporter.exportVersion(version)
    await made.close()
    const listed = await door.list('ada/carried-part')
    for (const [path, text] of Object.entries(beside)) {
      expect(await readFile(join(folder, path), 'utf8')).toBe(text)
      expect(await door.read('ada/carried-part', path)).toBe(text)
    }
    const packed = await readdir(folder, { recursive: true, withFileTypes: true })
    const paths = packed
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    expect(paths.toSorted()).toEqual(listed.toSorted())
    // What the export writes itself is the export's.
    const card = await readFile(join(folder, 'README.md'), 'utf8')
    expect(card).toContain('license: mit')
    expect(card).toContain('data_files: data/*/*.parquet')
    expect(card).not.toContain('other/*.csv')
    expect(JSON.parse(await readFile(join(folder, 'meta/info.json'), 'utf8')).total_episodes).toBe(1)
  } finally {
    await worker.stop(0)
    await exporter.close()
  }
})

describe('a reader after a commit', () => {
  test('gets it before it is imported: on main at once, as v3.0 once it is whole', async () => {
    await push('ada/fresh', v30)
    await door.tag('ada/fresh', 'v3.0')
    await finishImports('fresh')
    const before = (await door.ask('GET', '/api/datasets/ada/fresh/revision/v3.0')).body.sha
    const { body } = await door.commit('ada/fresh', { 'notes.txt': 'new' })
    expect((await door.ask('GET', '/api/datasets/ada/fresh')).body.sha).toBe(body.commitOid)
    expect((await door.ask('GET', '/api/datasets/ada/fresh/revision/v3.0')).body.sha).toBe(before)
    await door.tag('ada/fresh', 'v3.0')
    const { body: refs } = await door.ask('GET', '/api/datasets/ada/fresh/refs')
    expect(refs.tags[0]).toMatchObject({ name: 'v3.0', targetCommit: body.commitOid })
    expect(await door.read('ada/fresh', 'notes.txt', 'v3.0')).toBe('new')
  })

  test('without a role sees what was imported, and a token without the scope sees nothing', async () => {
    await push('ada/shown', v30)
    await door.tag('ada/shown', 'v3.0')
    await finishImports('shown')
    const path = '/api/v1/orgs/ada/projects/default/datasets/shown'
    await program.call('PATCH', path, { bearer: session, body: { visibility: 'public' } })
    const before = (await door.ask('GET', '/api/datasets/ada/shown')).body.sha
    await door.commit('ada/shown', { 'secret.txt': 'not yet' })
    const anyone = openDoor(program, '')
    expect((await anyone.ask('GET', '/api/datasets/ada/shown')).body.sha).toBe(before)
    const writer = openDoor(
      program,
      await program.makeToken(await program.addUser('wes@example.org'), ['imports:write']),
    )
    await writer.commit('wes/mine', { 'a.txt': 'a' })
    expect((await writer.ask('GET', '/api/datasets/wes/mine')).headers.get('x-error-code')).toBe('RepoNotFound')
    const { body: who } = await writer.ask('GET', '/api/whoami-v2')
    expect([who.email, who.orgs]).toEqual([undefined, []])
  })
})

test('branches from different commits have names and files of their own', async () => {
  const first = (await door.commit('ada/stem', { 'a.txt': 'one' })).body.commitOid
  const second = (await door.commit('ada/stem', { 'a.txt': 'two' })).body.commitOid
  for (const [branch, startingPoint] of [
    ['early', first],
    ['late', second],
  ])
    expect((await door.ask('POST', `/api/datasets/ada/stem/branch/${branch}`, { startingPoint })).status).toBe(200)
  const { body: refs } = await door.ask('GET', '/api/datasets/ada/stem/refs')
  expect(Object.fromEntries(refs.branches.map(({ name, targetCommit }: Json) => [name, targetCommit]))).toEqual({
    main: second,
    early: first,
    late: second,
  })
  expect([await door.read('ada/stem', 'a.txt', 'early'), await door.read('ada/stem', 'a.txt', first)]).toEqual([
    'one',
    'one',
  ])
  expect([await door.read('ada/stem', 'a.txt', 'late'), await door.read('ada/stem', 'a.txt', second)]).toEqual([
    'two',
    'two',
  ])
})

test('what is no robot dataset is kept as it was pushed, and built on; whoever pushed it is told', async () => {
  const table = { path: 'data/train-00000-of-00001.parquet', content: Buffer.from('PAR1 rows PAR1') }
  const head = await push('ada/tables', [table, { path: 'README.md', content: Buffer.from('# Tables') }])
  const refused = await door.tag('ada/tables', 'v3.0')
  expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining('meta/info.json')])
  for (const hours of [2, 50]) {
    await makeOlder('tables', hours)
    await sweepPushes(program.context)
  }
  expect((await door.ask('GET', '/api/datasets/ada/tables')).body.sha).toBe(head)
  expect(await door.read('ada/tables', table.path)).toBe('PAR1 rows PAR1')
  const { body: inbox } = await program.call('GET', '/api/v1/users/me/notifications', { bearer: session })
  expect(inbox.items[0].title).toContain('without meta/info.json it is not a dataset')
  const next = (await door.commit('ada/tables', { 'notes.txt': 'more' })).body.commitOid
  expect(await door.list('ada/tables')).toEqual(['README.md', table.path, 'notes.txt'])
  expect((await door.ask('GET', '/api/datasets/ada/tables/commits/main')).body.map(({ id }: Json) => id)).toEqual([
    next,
    head,
  ])
  expect(await listImports('tables')).toEqual([])
})

test('pushes that nobody goes on with keep no other from becoming an import', async () => {
  const eve = openDoor(
    program,
    await program.makeToken(await program.addUser('eve@example.org'), ['workspace:read', 'imports:write']),
  )
  await eve.commit('eve/idle', { 'a.txt': 'a' })
  await sql`
    insert into hub_pushes (id, org_id, project_id, slug, head, head_number, updated_at)
    select 'psh_idle_' || number, org_id, project_id, 'idle-' || number, head, head_number, now() - interval '40 seconds'
    from hub_pushes, generate_series(1, 120) number where slug = 'idle'`.execute(program.context.db)
  await push('ada/patient', v30)
  await makeOlder('patient', 0.005)
  await sweepPushes(program.context)
  expect(await listImports('patient')).toHaveLength(1)
})

test('tags name commits until they are deleted', async () => {
  const first = (await door.commit('ada/named', { 'a.txt': 'one' })).body.commitOid
  expect((await door.tag('ada/named', 'good')).status).toBe(200)
  await door.commit('ada/named', { 'a.txt': 'two' })
  expect((await door.tag('ada/named', 'good')).status).toBe(409)
  expect(await door.read('ada/named', 'a.txt', 'good')).toBe('one')
  expect((await door.ask('GET', '/api/datasets/ada/named/refs')).body.tags).toEqual([
    { name: 'good', ref: 'refs/tags/good', targetCommit: first },
  ])
  expect((await door.ask('DELETE', '/api/datasets/ada/named/tag/good')).status).toBe(200)
  expect((await door.ask('DELETE', '/api/datasets/ada/named/tag/good')).headers.get('x-error-code')).toBe(
    'RevisionNotFound',
  )
  for (const name of ['main', 'revision-1', 'a b', first]) expect((await door.tag('ada/named', name)).status).toBe(400)
})

test('a tag and a branch of what nobody has committed to stay at its start', async () => {
  await door.ask('POST', '/api/repos/create', { name: 'begun', organization: 'ada', type: 'dataset' })
  expect((await door.tag('ada/begun', 'start')).status).toBe(200)
  const start = (await door.ask('GET', '/api/datasets/ada/begun')).body.sha
  await door.commit('ada/begun', { 'a.txt': 'a' })
  const tagged = await door.ask('GET', '/api/datasets/ada/begun/revision/start')
  expect([tagged.status, tagged.body.sha, tagged.body.siblings]).toEqual([200, start, []])
  const path = '/api/datasets/ada/begun/branch/from-start'
  expect((await door.ask('POST', path, { startingPoint: start })).status).toBe(200)
  expect(await door.list('ada/begun', 'from-start')).toEqual([])
  expect(await door.list('ada/begun')).toEqual(['a.txt'])
})

test('expand tells which commit brought a file, and of a folder the newest of its files', async () => {
  const first = (await door.commit('ada/dated', { 'a.txt': 'a', 'm/a.txt': 'a', 'n/o/a.txt': 'a' }, { title: 'first' }))
    .body.commitOid
  const second = (await door.commit('ada/dated', { 'b.txt': 'b', 'n/o/b.txt': 'b' }, { title: 'second' })).body
    .commitOid
  const { body: tree } = await door.ask('GET', '/api/datasets/ada/dated/tree/main?expand=true')
  expect(tree.map(({ path, lastCommit }: Json) => [path, lastCommit.id, lastCommit.title])).toEqual([
    ['a.txt', first, 'first'],
    ['b.txt', second, 'second'],
    ['m', first, 'first'],
    ['n', second, 'second'],
  ])
  const form = await fetch(`${program.url}/hf/api/datasets/ada/dated/paths-info/main`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: new URLSearchParams([
      ['paths', 'a.txt'],
      ['paths', 'n/o'],
      ['expand', 'true'],
    ]),
  })
  expect(((await form.json()) as Json).map(({ lastCommit }: Json) => lastCommit.id)).toEqual([first, second])
})

test('one commit sent twice is one commit', async () => {
  const one = await door.commit('ada/twice', { 'a.txt': 'a' })
  const other = await door.commit('ada/twice', { 'a.txt': 'a' })
  expect(other.body.commitOid).toBe(one.body.commitOid)
  await door.commit('ada/twice', { 'a.txt': null, 'b.txt': 'a' })
  expect(await door.list('ada/twice')).toEqual(['b.txt'])
  expect(await door.list('ada/twice', one.body.commitOid)).toEqual(['a.txt'])
})

test.each([
  ['GET', '/api/models/lerobot/smolvla_base', 'HF_ENDPOINT unset'],
  ['GET', '/api/models/lerobot/smolvla_base/revision/main', 'HF_ENDPOINT unset'],
  ['GET', '/lerobot/smolvla_base/resolve/main/config.json', 'HF_ENDPOINT unset'],
  ['GET', '/api/models/gpt2', 'HF_ENDPOINT unset'],
  ['GET', '/api/models/gpt2/revision/main', 'HF_ENDPOINT unset'],
  ['GET', '/api/models/gpt2/commits/main', 'HF_ENDPOINT unset'],
  ['GET', '/gpt2/resolve/main/config.json', 'HF_ENDPOINT unset'],
  ['GET', '/api/spaces/ada/demo', 'Spaces'],
  ['GET', '/api/datasets/squad', 'two parts'],
  ['GET', '/api/datasets/squad/revision/main', 'two parts'],
  ['GET', '/datasets/squad/resolve/main/README.md', 'two parts'],
])('%s %s is no repository of ours, in the words of the Hub and ours', async (method, path, words) => {
  const answer = await door.ask(method, path, method === 'POST' ? {} : undefined)
  expect([answer.status, answer.headers.get('x-error-code')]).toEqual([404, 'RepoNotFound'])
  expect(answer.body.error).toContain(words)
})

test('raw is what git has: the text of a small file, the note that stands for a large one', async () => {
  await push('ada/raw', [
    { path: 'a.txt', content: Buffer.from('text') },
    { path: 'b.bin', content: Buffer.from('large') },
  ])
  expect(await (await door.send('GET', '/datasets/ada/raw/raw/main/a.txt')).text()).toBe('text')
  const pointer = await (await door.send('GET', '/datasets/ada/raw/raw/main/b.bin')).text()
  expect(pointer).toMatch(/^version https:\/\/git-lfs.*\noid sha256:[0-9a-f]{64}\nsize 5\n$/)
  expect((await door.ask('GET', '/api/datasets/ada/raw/auth-check')).status).toBe(200)
  expect((await openDoor(program, '').ask('GET', '/api/datasets/ada/raw/auth-check')).status).toBe(401)
})

test('whoever creates a public repository is told that it is private, and how to publish it', async () => {
  const body = { name: 'open', organization: 'ada', type: 'dataset', visibility: 'public' }
  expect((await door.ask('POST', '/api/repos/create', body)).status).toBe(200)
  expect((await door.ask('GET', '/api/datasets/ada/open')).body.private).toBe(true)
  const { body: inbox } = await program.call('GET', '/api/v1/users/me/notifications', { bearer: session })
  expect(inbox.items[0].title).toContain('ada/default.open was created with private=False, but is private')
})
