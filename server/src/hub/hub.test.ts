import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../../../fixtures/fixture.ts'
import { importFixture, waitForImport } from '../../test/import-dataset.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { publishRecording } from '../../test/published-dataset.ts'
import { sweepPushes } from './push/push-sweep.ts'

/** The door as a client sees it. The stock clients themselves are the Python lane's: `.ci/python-door`. */
const fixtures = getFixture('lerobot')
const source = join(fixtures, 'recorded-v3.0-two-cameras')

let program: TestProgram
let session: string
let token: string
let stranger: string

beforeAll(async () => {
  program = await startProgram()
  program.startWorker()
  const ada = await program.addUser('ada@example.org')
  session = await program.signIn(ada)
  token = await program.makeToken(ada, ['workspace:read', 'imports:write'])
  stranger = await program.makeToken(await program.addUser('eve@example.org'), ['workspace:read', 'imports:write'])
  await importFixture(program, session, { org: 'ada', project: 'default', slug: 'two-cameras', folder: source })
})
afterAll(() => program?.close())

const ask = (path: string, init: RequestInit & { bearer?: string | undefined } = {}) => {
  const { bearer = token, ...rest } = init
  const headers = { ...(bearer ? { authorization: `Bearer ${bearer}` } : {}), ...rest.headers }
  return fetch(`${program.url}/hf${path}`, { ...rest, headers, redirect: 'manual' })
}
// biome-ignore lint/suspicious/noExplicitAny: what a stranger gets from JSON.parse
type Json = any

const askJson = async (path: string, init: Parameters<typeof ask>[1] = {}) => {
  const answer = await ask(path, init)
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Json }
}
const post = (path: string, body: unknown, init: Parameters<typeof ask>[1] = {}) =>
  askJson(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
    ...init,
  })

