import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import type { HubFault } from '../../../test/hub-faults.ts'
import { startHubServer } from '../../../test/hub-server.ts'
import { loadConfig } from '../../config.ts'
import { openSource } from './index.ts'
import { transferLimits } from './transfer-limits.ts'

const content = Buffer.concat([Buffer.from('\x89HDF\r\n\x1a\n', 'latin1'), randomBytes(300_000)])
const limits = { ...transferLimits, idleMs: 300, backoffMs: 5, attempts: 4, progressBytes: 50_000 }
const never = new AbortController().signal

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const bring = async (url: string, allow: string, env: Record<string, string> = {}, bounds = limits) => {
  const config = loadConfig({ NMP_SOURCE_ALLOW: allow, ...env })
  const source = await openSource({ config }, { kind: 'url', url }, never, bounds)
  const [file] = source.files
  if (!file) throw new Error('no file')
  const chunks: Uint8Array[] = []
  for await (const chunk of source.read(file, never)) chunks.push(chunk)
  return { file, bytes: Buffer.concat(chunks) }
}

/** The hub-shaped server also serves plain files, with parts and ETags. */
const serveFile = async (faults: HubFault[] = [], path = 'x.hdf5') => {
  const hub = await startHubServer(undefined, { extra: [{ path, content, isLarge: true }], redirectsLarge: false })
  closing.push(() => hub.close())
  const address = `${hub.url}/datasets/lab/set/resolve/main/${encodeURIComponent(path)}`
  hub.setFaults(...faults.map((fault) => ({ on: /\/resolve\//, ...fault })))
  return { hub, address, bring: (bounds = limits) => bring(address, hub.allow, {}, bounds) }
}

const serve = async (answer: (request: IncomingMessage, response: ServerResponse) => void) => {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const hostPort = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url: `http://${hostPort}`, hostPort }
}

test('a file is read whole, by the name it has there', async () => {
  const { bring } = await serveFile([], 'pick & place.hdf5')
  const { file, bytes } = await bring()
  expect(file).toEqual({ path: 'pick & place.hdf5', sizeBytes: content.length, sha256: null })
  expect(bytes.equals(content)).toBe(true)
})

test('a large file is read in parts', async () => {
  const { hub, bring } = await serveFile()
  const { bytes } = await bring({ ...limits, parallelFromBytes: 1000, segmentBytes: 50_000 })
  expect(bytes.equals(content)).toBe(true)
  expect(hub.requests.filter((line) => / bytes=\d+-\d+$/.test(line)).length).toBeGreaterThan(6)
})

describe('a transfer', () => {
  test('that breaks is resumed', async () => {
    const { hub, bring } = await serveFile()
    hub.setFaults({ kind: 'cut', afterBytes: 70_000, on: /\/resolve\// })
    expect((await bring()).bytes.equals(content)).toBe(true)
  })

  test('that breaks at a server without parts begins anew, and must repeat what came before', async () => {
    let version = 0
    const { url, hostPort } = await serve((_, response) => {
      version += 1
      response.writeHead(200, { 'content-length': content.length })
      if (version === 2) response.write(content.subarray(0, 100_000), () => setTimeout(() => response.destroy(), 20))
      else response.end(content)
    })
    expect((await bring(`${url}/x.h5`, hostPort)).bytes.equals(content)).toBe(true)
    expect(version).toBe(3)
  })

  test.each([
    [true, true],
    [false, true],
    [false, false],
  ])('of a file that changes under way is refused (parts: %s, ETag: %s)', async (hasParts, hasTag) => {
    let asked = 0
    const other = randomBytes(content.length)
    const { url, hostPort } = await serve((request, response) => {
      asked += 1
      const now = asked > 2 ? other : content
      const from = Number(/bytes=(\d+)/.exec(request.headers.range ?? '')?.[1] ?? Number.NaN)
      const isPart = hasParts && !Number.isNaN(from)
      response.writeHead(isPart ? 206 : 200, {
        ...(hasTag ? { etag: `"${asked > 2}"` } : {}),
        'content-length': content.length - (isPart ? from : 0),
        ...(isPart ? { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` } : {}),
      })
      if (asked === 2) response.write(now.subarray(0, 100_000), () => setTimeout(() => response.destroy(), 20))
      else response.end(now.subarray(isPart ? from : 0))
    })
    await expect(bring(`${url}/x.h5`, hostPort)).rejects.toMatchObject({
      code: 'source_changed',
      message: expect.stringContaining('x.h5 changed at 127.0.0.1'),
    })
  })

  test('that is larger than allowed stops, whether it says so or not', async () => {
    const { address, hub } = await serveFile()
    await expect(bring(address, hub.allow, { NMP_SOURCE_MAX_BYTES: '200000' })).rejects.toMatchObject({
      code: 'source_too_large',
    })
    let sent = 0
    const { url, hostPort } = await serve((_, response) => {
      const timer = setInterval(() => {
        sent += 64_000
        response.write(Buffer.alloc(64_000, 'x'))
      }, 1)
      response.on('close', () => clearInterval(timer))
    })
    await expect(bring(`${url}/x.h5`, hostPort, { NMP_SOURCE_MAX_BYTES: '1000000' })).rejects.toMatchObject({
      code: 'source_too_large',
    })
    expect(sent).toBeLessThan(20_000_000)
  })

  test('in a compressed encoding is refused', async () => {
    const { bring } = await serveFile([{ kind: 'gzip-bomb' }])
    await expect(bring()).rejects.toMatchObject({
      code: 'source_invalid',
      message: expect.stringContaining('Content-Encoding'),
    })
  })
})

describe('an answer that is no file', () => {
  test.each([
    [404, 'source_not_found', 'Check the address'],
    [403, 'source_forbidden', 'signed link that has not expired'],
    [418, 'source_invalid', 'status 418'],
    [500, 'source_unavailable', 'status 500'],
  ])('status %i', async (status, code, words) => {
    const { bring } = await serveFile([{ kind: 'status', status }])
    await expect(bring()).rejects.toMatchObject({ code, message: expect.stringContaining(words) })
  })

  test.each([
    ['a web page', { 'content-type': 'text/html' }, '<html>', 'a web page instead of a file'],
    ['something else', {}, 'MZ', 'neither HDF5'],
    ['nothing', {}, '', 'an empty file'],
  ])('%s', async (_, headers, body, words) => {
    const { url, hostPort } = await serve((_, response) => void response.writeHead(200, headers).end(body))
    await expect(bring(`${url}/download`, hostPort)).rejects.toMatchObject({
      code: 'source_invalid',
      message: expect.stringContaining(words),
    })
  })
})

test.each([
  ['attachment; filename="run 7.hdf5"', '/download?id=7', 'run 7.hdf5'],
  [`attachment; filename=x; filename*=UTF-8''..%2f..%2fgr%C3%B6%C3%9Fe.h5`, '/d', 'größe.h5'],
  ['attachment; filename="../../etc/cron.d/x.h5"', '/d', 'x.h5'],
  ['attachment; filename="..\\\\..\\\\x.h5"', '/d', 'x.h5'],
  ['inline', '/a/b/c.h5?x=1#y', 'c.h5'],
  ['inline', '/a/b/', 'download.hdf5'],
  ['attachment; filename=".."', '/episode', 'episode.hdf5'],
])('%s at %s is called %s below', async (disposition, path, name) => {
  const { url, hostPort } = await serve((_, response) => {
    response.writeHead(200, { 'content-disposition': disposition, 'content-length': content.length }).end(content)
  })
  expect((await bring(`${url}${path}`, hostPort)).file.path).toBe(name)
})
