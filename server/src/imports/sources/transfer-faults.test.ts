import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type HubServer, startHubServer } from '../../../test/hub-server.ts'
import { loadConfig } from '../../config.ts'
import { openSource } from './index.ts'
import { transferLimits } from './transfer-limits.ts'

/** Every fault a source can have while its bytes come, and what becomes of the file. */
const content = randomBytes(400_000)
const small = Buffer.from('{"fps": 30}')
/** Times a test can wait for; the rules are those of the program. */
const limits = {
  ...transferLimits,
  connectMs: 1000,
  idleMs: 250,
  slowWindowMs: 300,
  slowBytes: 1000,
  attempts: 4,
  progressBytes: 50_000,
  backoffMs: 5,
  longestWaitMs: 2000,
}
const inParts = { ...limits, parallelFromBytes: 100_000, segmentBytes: 30_000, segmentsAhead: 3 }

let hub: HubServer
beforeEach(async () => {
  hub = await startHubServer(undefined, {
    extra: [
      { path: 'x.bin', content, isLarge: true },
      { path: 'meta/info.json', content: small, isLarge: false },
    ],
  })
})
afterEach(() => hub.close())

const read = async (path = 'x.bin', bounds = limits, signal = new AbortController().signal): Promise<string> => {
  const config = loadConfig({ NMP_HF_ENDPOINT: hub.url, NMP_SOURCE_ALLOW: hub.allow })
  const request = { kind: 'huggingface', repoId: 'lab/set', revision: null, token: null } as const
  const source = await openSource({ config }, request, signal, bounds)
  const file = source.files.find((one) => one.path === path)
  if (!file) throw new Error('no such file')
  const chunks: Uint8Array[] = []
  for await (const chunk of source.read(file, signal)) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  return bytes.equals(path === 'x.bin' ? content : small) ? 'as it is at the source' : `${bytes.length} other bytes`
}
const whole = 'as it is at the source'
const fails = (code: string, words: string) => ({ code, message: expect.stringContaining(words) })

describe.each([
  ['in one piece', limits],
  ['in parts', inParts],
])('a large file %s', (_, bounds) => {
  test('whose connection breaks again and again is read to its end by resuming', async () => {
    hub.setFaults({ kind: 'cut', afterBytes: 60_000 })
    expect(await read('x.bin', bounds)).toBe(whole)
    expect(hub.requests.some((line) => / bytes=[1-9]\d*-/.test(line))).toBe(true)
  })

  test('whose answers are too short is resumed as well', async () => {
    hub.setFaults({ kind: 'short', bytes: 60_000 })
    expect(await read('x.bin', bounds)).toBe(whole)
  })

  test('that never gets further is given up after a few tries', async () => {
    hub.setFaults({ kind: 'cut', afterBytes: 0 })
    await expect(read('x.bin', bounds)).rejects.toMatchObject(
      fails('source_unavailable', '127.0.0.1 could not be read'),
    )
    expect(hub.requests.filter((line) => line.includes('/storage/')).length).toBeLessThan(30)
  })

  test('with a wrong byte is refused by its hash', async () => {
    hub.setFaults({ kind: 'flip', times: 1 })
    await expect(read('x.bin', bounds)).rejects.toMatchObject(fails('source_corrupt', 'sha256 differs'))
    expect(await read('x.bin', bounds)).toBe(whole)
  })

  test('that is sent whole when a part was asked for is read on from where it was', async () => {
    hub.setFaults({ kind: 'cut', afterBytes: 60_000, times: 1 }, { kind: 'ignore-range' })
    expect(await read('x.bin', bounds)).toBe(whole)
  })

  test('of which another part comes than was asked for is refused', async () => {
    hub.setFaults({ kind: 'cut', afterBytes: 60_000, times: 1 }, { kind: 'wrong-range' })
    await expect(read('x.bin', bounds)).rejects.toMatchObject(fails('source_corrupt', 'a different part'))
  })

  test('that changes while it is read is refused', async () => {
    hub.setFaults({ kind: 'cut', afterBytes: 60_000, times: 1 }, { kind: 'changed-on-resume' })
    await expect(read('x.bin', bounds)).rejects.toMatchObject(fails('source_corrupt', 'different content'))
  })

  test('survives 429 with Retry-After, and 5xx', async () => {
    hub.setFaults(
      { kind: 'status', status: 429, headers: { 'retry-after': '1' }, times: 1 },
      { kind: 'status', status: 503, times: 2 },
    )
    const began = performance.now()
    expect(await read('x.bin', bounds)).toBe(whole)
    expect(performance.now() - began).toBeGreaterThan(900)
  })

  test('that trickles, or stops, is broken off', async () => {
    hub.setFaults({ kind: 'trickle', everyMs: 20 })
    await expect(read('x.bin', bounds)).rejects.toMatchObject(fails('source_unavailable', 'too slowly'))
    hub.setFaults({ kind: 'trickle', everyMs: 5000 })
    await expect(read('x.bin', bounds)).rejects.toMatchObject(fails('source_unavailable', 'stopped sending'))
    hub.setFaults({ kind: 'hang' })
    await expect(read('x.bin', bounds)).rejects.toMatchObject(fails('source_unavailable', 'did not answer in time'))
  })

  test('stops at once when the job is canceled', async () => {
    hub.setFaults({ kind: 'hang' })
    const stop = new AbortController()
    const reading = read('x.bin', { ...bounds, idleMs: 60_000 }, stop.signal)
    setTimeout(() => stop.abort(new Error('canceled')), 100)
    await expect(reading).rejects.toThrow('canceled')
  })

  test('that is redirected to a private address sends not one packet there', async () => {
    let seen = 0
    const inside = createServer(() => {
      seen += 1
    }).on('connection', () => {
      seen += 1
    })
    await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve))
    const { port } = inside.address() as AddressInfo
    for (const location of [
      `http://127.0.0.1:${port}/x`,
      `https://127.0.0.1:${port}/x`,
      `http://localhost:${port}/x`,
      `//127.0.0.1:${port}/x`,
      'https://169.254.169.254/latest',
      'https://[::ffff:169.254.169.254]/',
      'http://0/',
    ]) {
      hub.setFaults({ kind: 'redirect', location, on: /\/resolve\/|\/storage\// })
      await expect(read('x.bin', bounds), location).rejects.toMatchObject({ code: 'source_not_allowed' })
    }
    inside.close()
    expect(seen).toBe(0)
  })

  test('that is redirected for ever is given up', async () => {
    hub.setFaults({ kind: 'redirect', location: '/storage/again' })
    await expect(read('x.bin', bounds)).rejects.toMatchObject(fails('source_invalid', 'more than 5 times'))
  })

  test('that comes as a gzip bomb is refused by its head', async () => {
    hub.setFaults({ kind: 'gzip-bomb' })
    const before = process.memoryUsage.rss()
    await expect(read('x.bin', bounds)).rejects.toMatchObject(fails('source_invalid', 'Content-Encoding'))
    expect(process.memoryUsage.rss() - before).toBeLessThan(64e6)
  })
})