describe('reading', () => {
  test('a dataset is a repository under both of its names, with the tag that the loader asks for', async () => {
    const full = await askJson('/api/datasets/ada/default.two-cameras')
    const short = await askJson('/api/datasets/ada/two_cameras/revision/v3.0')
    expect(short.body.sha).toBe(full.body.sha)
    expect(full.body).toMatchObject({ id: 'ada/default.two-cameras', private: true })
    const paths = full.body.siblings.map(({ rfilename }: { rfilename: string }) => rfilename)
    expect(paths).toEqual(expect.arrayContaining(['README.md', 'meta/info.json', 'data/chunk-000/file-000.parquet']))
    const refs = await askJson('/api/datasets/ada/two-cameras/refs')
    expect(refs.body.tags.map(({ name }: { name: string }) => name)).toEqual(['v3.0', 'revision-1'])
    expect(refs.body.branches).toEqual([{ name: 'main', ref: 'refs/heads/main', targetCommit: full.body.sha }])
  })

  test('files are told by their git and LFS names, and served whole or in part', async () => {
    const { body: tree } = await askJson('/api/datasets/ada/two-cameras/tree/main?recursive=true')
    const info = tree.find(({ path }: { path: string }) => path === 'meta/info.json')
    const data = tree.find(({ path }: { path: string }) => path === 'data/chunk-000/file-000.parquet')
    const bytes = Buffer.from(await (await ask('/datasets/ada/two-cameras/resolve/main/meta/info.json')).arrayBuffer())
    expect(info.oid).toBe(createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex'))
    const whole = Buffer.from(await (await ask(`/datasets/ada/two-cameras/resolve/main/${data.path}`)).arrayBuffer())
    expect(data.lfs).toMatchObject({ oid: createHash('sha256').update(whole).digest('hex'), size: whole.length })
    const part = await ask(`/datasets/ada/two-cameras/resolve/main/${data.path}`, { headers: { range: 'bytes=10-19' } })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 10-19/${whole.length}`])
    expect(Buffer.from(await part.arrayBuffer())).toEqual(whole.subarray(10, 20))
    const head = await ask(`/datasets/ada/two-cameras/resolve/main/${data.path}`, { method: 'HEAD' })
    expect(head.headers.get('x-repo-commit')).toMatch(/^[0-9a-f]{40}$/)
    expect(head.headers.get('etag')).toBe(`"${data.lfs.oid}"`)
    expect(head.headers.get('content-length')).toBe(String(whole.length))
  })

  test.each([
    ['/api/datasets/ada/two-cameras', { bearer: '' }, 401, 'RepoNotFound'],
    ['/api/datasets/ada/two-cameras', { bearer: 'nmp_nonsense' }, 401, 'RepoNotFound'],
    ['/api/datasets/ada/nothing-here', {}, 404, 'RepoNotFound'],
    ['/api/datasets/ada/two-cameras/revision/nope', {}, 404, 'RevisionNotFound'],
    ['/datasets/ada/two-cameras/resolve/main/nope.txt', {}, 404, 'EntryNotFound'],
    ['/api/agent-harnesses', {}, 404, null],
  ])('%s %j is refused in the words of the Hub', async (path, init, status, code) => {
    const answer = await askJson(path, init)
    expect([answer.status, answer.headers.get('x-error-code')]).toEqual([status, code])
    expect(answer.body.error).toMatch(/\w/)
  })

  test('a stranger learns nothing: the answer is that of a repository which is not there', async () => {
    const there = await askJson('/api/datasets/ada/two-cameras', { bearer: stranger })
    const absent = await askJson('/api/datasets/ada/nothing-here', { bearer: stranger })
    expect([there.status, there.body]).toEqual([absent.status, absent.body])
  })

  test('a version is a repository before it was ever exported', async () => {
    const { body } = await program.call('GET', '/api/v1/orgs/ada/projects/default/datasets/two-cameras', {
      bearer: session,
    })
    const made = await program.call('POST', '/api/v1/orgs/ada/derived-dataset-versions', {
      bearer: session,
      body: {
        slug: 'two-good',
        name: 'Good ones',
        source: { dataset_kind: 'project', dataset_id: body.item.id },
        recipe: { selected_episode_indices: [1, 3] },
      },
    })
    expect(made.status).toBe(201)
    const { body: refs } = await askJson('/api/datasets/ada/two-good/refs')
    const facts = await askJson('/api/datasets/ada/two-good/revision/main?expand=sha')
    expect(facts.body).toEqual({ id: 'ada/default.two-good', sha: refs.branches[0].targetCommit })
    const readers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        index % 2 === 0
          ? askJson('/api/datasets/ada/two-good/revision/v3.0')
          : askJson('/api/datasets/ada/two-good/tree/version-1?recursive=true'),
      ),
    )
    expect(readers.map(({ status }) => status)).toEqual(Array(50).fill(200))
    expect(readers[0]?.body.sha).toBe(refs.branches[0].targetCommit)
    const { body: info } = await askJson('/datasets/ada/two-good/resolve/v3.0/meta/info.json')
    expect(info.total_episodes).toBe(2)
    const jobs = await program.call(
      'GET',
      `/api/v1/orgs/ada/derived-dataset-versions/${made.body.item.id}/export-jobs`,
      {
        bearer: session,
      },
    )
    expect(jobs.body.items).toHaveLength(1)
  })

  test('a version that nobody can make yet: each client gets what it tries again on, and none hangs', async () => {
    const worker = await startProgram()
    const ada = await worker.addUser('ada@example.org')
    const bearer = await worker.signIn(ada)
    const { rows } = await sql<{ org: string; project: string }>`
      select org_id as org, id as project from projects where slug = 'default' limit 1`.execute(worker.context.db)
    const place = { orgId: rows[0]?.org ?? '', projectId: rows[0]?.project ?? '', slug: 'recording' }
    const { datasetId } = await publishRecording(worker.context, place, [5, 4])
    await worker.call('POST', '/api/v1/orgs/ada/derived-dataset-versions', {
      bearer,
      body: {
        slug: 'never-made',
        name: 'x',
        source: { dataset_kind: 'project', dataset_id: datasetId },
        recipe: { first_n_episodes: 1 },
      },
    })
    const download = (agent: string, method: string) =>
      fetch(`${worker.url}/hf/datasets/ada/never-made/resolve/main/meta/info.json`, {
        method,
        headers: { authorization: `Bearer ${bearer}`, 'user-agent': agent },
      })
    const began = Date.now()
    const [today, before, head] = await Promise.all([
      download('unknown/None; hf_hub/1.33.0; python/3.12.1', 'GET'),
      download('unknown/None; hf_hub/0.35.3; python/3.10.1', 'GET'),
      download('unknown/None; hf_hub/1.33.0; python/3.12.1', 'HEAD'),
    ])
    expect([today.status, before.status, head.status]).toEqual([429, 503, 503])
    expect(today.headers.get('retry-after')).toBe('2')
    expect(head.headers.get('x-error-message')).toContain('being made')
    expect(Date.now() - began).toBeLessThan(20_000)
    await worker.close()
  })

  test('the door has its own budget of requests, and is counted by itself', async () => {
    const narrow = await startProgram({ NMP_RATE_LIMIT: '2' })
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => fetch(`${narrow.url}/hf/api/datasets/no/where`).then((answer) => answer)),
    )
    const refused = answers.find(({ status }) => status === 429)
    expect(answers.filter(({ status }) => status === 401).length).toBeGreaterThanOrEqual(10)
    expect(refused?.headers.get('x-error-message')).toContain('Slow down')
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await narrow.call('GET', '/api/v1/version')).status).toBe(200)
    const metrics = await (await fetch(`${narrow.url}/metrics`)).text()
    expect(metrics).toMatch(/nmp_hub_requests_total\{group="read",status="401"\} \d+/)
    await narrow.close()
  })
})

describe('pushing', () => {
  const paths = [
    'meta/info.json',
    'meta/stats.json',
    'meta/tasks.parquet',
    'meta/episodes/chunk-000/file-000.parquet',
    'data/chunk-000/file-000.parquet',
    'videos/observation.images.top/chunk-000/file-000.mp4',
    'videos/observation.images.wrist/chunk-000/file-000.mp4',
  ]

  async function sendByLfs(name: string, files: readonly { path: string; bytes: Buffer }[]): Promise<string[]> {
    const objects = files.map(({ bytes }) => ({
      oid: createHash('sha256').update(bytes).digest('hex'),
      size: bytes.length,
    }))
    const batch = await post(`/datasets/ada/${name}.git/info/lfs/objects/batch`, {
      operation: 'upload',
      transfers: ['basic', 'multipart'],
      objects,
    })
    expect(batch.body.transfer).toBe('basic')
    for (const [index, object] of batch.body.objects.entries()) {
      if (!object.actions) continue
      const put = await fetch(object.actions.upload.href, {
        method: 'PUT',
        body: new Uint8Array(files[index]?.bytes ?? []),
      })
      expect(put.status).toBe(200)
    }
    return objects.map(({ oid }) => oid)
  }

  async function push(name: string): Promise<string> {
    await post('/api/repos/create', { name, organization: 'ada', type: 'dataset', private: true })
    const files = await Promise.all(paths.map(async (path) => ({ path, bytes: await readFile(join(source, path)) })))
    const plan = await post(`/api/datasets/ada/${name}/preupload/main`, {
      files: files.map(({ path, bytes }) => ({ path, size: bytes.length, sample: '' })),
    })
    const isLarge = (path: string) =>
      plan.body.files.find((file: { path: string; uploadMode: string }) => file.path === path).uploadMode === 'lfs'
    const large = files.filter(({ path }) => isLarge(path))
    const oids = await sendByLfs(name, large)
    const lines = [
      { key: 'header', value: { summary: 'push', description: '' } },
      ...large.map(({ path, bytes }, index) => ({
        key: 'lfsFile',
        value: { path, algo: 'sha256', oid: oids[index], size: bytes.length },
      })),
      ...files
        .filter(({ path }) => !isLarge(path))
        .map(({ path, bytes }) => ({
          key: 'file',
          value: { path, content: bytes.toString('base64'), encoding: 'base64' },
        })),
    ]
    const commit = await askJson(`/api/datasets/ada/${name}/commit/main`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: lines.map((line) => JSON.stringify(line)).join('\n'),
    })
    expect(commit.body.success).toBe(true)
    return commit.body.commitOid
  }

  const listImports = async (slug: string) => {
    const { body } = await program.call('GET', `/api/v1/orgs/ada/projects/default/imports?q=${slug}`, {
      bearer: session,
    })
    return body.items.filter((item: { dataset_slug: string }) => item.dataset_slug === slug)
  }

  test('the codebase tag makes a pushed tree an import; the same tree again is the same import', async () => {
    const head = await push('pushed-once')
    const before = await askJson('/api/datasets/ada/pushed-once/revision/main')
    expect(before.body.sha).toBe(head)
    expect((await askJson('/api/datasets/ada/pushed-once/tag/v3.0', { method: 'DELETE' })).status).toBe(404)
    expect((await post('/api/datasets/ada/pushed-once/tag/main', { tag: 'v3.0' })).status).toBe(200)
    const [job] = await listImports('pushed-once')
    const done = await waitForImport(program, session, { org: 'ada', project: 'default' }, job.id)
    expect([done.status, done.error_message]).toEqual(['succeeded', null])
    const after = await askJson('/api/datasets/ada/pushed-once/revision/v3.0')
    const original = await askJson('/api/datasets/ada/two-cameras/revision/v3.0')
    expect(after.body.sha).toBe(original.body.sha)
    await push('pushed-once')
    await post('/api/datasets/ada/pushed-once/tag/main', { tag: 'v3.0' })
    expect(await listImports('pushed-once')).toHaveLength(1)
  })

  test('a push whose tag never comes is imported once it is whole and quiet', async () => {
    await push('pushed-quietly')
    await sweepPushes(program.context)
    expect(await listImports('pushed-quietly')).toHaveLength(0)
    await program.context.db
      .updateTable('hub_pushes')
      .set({ updated_at: new Date(Date.now() - 11_000) })
      .execute()
    await sweepPushes(program.context)
    expect(await listImports('pushed-quietly')).toHaveLength(1)
  })

  test('nobody pushes where they may not, nor deletes what is not there', async () => {
    const body = { name: 'theirs', organization: 'ada', type: 'dataset' }
    expect((await post('/api/repos/create', body, { bearer: stranger })).status).toBe(404)
    expect((await post('/api/repos/create', body, { bearer: '' })).status).toBe(401)
    const reader = await program.makeToken(await program.addUser('rita@example.org'), ['workspace:read'])
    expect((await post('/api/repos/create', { ...body, organization: 'rita' }, { bearer: reader })).status).toBe(403)
    const remove = (bearer: string) =>
      askJson('/api/repos/delete', { method: 'DELETE', body: JSON.stringify(body), bearer })
    expect((await remove(reader)).status).toBe(403)
    const owner = await program.makeToken(await program.addUser('olga@example.org'), [
      'workspace:read',
      'datasets:delete',
    ])
    const deletion = await remove(owner)
    expect([deletion.status, deletion.headers.get('x-error-code')]).toEqual([404, 'RepoNotFound'])
  })

  test('an upload link takes what it was made for and nothing else', async () => {
    await post('/api/repos/create', { name: 'by-link', organization: 'ada', type: 'dataset' })
    const bytes = randomBytes(2000)
    const oid = createHash('sha256').update(bytes).digest('hex')
    const { body } = await post('/datasets/ada/by-link.git/info/lfs/objects/batch', {
      operation: 'upload',
      objects: [{ oid, size: bytes.length }],
    })
    const { href } = body.objects[0].actions.upload
    const put = (url: string, content: Buffer) => fetch(url, { method: 'PUT', body: new Uint8Array(content) })
    expect((await put(href, randomBytes(2000))).status).toBe(400)
    expect((await put(href.replace('size=2000', 'size=3000'), randomBytes(3000))).status).toBe(403)
    expect((await put(href, randomBytes(9000))).status).toBeGreaterThanOrEqual(400)
    expect((await put(href, bytes)).status).toBe(200)
  })
})
