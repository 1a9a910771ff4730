import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readlinkSync } from 'node:fs'
import { mkdtemp, open, rm, truncate, writeFile } from 'node:fs/promises'
import { createServer, get, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FileBody } from './file-body.ts'
import { createPieceBuffers } from './piece-buffers.ts'

const bytes = Buffer.from(Uint32Array.from({ length: 5_000_000 }, (_, index) => index * 2654435761).buffer)
let folder: string
let path: string
let server: Server
let url: string
let ends: Promise<unknown>[]

const buffers = createPieceBuffers()

const openBody = async (start: number, end: number, signal?: AbortSignal) =>
  new FileBody(await open(path, 'r'), { start, end }, { buffers, signal })

const request = async (start: number, end: number): Promise<IncomingMessage> => {
  const [response] = await once(get(`${url}/?${start}-${end}`, { agent: false }), 'response')
  return response
}

const isOpen = (): boolean =>
  readdirSync('/proc/self/fd').some((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`) === path
    } catch {
      return false
    }
  })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nmp-file-body-'))
  path = join(folder, 'file')
  await writeFile(path, bytes)
  ends = []
  server = createServer(async (asked, response) => {
    const [start = 0, end = 0] = (asked.url ?? '').slice(2).split('-').map(Number)
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const body = await openBody(start, end, gone.signal)
    const sending = body.sendTo(response)
    ends.push(sending.catch((error: unknown) => error))
    sending.then(
      () => response.end(),
      () => response.destroy(),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await rm(folder, { recursive: true })
})

test.each([
  [0, 0],
  [0, 1],
  [17, 262_144 + 17],
  [5, 262_144 + 6],
  [100, 3 * 262_144 + 101],
  [0, bytes.length],
])('bytes %i to %i are the same as a stream and when it sends itself', async (start, end) => {
  const wanted = bytes.subarray(start, end)
  expect(Buffer.concat(await Array.fromAsync(await openBody(start, end))).equals(wanted)).toBe(true)
  const received = Buffer.concat(await Array.fromAsync(await request(start, end)))
  expect(received.equals(wanted)).toBe(true)
})

test('a slow reader gets every byte, though buffers are used again', async () => {
  const response = await request(0, bytes.length)
  // Long enough for the system's own buffers to be full, so that the rest waits in ours.
  await sleep(500)
  expect(Buffer.concat(await Array.fromAsync(response)).equals(bytes)).toBe(true)
})

test('a reader that goes away ends it, and the file is closed', async () => {
  ends.length = 0
  const response = await request(0, bytes.length)
  await once(response, 'readable')
  response.destroy()
  expect(await ends[0]).toBeInstanceOf(Error)
  await expect.poll(isOpen).toBe(false)
})

test('an abort before anyone reads it closes the file and harms nobody', async () => {
  const stop = new AbortController()
  const body = await openBody(0, 10, stop.signal)
  stop.abort()
  await expect.poll(isOpen).toBe(false)
  await expect(Array.fromAsync(body)).rejects.toThrow('abort')
})

test('a file that became shorter is an error, and no quiet end', async () => {
  const body = await openBody(0, bytes.length)
  await truncate(path, 1000)
  await expect(Array.fromAsync(body)).rejects.toThrow('shorter')
  await writeFile(path, bytes)
})

test('a file opened for somebody who has left meanwhile is closed', async () => {
  const body = await openBody(0, bytes.length, AbortSignal.abort())
  await expect(body.toArray()).rejects.toThrow('aborted')
  await expect.poll(isOpen).toBe(false)
})

test('whoever comes when the large buffers are taken gets small ones, and large ones again later', async () => {
  const budget = createPieceBuffers(1024 * 1024)
  const pairs = [budget.take(), budget.take(), budget.take()]
  expect(pairs.map(({ buffers: [one] }) => one.byteLength)).toEqual([262_144, 262_144, 16_384])
  pairs[0]?.release(false)
  const later = budget.take().buffers[0]
  expect(later.byteLength).toBe(262_144)
  expect(later.buffer).not.toBe(pairs[0]?.buffers[0].buffer)
})

test.each([createPieceBuffers(), createPieceBuffers(0)])(
  'bytes that do not hold are cut before their end',
  async (from) => {
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const send = async (expected: string): Promise<Buffer> => {
      const body = new FileBody(await open(path, 'r'), { start: 0, end: bytes.length }, { buffers: from })
      await body.expect({ sha256: expected, hold: () => {}, fail: (found) => new Error(`It is ${found}.`) })
      const received: Buffer[] = []
      const target = new Writable({
        write: (piece, _encoding, done) => done(received.push(Buffer.from(piece)) > 0 ? null : undefined),
      })
      await body.sendTo(target)
      return Buffer.concat(received)
    }
    expect((await send(sha256)).equals(bytes)).toBe(true)
    await expect(send('0'.repeat(64))).rejects.toThrow(`It is ${sha256}.`)
  },
)

test('what nobody wants to have but known to hold is read by a thread, and closed', async () => {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const check = async (expected: string) => {
    let held = 0
    const body = await openBody(0, bytes.length)
    await body.expect({ sha256: expected, hold: () => void held++, fail: (found) => new Error(`It is ${found}.`) })
    return { found: await body.hash(), held }
  }
  expect(await check(sha256)).toEqual({ found: sha256, held: 1 })
  await expect(check('0'.repeat(64))).rejects.toThrow(`It is ${sha256}.`)
  const stop = new AbortController()
  const stopped = (await openBody(0, bytes.length, stop.signal)).hash()
  stop.abort(new Error('stopped'))
  await expect(stopped).rejects.toThrow('aborted')
  await expect.poll(isOpen).toBe(false)
})

test('a file that became shorter is no whole one', async () => {
  const short = join(folder, 'short')
  await writeFile(short, bytes.subarray(0, 3_000_000))
  const body = new FileBody(await open(short, 'r'), { start: 0, end: 4_000_000 }, { buffers })
  await expect(body.hash()).rejects.toThrow('shorter')
})
