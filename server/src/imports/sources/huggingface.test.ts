import { randomBytes } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { type HubOptions, type HubServer, startHubServer } from '../../../test/hub-server.ts'
import { loadConfig } from '../../config.ts'
import { checkRepository } from './hub-check.ts'
import { openSource } from './index.ts'
import type { OpenedSource, SourceFile } from './source.ts'
import { transferLimits } from './transfer-limits.ts'

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

const extra = [
  { path: 'data/a big.bin', content: randomBytes(300_000), isLarge: true },
  { path: 'notes/größe #1?.txt', content: Buffer.from('small'), isLarge: false },
]

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
    ['an invalid name', { repoId: '../../etc' }, 'source_invalid', 'owner/name'],
    ['a token that would split a header', { token: 'a\r\nx: y' }, 'source_invalid', 'Copy it again'],
  ])('%s: a sentence that says what to do', async (_, given, code, words) => {
    const hub = await start(undefined, { extra })
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
        'lab/set is gated. Accept its terms on 127.0.0.1, then import again with an access token of the same account.',
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
