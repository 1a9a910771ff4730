import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../../../fixtures/fixture.ts'
import { chooseCases } from '../../../fixtures/test-where.ts'
import { type PushedFile, pushFiles, readPushedFolder } from '../../test/hub-push.ts'
import { type HubServer, startHubServer } from '../../test/hub-server.ts'
import { importFixture, waitForImport } from '../../test/import-dataset.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { loadConfig } from '../config.ts'
import { checkRepository } from '../imports/sources/hub-check.ts'
import { openSource } from '../imports/sources/index.ts'
import type { OpenedSource, SourceFile } from '../imports/sources/source.ts'

/** The importer's client and this door hold each other to the same protocol; the hub-shaped server holds both. */
const fixtures = getFixture('lerobot')
const never = new AbortController().signal
const odd: PushedFile[] = [
  { path: 'data/a big.bin', content: randomBytes(300_000) },
  { path: 'notes/größe #1?.txt', content: Buffer.from('small') },
]

let far: TestProgram
let farSession: string
let farToken: string
beforeAll(async () => {
  far = await startProgram()
  const ada = await far.addUser('ada@example.org')
  farSession = await far.signIn(ada)
  farToken = await far.makeToken(ada, ['workspace:read', 'imports:write'])
})
afterAll(() => far.close())

interface Served {
  url: string
  allow: string
  repoId: string
  commit: string
  tag: string
  token: string | null
}

const opened: HubServer[] = []
afterAll(async () => {
  for (const hub of opened) await hub.close()
})
let names = 0

const servers: [string, (files: readonly PushedFile[]) => Promise<Served>][] = [
  [
    'the hub-shaped server',
    async (files) => {
      const extra = files.map((file) => ({ ...file, isLarge: /\.(parquet|mp4|bin)$/.test(file.path) }))
      const hub = await startHubServer(undefined, { extra, tags: ['v9'], pageSize: 7, token: 'hf_secret' })
      opened.push(hub)
      const { url, allow, commit } = hub
      return { url, allow, commit, repoId: 'lab/set', tag: 'v9', token: 'hf_secret' }
    },
  ],
  [
    'the door of another nmp',
    async (files) => {
      const repoId = `ada/set-${++names}`
      const commit = await pushFiles({ url: far.url, token: farToken }, repoId, files)
      const info = files.find(({ path }) => path === 'meta/info.json')
      const tag = info ? JSON.parse(info.content.toString()).codebase_version : ''
      return { url: `${far.url}/hf`, allow: '', commit, repoId, tag, token: farToken }
    },
  ],
]

const configFor = ({ url, allow }: Served) => ({
  config: loadConfig({ NMP_HF_ENDPOINT: url, NMP_SOURCE_ALLOW: allow }),
})
const requestFor = ({ repoId, token }: Served) => ({ kind: 'huggingface', repoId, revision: null, token }) as const

