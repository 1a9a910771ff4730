import { execFile } from 'node:child_process'
import { mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ServiceError } from '../../errors.ts'
import { serveSignedObject } from '../serving/serve.ts'
import { bytesOf, describeStorage, readText, refusal, type StorageHarness } from '../storage.contract.ts'
import { type FolderStorage, openFolderStorage } from './folder.ts'

const openHarness = async (): Promise<StorageHarness & { storage: FolderStorage; folder: string }> => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'nmp-storage-')))
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    serveSignedObject(storage, { method, url, headers, body: request })
      .then(async (answer) => {
        response.writeHead(answer.status, answer.headers)
        if (answer.body) await pipeline(answer.body, response)
        else response.end()
      })
      .catch((error) => response.writeHead(error instanceof ServiceError ? error.status : 500).end(error.message))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const config = { kind: 'folder', folder, signingKey: 'a test key', publicUrl: `http://127.0.0.1:${port}` } as const
  const storage = await openFolderStorage(config)
  const close = async () => {
    server.close()
    server.closeAllConnections()
    await storage.close()
    await rm(folder, { recursive: true })
  }
  return { storage, config, folder, close }
}

// `.ci/run` sets 5 GiB; without it the test stays light.
const largeObjectBytes = Number(process.env.NMP_TEST_OBJECT_BYTES ?? 384 * 1024 * 1024)

describeStorage('a local folder', openHarness, { largeObjectBytes })

describe('what only a folder has to fear', () => {
  let harness: Awaited<ReturnType<typeof openHarness>>
  let storage: FolderStorage
  beforeAll(async () => {
    harness = await openHarness()
    storage = harness.storage
  })
  afterAll(() => harness?.close())
  const inObjects = (name: string): string => join(harness.folder, 'objects', name)

  test('a planted symbolic link is neither followed nor listed', async () => {
    await writeFile(join(harness.folder, 'secret'), 'secret')
    await symlink(join(harness.folder, 'secret'), inObjects('link'))
    await symlink(harness.folder, inObjects('up'))
    expect(await refusal(storage.getObject('link'))).toBe('internal_error')
    expect(await refusal(storage.findObject('link'))).toBe('internal_error')
    expect(await refusal(storage.getObject('up/secret'))).toBe('internal_error')
    expect(await refusal(storage.findObject('up/secret'))).toBe('internal_error')
    expect(await refusal(storage.putObject('up/planted', bytesOf('x')))).toBe('internal_error')
    expect(await readdir(harness.folder)).not.toContain('planted')
    const listed: string[] = []
    for await (const head of storage.listObjects('')) listed.push(head.key)
    expect(listed).toEqual([])
    await rm(inObjects('link'))
    await rm(inObjects('up'))
  })

  test('a planted pipe does not hang a reader', async () => {
    await promisify(execFile)('mkfifo', [inObjects('pipe')])
    expect(await refusal(storage.getObject('pipe'))).toBe('internal_error')
    await rm(inObjects('pipe'))
  })

  test('files that are not ours are not listed', async () => {
    await storage.putObject('ours', bytesOf('x'))
    await writeFile(inObjects('Foreign File'), 'x')
    const listed: string[] = []
    for await (const head of storage.listObjects('')) listed.push(head.key)
    expect(listed).toEqual(['ours'])
    await rm(inObjects('Foreign File'))
  })

  test('keys that nest are refused, and the first object stays', async () => {
    await storage.putObject('nest/f', bytesOf('file'))
    expect(await refusal(storage.putObject('nest/f/g', bytesOf('x')))).toBe('object_exists')
    expect(await refusal(storage.putObject('nest', bytesOf('x')))).toBe('object_exists')
    expect(await readText(storage, 'nest/f')).toBe('file')
  })

  test('deleting the last object takes its folders, while others write into them', async () => {
    const keys = Array.from({ length: 40 }, (_, index) => `busy/folder/${index}`)
    await Promise.all(
      keys.map(async (key) => {
        for (let round = 0; round < 5; round++) {
          await storage.putObject(key, bytesOf(key))
          await storage.deleteObject(key)
        }
      }),
    )
    expect(await readdir(join(harness.folder, 'objects'))).not.toContain('busy')
  })

  test('HEAD answers as GET would, without a body', async () => {
    await storage.putObject('head', bytesOf('0123456789'))
    const { url } = await storage.signGet('head', { expiresInSeconds: 60 })
    const answer = await fetch(url, { method: 'HEAD' })
    expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([200, '10', ''])
  })

  test('parameters that are added, repeated or written otherwise are refused; their order does not matter', async () => {
    const url = new URL((await storage.signGet('head', { expiresInSeconds: 60, contentType: 'text/plain' })).url)
    const [base, query = ''] = url.href.split('?')
    const status = async (changed: string) => (await fetch(`${base}?${changed}`)).status
    expect(await status(query.split('&').reverse().join('&'))).toBe(200)
    expect(await status(`${query}&x=1`)).toBe(403)
    expect(await status(`${query}&type=text%2Fplain`)).toBe(403)
    expect(await status(query.replace('expires=', 'expires=0'))).toBe(403)
    expect(await status(query.replace('expires=', 'expires=%2B'))).toBe(403)
    expect(await status('')).toBe(403)
    expect((await fetch(`${base}=?${query}`)).status).toBe(403)
    expect((await fetch(`${base}/../x?${query}`)).status).toBe(403)
  })

  test('an object is synced before it gets its name, and its folder after', async () => {
    const script = `
      import { openFolderStorage } from ${JSON.stringify(new URL('./folder.ts', import.meta.url).href)}
      const storage = await openFolderStorage(JSON.parse(process.argv[1]))
      await storage.putObject('a/b', (async function* () { yield Buffer.from('x') })())`
    const trace = join(harness.folder, 'trace')
    const words = [
      '-f',
      '-y',
      '-e',
      'trace=fsync,fdatasync,rename,renameat,renameat2,link,linkat,mkdir,mkdirat',
      '-o',
      trace,
    ]
    const command = [process.execPath, '--input-type=module-typescript', '-e', script, JSON.stringify(harness.config)]
    await promisify(execFile)('strace', [...words, ...command])
    const calls = await listCalls(trace)
    const named = calls.findIndex((call) => /^rename.*objects\/a\/b/.test(call))
    const made = calls.findIndex((call) => /^mkdir.*objects\/a/.test(call))
    expect(named).toBeGreaterThan(0)
    expect(calls.slice(0, named).some((call) => /^fsync.*\/tmp\/[0-9a-f]{24}>/.test(call))).toBe(true)
    expect(calls.slice(named).some((call) => /^fsync.*objects\/a>/.test(call))).toBe(true)
    expect(calls.slice(made, named).some((call) => /^fsync.*objects>/.test(call))).toBe(true)
  })
})

/** System calls in the order of their ends, from the output of `strace -f`. */
const listCalls = async (path: string): Promise<string[]> => {
  const { stdout } = await promisify(execFile)('cat', [path])
  const unfinished = new Map<string, string>()
  const calls: string[] = []
  for (const line of stdout.split('\n')) {
    const [, process = '', call = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? []
    if (call.endsWith('<unfinished ...>')) unfinished.set(process, call)
    else if (call.startsWith('<...')) calls.push(unfinished.get(process) ?? call)
    else calls.push(call)
  }
  return calls
}