describe('a small file', () => {
  const on = /\/resolve\//
  test('is checked by its git hash and its size', async () => {
    expect(await read('meta/info.json')).toBe(whole)
    hub.setFaults({ kind: 'flip', on })
    await expect(read('meta/info.json')).rejects.toMatchObject(fails('source_corrupt', 'git hash differs'))
    hub.setFaults({ kind: 'long', bytes: 5, on })
    await expect(read('meta/info.json')).rejects.toMatchObject(fails('source_corrupt', 'longer than the 11 bytes'))
  })

  test('that the hub lists and does not have is named so', async () => {
    hub.setFaults({ kind: 'status', status: 404, headers: { 'x-error-code': 'EntryNotFound' }, on })
    await expect(read('meta/info.json')).rejects.toMatchObject(fails('source_not_found', 'does not have'))
  })
})

describe('the questions before', () => {
  test('are asked again on 5xx and 429, a bounded number of times', async () => {
    hub.setFaults(
      { kind: 'status', status: 502, on: /\/revision\//, times: 2 },
      { kind: 'status', status: 429, on: /\/tree\//, times: 1 },
    )
    expect(await read()).toBe(whole)
    hub.setFaults({ kind: 'status', status: 502, on: /\/revision\// })
    hub.requests.length = 0
    await expect(read()).rejects.toMatchObject(fails('source_unavailable', 'status 502'))
    expect(hub.requests).toHaveLength(limits.attempts)
  })

  test('leave a long wait to the job', async () => {
    hub.setFaults({ kind: 'status', status: 429, on: /\/revision\//, headers: { ratelimit: '"api";r=0;t=200' } })
    await expect(read()).rejects.toMatchObject({ code: 'source_unavailable', retryAfterSeconds: 201 })
    hub.setFaults({
      kind: 'status',
      status: 503,
      on: /\/revision\//,
      headers: { 'retry-after': new Date(Date.now() + 90_000).toUTCString() },
    })
    await expect(read()).rejects.toMatchObject({ retryAfterSeconds: expect.closeTo(89, -1) })
  })

  test('get a clear word where the address is no hub, or answers without end', async () => {
    hub.setFaults({ kind: 'short', bytes: 0, on: /\/revision\// })
    await expect(read()).rejects.toMatchObject(fails('source_invalid', 'NMP_HF_ENDPOINT'))
    hub.setFaults({ kind: 'gzip-bomb', on: /\/revision\// })
    await expect(read()).rejects.toMatchObject({ code: 'source_invalid' })
  })
})