const readAll = async (source: OpenedSource, file: SourceFile | undefined): Promise<Buffer> => {
  if (!file) throw new Error('no such file')
  const chunks: Uint8Array[] = []
  for await (const chunk of source.read(file, never)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

describe.each(servers)('the importer reads from %s', (_, serve) => {
  test.each(
    chooseCases(['recorded-v2.0', 'recorded-v2.1', 'recorded-v3.0-many-files'], (name) => name === 'recorded-v2.1'),
  )('%s byte for byte, pinned to its commit', async (name) => {
    const files = await readPushedFolder(join(fixtures, name))
    const served = await serve(files)
    const source = await openSource(configFor(served), { ...requestFor(served), revision: served.tag }, never)
    expect(source.revision).toBe(served.commit)
    expect(source.uri).toBe(`hf://datasets/${served.repoId}@${served.commit}`)
    expect(source.files.map(({ path }) => path).sort()).toEqual(files.map(({ path }) => path).sort())
    for (const { path, content } of files) {
      const file = source.files.find((one) => one.path === path)
      expect((await readAll(source, file)).equals(content), path).toBe(true)
    }
  })

  test('what a repository holds, before it is imported', async () => {
    const files = await readPushedFolder(join(fixtures, 'recorded-v2.1'))
    const served = await serve(files)
    expect(await checkRepository(configFor(served), requestFor(served), never)).toMatchObject({
      exists: true,
      private: true,
      gated: false,
      revision: served.commit,
      codebaseVersion: 'v2.1',
      fileCount: files.length,
      totalBytes: files.reduce((sum, { content }) => sum + content.length, 0),
      sentence: `${served.repoId} is a LeRobot dataset of version v2.1.`,
    })
  })

  test('odd names, encoded on the wire', async () => {
    const served = await serve(odd)
    const source = await openSource(configFor(served), requestFor(served), never)
    for (const { path, content } of odd) {
      const file = source.files.find((one) => one.path === path)
      expect(await readAll(source, file)).toEqual(content)
    }
  })

  test.each([
    ['private, without a token', { token: null }, 'give an access token'],
    ['private, with a wrong token', { token: 'hf_other' }, 'account of this token may not read it'],
    ['another name', { repoId: 'lab/other' }, 'There is no dataset repository lab/other on 127.0.0.1'],
    ['another revision', { revision: 'v7' }, 'no branch, tag or commit "v7"'],
  ])('or is told what to do: %s', async (_case, given, words) => {
    const served = await serve(odd)
    const opening = openSource(configFor(served), { ...requestFor(served), ...given }, never)
    await expect(opening).rejects.toMatchObject({ code: 'source_not_found', message: expect.stringContaining(words) })
  })
})

describe('one nmp imports from another', { timeout: 240_000 }, () => {
  const place = { org: 'ada', project: 'default' }
  const imports = '/api/v1/orgs/ada/projects/default/imports'
  let near: TestProgram
  let session: string
  let sent: string[]
  beforeAll(async () => {
    far.startWorker()
    const folder = join(fixtures, 'recorded-v3.0-two-cameras')
    const job = await importFixture(far, farSession, { ...place, slug: 'two-cameras', folder })
    sent = await listFiles(far, farSession, job.dataset_id)
    near = await startProgram({ NMP_HF_ENDPOINT: `${far.url}/hf` })
    near.startWorker()
    session = await near.signIn(await near.addUser('ada@example.org'))
  })
  afterAll(() => near?.close())

  const bring = async (slug: string, more: Record<string, unknown>) => {
    const body = { source_kind: 'huggingface', dataset_slug: slug, ...more }
    const created = await near.call('POST', imports, { bearer: session, body })
    expect(created.status, JSON.stringify(created.body)).toBe(201)
    return waitForImport(near, session, place, created.body.item.id)
  }
  /** Every file of the data by its hash. The card that the door writes comes beside them. */
  const listFiles = async (where: TestProgram, bearer: string, id: string | null): Promise<string[]> =>
    (await where.call('GET', `/api/v1/catalog/datasets/${id}/files`, { bearer })).body.items
      .filter(({ path }: { path: string }) => path !== 'README.md')
      .map(({ path, sha256 }: { path: string; sha256: string }) => `${path} ${sha256}`)

  test('a private dataset with a token, and without one not at all', async () => {
    const refused = await bring('refused', { hf_repo_id: 'ada/two-cameras' })
    expect(refused).toMatchObject({ status: 'failed', error_code: 'source_not_found' })
    const job = await bring('private', { hf_repo_id: 'ada/default.two-cameras', hf_token: farToken })
    expect(job).toMatchObject({ status: 'succeeded', error_message: null, consistency_status: 'ok' })
    expect(await listFiles(near, session, job.dataset_id)).toEqual(sent)
  })

  test('a public dataset by its short name; the commit that is recorded gives the same again', async () => {
    const address = '/api/v1/orgs/ada/projects/default/datasets/two-cameras'
    await far.call('PATCH', address, { bearer: farSession, body: { visibility: 'public' } })
    const first = await bring('public', { hf_repo_id: 'ada/two-cameras' })
    expect(first).toMatchObject({ status: 'succeeded', hf_revision: expect.stringMatching(/^[0-9a-f]{40}$/) })
    const again = await bring('pinned', { hf_repo_id: 'ada/two-cameras', hf_revision: first.hf_revision })
    for (const { dataset_id: id } of [first, again]) expect(await listFiles(near, session, id)).toEqual(sent)
  })

  test('a derived version that nobody has exported', async () => {
    const { body } = await far.call('GET', '/api/v1/orgs/ada/projects/default/datasets/two-cameras', {
      bearer: farSession,
    })
    const made = await far.call('POST', '/api/v1/orgs/ada/derived-dataset-versions', {
      bearer: farSession,
      body: {
        slug: 'good-ones',
        name: 'Good ones',
        source: { dataset_kind: 'project', dataset_id: body.item.id },
        recipe: { selected_episode_indices: [0, 2] },
      },
    })
    expect(made.status).toBe(201)
    const job = await bring('derived', { hf_repo_id: 'ada/good-ones', hf_token: farToken })
    expect([job.status, job.error_message]).toEqual(['succeeded', null])
    const { body: dataset } = await near.call('GET', `/api/v1/orgs/ada/projects/default/datasets/derived`, {
      bearer: session,
    })
    expect(dataset.item.total_episodes).toBe(2)
  })
})
