import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { findFixtureFolder } from '../../../../formats/test/fixture-folder.ts'
import { type HubOptions, type HubServer, startHubServer } from '../../../test/hub-server.ts'
import { loadConfig } from '../../config.ts'
import { checkRepository } from './hub-check.ts'
import { openSource } from './index.ts'
import type { OpenedSource, SourceFile } from './source.ts'
import { transferLimits } from './transfer-limits.ts'

const fixtures = findFixtureFolder('lerobot')
const never = new AbortController().signal
const opened: HubServer[] = []

afterEach(async () => {
  for (const hub of opened.splice(0)) await hub.close()
})

const start = async (folder: string | undefined, options?: HubOptions): Promise<HubServer> => {
  const hub = await startHubServer(folder, options)
  opened.push(hub)
  return hub
}

const configFor = (hub: HubServer, env: Record<string, string> = {}) => ({
  config: loadConfig({ NMP_HF_ENDPOINT: hub.url, NMP_SOURCE_ALLOW: hub.allow, ...env }),
})

const request = { kind: 'huggingface', repoId: 'lab/set', revision: null, token: null } as const

const readAll = async (source: OpenedSource, file: SourceFile | undefined): Promise<Buffer> => {
  if (!file) throw new Error('no such file')
  const chunks: Uint8Array[] = []
  for await (const chunk of source.read(file, never)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const listFolder = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort()
}

describe.skipIf(!fixtures)('a repository', () => {
  test.each(['recorded-v2.0', 'recorded-v2.1', 'recorded-v3.0-many-files'])(
    '%s is read byte for byte, pinned to its commit',
    async (name) => {
      const folder = join(fixtures ?? '', name)
      const hub = await start(folder, { tags: ['v9'], pageSize: 7 })
      const source = await openSource(configFor(hub), { ...request, revision: 'v9' }, never)
      expect(source.revision).toBe(hub.commit)
      expect(source.uri).toBe(`hf://datasets/lab/set@${hub.commit}`)
      expect(source.files.map(({ path }) => path).sort()).toEqual(await listFolder(folder))
      for (const file of source.files)
        expect((await readAll(source, file)).equals(await readFile(join(folder, file.path)))).toBe(true)
      const bytes = hub.requests.filter((line) => line.includes('/resolve/'))
      expect(bytes.every((line) => line.includes(hub.commit))).toBe(true)
    },
  )

  test('is described before it is imported', async () => {
    const hub = await start(join(fixtures ?? '', 'recorded-v2.1'))
    const check = await checkRepository(configFor(hub), request, never)
    expect(check).toMatchObject({
      exists: true,
      private: false,
      gated: false,
      revision: hub.commit,
      codebaseVersion: 'v2.1',
    })
    expect(check.fileCount).toBe((await listFolder(join(fixtures ?? '', 'recorded-v2.1'))).length)
    expect(check.sentence).toBe('lab/set is a LeRobot dataset of version v2.1.')
  })
})

const extra = [
  { path: 'data/a big.bin', content: randomBytes(300_000), isLarge: true },
  { path: 'notes/größe #1?.txt', content: Buffer.from('small'), isLarge: false },
]

test('odd names are encoded on the wire', async () => {
  const hub = await start(undefined, { extra })
  const source = await openSource(configFor(hub), request, never)
  for (const { path, content } of extra)
    expect(
      await readAll(
        source,
        source.files.find((file) => file.path === path),
      ),
    ).toEqual(content)
})

test('a large file comes in parts, several at a time, and in order; the hub is not asked for each', async () => {
  const content = randomBytes(1_000_003)
  const hub = await start(undefined, { extra: [{ path: 'x.bin', content, isLarge: true }] })
  const limits = { ...transferLimits, parallelFromBytes: 500_000, segmentBytes: 50_000, segmentsAhead: 4 }
  const source = await openSource(configFor(hub), request, never, limits)
  expect((await readAll(source, source.files[0])).equals(content)).toBe(true)
  expect(hub.requests.filter((line) => line.includes('/storage/'))).toHaveLength(21)
  expect(hub.requests.filter((line) => line.includes('/resolve/')).length).toBeLessThan(6)
})

describe('access', () => {
  test('the token goes to the hub and never to the storage that it redirects to', async () => {
    const hub = await start(undefined, { extra, token: 'hf_secret' })
    const source = await openSource(configFor(hub), { ...request, token: 'hf_secret' }, never)
    expect(await readAll(source, source.files[0])).toHaveLength(300_000)
    expect(hub.requests.some((line) => line.startsWith('GET /storage/'))).toBe(true)
    expect(hub.credentials.length).toBeGreaterThan(2)
    expect(hub.credentials.filter((line) => line.includes('/storage/') || line.startsWith('localhost'))).toEqual([])
  })

  test.each([
    ['private, without a token', { token: 'hf_secret' }, {}, 'source_not_found', 'give an access token'],
    [
      'private, with a wrong token',
      { token: 'hf_secret' },
      { token: 'hf_other' },
      'source_not_found',
      'account of this token may not read it',
    ],
    [
      'another name',
      {},
      { repoId: 'lab/other' },
      'source_not_found',
      'There is no dataset repository lab/other on 127.0.0.1',
    ],
    ['another revision', {}, { revision: 'v7' }, 'source_not_found', 'no branch, tag or commit "v7"'],
    ['a name that is none', {}, { repoId: '../../etc' }, 'source_invalid', 'owner/name'],
    ['a token that would split a header', {}, { token: 'a\r\nx: y' }, 'source_invalid', 'Copy it again'],
  ])('%s: a sentence that says what to do', async (_, options, given, code, words) => {
    const hub = await start(undefined, { extra, ...options })
    const opening = openSource(configFor(hub), { ...request, ...given }, never)
    await expect(opening).rejects.toMatchObject({ code, message: expect.stringContaining(words) })
  })

  test('gated: the list is open, the files ask for the terms', async () => {
    const hub = await start(undefined, {
      extra: [{ path: 'meta/info.json', content: Buffer.from('{}'), isLarge: false }],
      isGated: true,
    })
    const source = await openSource(configFor(hub), request, never)
    await expect(readAll(source, source.files[0])).rejects.toMatchObject({
      code: 'source_forbidden',
      message:
        'lab/set is gated. Accept its terms on 127.0.0.1, then import again with an access token of that account.',
    })
    expect(await checkRepository(configFor(hub), request, never)).toMatchObject({
      exists: true,
      gated: true,
      sentence: expect.stringContaining('Accept its terms'),
    })
  })
})

describe('a listing that is refused', () => {
  test.each([
    '../../etc/passwd',
    '/etc/passwd',
    'a/../b',
    'a//b',
    'a\\..\\b',
    'a\u0000.h5',
    'a\nb',
    'DATA/A BIG.bin',
    `${'d/'.repeat(70)}x`,
    'x'.repeat(300),
  ])('for the name %j', async (path) => {
    const hub = await start(undefined, { extra: [...extra, { path, content: Buffer.from('x'), isLarge: false }] })
    await expect(openSource(configFor(hub), request, never)).rejects.toMatchObject({
      code: 'invalid_path',
      message: expect.stringContaining('Rename it'),
    })
  })

  test('for its size, before a byte of it is fetched', async () => {
    const hub = await start(undefined, { extra })
    const opening = openSource(configFor(hub, { NMP_SOURCE_MAX_BYTES: '300000' }), request, never)
    await expect(opening).rejects.toMatchObject({ code: 'source_too_large' })
    expect(hub.requests.some((line) => line.includes('/resolve/'))).toBe(false)
  })

  test('for the number of its files', async () => {
    const hub = await start(undefined, { extra })
    await expect(openSource(configFor(hub), request, never, { ...transferLimits, maxFiles: 1 })).rejects.toMatchObject({
      code: 'source_too_large',
    })
  })
})
