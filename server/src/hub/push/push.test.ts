import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../../../../fixtures/fixture.ts'
import { type PushedFile, pushFiles, readPushedFolder } from '../../../test/hub-push.ts'
import { waitForImport } from '../../../test/import-dataset.ts'
import { startProgram, type TestProgram } from '../../../test/program.ts'
import { sweepPushes } from './push-sweep.ts'

/** Pushes as trees that grow, on main and on branches; what makes them imports, and what ends them. */
const fixtures = getFixture('lerobot')
const place = { org: 'ada', project: 'default' }
const imports = '/api/v1/orgs/ada/projects/default/imports'

let program: TestProgram
let session: string
let token: string

beforeAll(async () => {
  program = await startProgram()
  program.startWorker()
  const ada = await program.addUser('ada@example.org')
  session = await program.signIn(ada)
  token = await program.makeToken(ada, ['workspace:read', 'imports:write'])
})
afterAll(() => program.close())

// biome-ignore lint/suspicious/noExplicitAny: what a stranger gets from JSON.parse
type Json = any

const ask = async (method: string, path: string, body?: unknown): Promise<{ status: number; body: Json }> => {
  const answer = await fetch(`${program.url}/hf${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return { status: answer.status, body: await answer.json() }
}
const push = (repoId: string, files: readonly PushedFile[], branch?: string) =>
  pushFiles({ url: program.url, token }, repoId, files, branch)

const listImports = async (slug: string) => {
  const { body } = await program.call('GET', `${imports}?q=${slug}`, { bearer: session })
  return body.items.filter((item: { dataset_slug: string }) => item.dataset_slug === slug)
}
const finishImport = async (slug: string) => {
  const [job] = await listImports(slug)
  return waitForImport(program, session, place, job.id)
}

const makeOlder = async (slug: string, hours: number): Promise<void> => {
  const updated_at = new Date(Date.now() - hours * 3_600_000)
  await program.context.db.updateTable('hub_pushes').set({ updated_at }).where('slug', '=', slug).execute()
}
const beQuiet = (slug: string) => makeOlder(slug, 0.01)

describe('a push without a tag', () => {
  test.each([
    ['recorded-v3.0-many-files', 'data/chunk-000/file-001.parquet'],
    ['recorded-v3.0-two-cameras', 'videos/observation.images.wrist/chunk-000/file-000.mp4'],
    ['recorded-v2.1', 'data/chunk-000/episode_000002.parquet'],
  ])('of %s is no import while %s, which its metadata names, is not there', async (name, missing) => {
    const slug = `quiet-${name.replaceAll(/[^a-z0-9]+/g, '-')}`
    const files = await readPushedFolder(join(fixtures, name))
    expect(files.some(({ path }) => path === missing)).toBe(true)
    await push(
      `ada/${slug}`,
      files.filter(({ path }) => path !== missing),
    )
    await beQuiet(slug)
    await sweepPushes(program.context)
    expect(await listImports(slug)).toHaveLength(0)
    await push(
      `ada/${slug}`,
      files.filter(({ path }) => path === missing),
    )
    await sweepPushes(program.context)
    expect(await listImports(slug), 'a commit came a moment ago').toHaveLength(0)
    await beQuiet(slug)
    await sweepPushes(program.context)
    await sweepPushes(program.context)
    expect(await listImports(slug)).toHaveLength(1)
  })

  test('whose metadata nobody can read is imported, so that a report says what is wrong', async () => {
    const files = await readPushedFolder(join(fixtures, 'recorded-v3.0-two-cameras'))
    const table = 'meta/episodes/chunk-000/file-000.parquet'
    const damaged = files.map((file) =>
      file.path === table ? { ...file, content: Buffer.concat([file.content.subarray(0, 500)]) } : file,
    )
    await push('ada/damaged-table', damaged)
    await beQuiet('damaged-table')
    await sweepPushes(program.context)
    expect(await finishImport('damaged-table')).toMatchObject({ status: 'failed', error_message: expect.anything() })
  })
})

describe('a branch', () => {
  const branchOf = (repoId: string, name: string, body: unknown = {}) =>
    ask('POST', `/api/datasets/${repoId}/branch/${encodeURIComponent(name)}`, body)

  test('takes a push of its own, which leaves main alone and ends in a dataset beside it', async () => {
    const files = await readPushedFolder(join(fixtures, 'recorded-v3.0-two-cameras'))
    await push('ada/trunk', files)
    await ask('POST', '/api/datasets/ada/trunk/tag/main', { tag: 'v3.0' })
    expect(await finishImport('trunk')).toMatchObject({ status: 'succeeded' })
    const { sha } = (await ask('GET', '/api/datasets/ada/trunk')).body

    expect((await branchOf('ada/trunk', 'dev/new', { startingPoint: 'v3.0' })).status).toBe(200)
    expect((await branchOf('ada/trunk', 'dev/new')).status).toBe(409)
    const note = { path: 'NOTES.md', content: Buffer.from('on the branch') }
    const head = await push('ada/trunk', [note], 'dev/new')
    const { body: refs } = await ask('GET', '/api/datasets/ada/trunk/refs')
    expect(refs.branches.map(({ name, targetCommit }: Json) => [name, targetCommit])).toEqual([
      ['main', sha],
      ['dev/new', head],
    ])
    const read = (revision: string) =>
      fetch(`${program.url}/hf/datasets/ada/trunk/resolve/${encodeURIComponent(revision)}/NOTES.md`, {
        headers: { authorization: `Bearer ${token}` },
      })
    for (const revision of ['dev/new', 'refs/heads/dev/new', head])
      expect(await (await read(revision)).text()).toBe('on the branch')
    expect((await read('main')).status).toBe(404)

    await ask('POST', `/api/datasets/ada/trunk/tag/${encodeURIComponent('dev/new')}`, { tag: 'v3.0' })
    expect(await finishImport('trunk-dev-new')).toMatchObject({ status: 'succeeded', title: 'trunk (dev/new)' })
    const { body: after } = await ask('GET', '/api/datasets/ada/trunk/revision/dev%2Fnew')
    expect(after).toMatchObject({ id: 'ada/default.trunk' })
    expect((await ask('GET', '/api/datasets/ada/trunk')).body.sha).toBe(sha)
    await sweepPushes(program.context)
    expect(await (await read(head)).text(), 'who reads the pushed commit goes on').toBe('on the branch')
  })

  test('is refused where its name means something else, or is another dataset', async () => {
    await push('ada/stem', [{ path: 'a.txt', content: Buffer.from('a') }])
    await push('ada/stem-taken', [{ path: 'a.txt', content: Buffer.from('a') }])
    for (const name of ['v2.1', 'version-3', 'a'.repeat(40), '---', '3.0'])
      expect((await branchOf('ada/stem', name)).status, name).toBe(400)
    expect((await branchOf('ada/stem', 'taken')).body.error).toContain('stem-taken')
    expect((await branchOf('ada/stem', 'dev', { startingPoint: 'nowhere' })).status).toBe(404)
    expect((await ask('POST', '/api/datasets/ada/stem/preupload/absent', { files: [] })).status).toBe(404)
    expect((await ask('DELETE', '/api/datasets/ada/stem/branch/dev')).status, 'without datasets:delete').toBe(403)
  })
})

test('a large file comes in parts; one that is missing or damaged is named', async () => {
  const content = Buffer.alloc(130 * 1024 * 1024, 'the same again. ')
  content.writeDoubleLE(Math.PI, 100_000_000)
  const oid = createHash('sha256').update(content).digest('hex')
  await ask('POST', '/api/repos/create', { name: 'parts', organization: 'ada', type: 'dataset' })
  const batch = await ask('POST', '/datasets/ada/parts.git/info/lfs/objects/batch', {
    operation: 'upload',
    transfers: ['basic', 'multipart'],
    objects: [{ oid, size: content.length }],
  })
  const { upload, verify } = batch.body.objects[0].actions
  const { chunk_size: chunkSize, ...links } = upload.header as Record<string, string>
  const partBytes = Number(chunkSize)
  expect(Object.keys(links)).toHaveLength(Math.ceil(content.length / partBytes))
  const send = async (part: number, bytes: Buffer) => {
    const href = links[String(part).padStart(5, '0')] ?? ''
    const answer = await fetch(href, { method: 'PUT', body: new Uint8Array(bytes) })
    return { status: answer.status, etag: answer.headers.get('etag') ?? '' }
  }
  const complete = async (etags: string[]) => {
    const parts = etags.map((etag, index) => ({ partNumber: index + 1, etag }))
    const answer = await fetch(upload.href, { method: 'POST', body: JSON.stringify({ oid, parts }) })
    return { status: answer.status, body: (await answer.json()) as Json }
  }
  const partOf = (part: number) => content.subarray((part - 1) * partBytes, part * partBytes)
  const etags: string[] = []
  for (let part = 1; part <= Object.keys(links).length; part++) etags.push((await send(part, partOf(part))).etag)
  expect((await complete(etags.slice(1))).status).toBe(400)
  const absent = await complete([etags[0] ?? '', `"${'0'.repeat(64)}"`, ...etags.slice(2)])
  expect([absent.status, absent.body.error]).toEqual([400, expect.stringContaining('Part 2')])
  const damaged = await send(2, Buffer.from(partOf(2)).fill(0, 0, 9))
  const wrong = await complete([etags[0] ?? '', damaged.etag, ...etags.slice(2)])
  expect([wrong.status, wrong.body.error]).toEqual([400, expect.stringContaining('do not match')])
  expect((await send(1, partOf(3))).status).toBe(400)
  expect((await complete(etags)).status).toBe(200)
  const checked = await fetch(verify.href, { method: 'POST', body: JSON.stringify({ oid, size: content.length }) })
  expect(checked.status).toBe(200)
  const line = { key: 'lfsFile', value: { path: 'data/parts.bin', algo: 'sha256', oid, size: content.length } }
  expect((await ask('POST', '/api/datasets/ada/parts/commit/main', line)).body.success).toBe(true)
  const parts = await program.context.db
    .selectFrom('blob_references')
    .where('owner_kind', '=', 'push_part')
    .selectAll()
    .execute()
  expect(parts).toEqual([])
}, 240_000)

test.each([
  ['/datasets/ada/odd.git/info/lfs/objects/batch', 'no JSON', 400, 'JSON'],
  ['/datasets/ada/odd.git/info/lfs/objects/batch', { operation: 'download', objects: [] }, 400, 'upload'],
  ['/datasets/ada/odd.git/info/lfs/objects/batch', { operation: 'upload', objects: [null] }, 400, 'sha256'],
  [
    '/datasets/ada/odd.git/info/lfs/objects/batch',
    { operation: 'upload', objects: [{ oid: 'x', size: 1 }] },
    400,
    'sha256',
  ],
  ['/api/datasets/ada/odd/commit/main', '{"key":"file"', 400, 'Line 1'],
  [
    '/api/datasets/ada/odd/commit/main',
    { key: 'file', value: { path: '../x', content: '' } },
    400,
    'inside the repository',
  ],
  [
    '/api/datasets/ada/odd/commit/main',
    { key: 'lfsFile', value: { path: 'x', algo: 'sha256', oid: 'a'.repeat(64) } },
    400,
    'not arrived',
  ],
  ['/api/datasets/ada/odd/commit/main', { key: 'nonsense', value: { path: 'x' } }, 400, 'unsupported kind'],
  ['/api/datasets/ada/odd/preupload/main', { files: [null] }, 400, 'path'],
  ['/api/datasets/ada/odd/preupload/main', { files: 'many' }, 400, 'files'],
  ['/api/repos/create', { name: 'Ünder', organization: 'ada', type: 'dataset' }, 400, 'not a valid dataset name'],
  ['/api/repos/create', { name: 'x', organization: 'ada', type: 'space' }, 400, 'datasets and models'],
])('%s with %j is refused in a sentence', async (path, body, status, words) => {
  const answer = await ask('POST', path, body)
  expect([answer.status, answer.body.error]).toEqual([status, expect.stringContaining(words)])
})

const commitLines = (repo: string, ...lines: object[]) =>
  ask('POST', `/api/datasets/ada/${repo}/commit/main`, lines.map((line) => JSON.stringify(line)).join('\n'))
const fileLine = (path: string, text: string) => ({
  key: 'file',
  value: { path, encoding: 'base64', content: Buffer.from(text).toString('base64') },
})
const headerLine = (parentCommit?: string) => ({ key: 'header', value: { summary: 'x', parentCommit } })

test('a commit that builds on what is no longer there is refused, and changes nothing', async () => {
  await ask('POST', '/api/repos/create', { type: 'dataset', name: 'moved', organization: 'ada' })
  const { body: info } = await ask('GET', '/api/datasets/ada/moved')
  const first = await commitLines('moved', headerLine(info.sha), fileLine('a.txt', 'one'))
  expect(first.status).toBe(200)
  const second = await commitLines('moved', headerLine(first.body.commitOid), fileLine('a.txt', 'two'))
  expect(second.status).toBe(200)
  for (const parent of [first.body.commitOid, info.sha, 'f'.repeat(40)]) {
    const stale = await commitLines('moved', headerLine(parent), fileLine('a.txt', 'three'))
    expect([stale.status, stale.body.error]).toEqual([412, expect.stringContaining(second.body.commitOid)])
  }
  expect((await ask('GET', '/api/datasets/ada/moved')).body.sha).toBe(second.body.commitOid)
  expect((await commitLines('moved', headerLine(), fileLine('a.txt', 'three'))).status).toBe(200)
})

test('a folder that is deleted takes what is below it, and nothing beside it', async () => {
  await ask('POST', '/api/repos/create', { type: 'dataset', name: 'folders', organization: 'ada' })
  const paths = ['a/x.txt', 'a/b/y.txt', 'ab/x.txt', 'a.txt', 'c/a/x.txt', 'd/e/f.txt', 'd/g.txt']
  await commitLines('folders', headerLine(), ...paths.map((path) => fileLine(path, path)))
  const gone = [
    { key: 'deletedFolder', value: { path: 'a/' } },
    { key: 'deletedFolder', value: { path: 'd/e' } },
    { key: 'deletedFile', value: { path: 'a.txt' } },
  ]
  expect((await commitLines('folders', headerLine(), ...gone)).status).toBe(200)
  const { body } = await ask('GET', '/api/datasets/ada/folders/tree/main?recursive=true')
  const left = body.filter(({ type }: Json) => type === 'file').map(({ path }: Json) => path)
  expect(left.toSorted()).toEqual(['ab/x.txt', 'c/a/x.txt', 'd/g.txt'])
})

test('lines that are no commit are refused with their number', async () => {
  await ask('POST', '/api/repos/create', { type: 'dataset', name: 'odd', organization: 'ada' })
  const bad = (content: string) => ({ key: 'file', value: { path: 'a.txt', encoding: 'base64', content } })
  for (const line of [null, 5, 'file', [], bad('@@@not base64@@@'), bad('AAA')]) {
    const answer = await commitLines('odd', headerLine(), line as object)
    expect([answer.status, answer.body.error], JSON.stringify(line)).toEqual([400, expect.stringContaining('Line 2')])
  }
})

test('no repository holds what git starts, nor a name that is no text', async () => {
  await ask('POST', '/api/repos/create', { type: 'dataset', name: 'gitted', organization: 'ada' })
  const sameOnSomeDisk = ['git~1/config', '.git./config', '.git::$INDEX_ALLOCATION/config', '.g\u200cit/config']
  const others = ['../x', '/x', 'a//b', '\ud800.txt']
  for (const path of ['.git/config', 'a/.GIT/hooks/post-checkout', '.git', ...sameOnSomeDisk, ...others]) {
    const answer = await commitLines('gitted', headerLine(), fileLine(path, 'x'))
    expect([answer.status, answer.body.error], path).toEqual([400, expect.stringContaining('Line 2')])
  }
  const lines = ['.gitignore', '.github/x', 'a.git'].map((path) => fileLine(path, 'x'))
  expect((await commitLines('gitted', headerLine(), ...lines)).status).toBe(200)
})

test('as many paths as one may ask for at once, files and folders; more are refused', async () => {
  await ask('POST', '/api/repos/create', { type: 'dataset', name: 'paths', organization: 'ada' })
  await commitLines('paths', headerLine(), fileLine('meta/info.json', '{}'), fileLine('data/a/b.txt', 'x'))
  const askPaths = async (paths: readonly string[]) => {
    const body = new URLSearchParams(paths.map((path): [string, string] => ['paths', path]))
    const answer = await fetch(`${program.url}/hf/api/datasets/ada/paths/paths-info/main`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body,
    })
    return { status: answer.status, body: (await answer.json()) as Json }
  }
  const few = await askPaths(['data/a/', 'meta/info.json', 'data', 'none', 'dat'])
  expect(few.body.map(({ type, path }: Json) => [type, path])).toEqual([
    ['directory', 'data/a'],
    ['file', 'meta/info.json'],
    ['directory', 'data'],
  ])
  expect((await askPaths(Array.from({ length: 1001 }, (_, index) => `p${index}`))).status).toBe(400)
})

test('a form that says it is too large is refused before anything is looked up for it', async () => {
  // Nobody, and no such repository: 401 for what is within the bound.
  const askNobody = (bytes: number) =>
    fetch(`${program.url}/hf/api/datasets/ada/none/paths-info/main`, { method: 'POST', body: 'p&'.repeat(bytes / 2) })
  expect((await askNobody(1000)).status).toBe(401)
  expect((await askNobody(1024 * 1024)).status).toBe(413)
})

test('links to more parts than an answer holds are refused, whatever room there is', async () => {
  await ask('POST', '/api/repos/create', { type: 'dataset', name: 'parts', organization: 'ada' })
  const objects = Array.from({ length: 101 }, (_, index) => ({
    oid: createHash('sha256').update(`part ${index}`).digest('hex'),
    size: 1000 * 64 * 2 ** 20,
  }))
  const body = { operation: 'upload', transfers: ['basic', 'multipart'], objects }
  const answer = await ask('POST', '/datasets/ada/parts.git/info/lfs/objects/batch', body)
  expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining('100000 parts')])
})

test('pushes side by side do not exceed the quota together', async () => {
  const quotaBytes = 100_000
  const limited = await startProgram({ NMP_ORG_QUOTA_BYTES: String(quotaBytes) })
  try {
    const bob = await limited.addUser('bob@example.org')
    const key = await limited.makeToken(bob, ['workspace:read', 'imports:write'])
    const headers = { authorization: `Bearer ${key}` }
    const post = (path: string, body: object) =>
      fetch(`${limited.url}/hf${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    await post('/api/repos/create', { type: 'dataset', name: 'full', organization: 'bob' })
    const contents = Array.from({ length: 8 }, (_, index) => Buffer.alloc(40_000, index + 1))
    const plan = async (content: Buffer) => {
      const object = { oid: createHash('sha256').update(content).digest('hex'), size: content.length }
      const body = { operation: 'upload', transfers: ['basic'], objects: [object] }
      const planned = (await (await post('/datasets/bob/full.git/info/lfs/objects/batch', body)).json()) as Json
      return planned.objects[0].actions.upload.href as string
    }
    const links = await Promise.all(contents.map(plan))
    const sent = await Promise.all(
      links.map((href, index) => fetch(href, { method: 'PUT', body: contents[index] as Uint8Array<ArrayBuffer> })),
    )
    expect(sent.map(({ status }) => status).sort()).toEqual([200, 200, 413, 413, 413, 413, 413, 413])
    const objects = contents.map((content) => ({
      oid: createHash('sha256').update(content).digest('hex'),
      size: 40_000,
    }))
    const together = { operation: 'upload', transfers: ['basic'], objects }
    expect((await post('/datasets/bob/full.git/info/lfs/objects/batch', together)).status).toBe(413)
  } finally {
    await limited.close()
  }
})

test('an unknown or malformed address is never a server error', async () => {
  for (const path of ['//', '///', '//[', '//:80/', '/%', '/api/datasets'])
    expect((await fetch(`${program.url}/hf${path}`)).status, path).toBeLessThan(500)
})
